-- Why a page ended as it did is a rule, and what that says: its facts, as JSON. Most pages have neither, so nobody pays for it.

ALTER TABLE pages DROP COLUMN reason;
ALTER TABLE pages ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN facts TEXT NOT NULL DEFAULT '';
CREATE INDEX pages_rule ON pages (rule) WHERE rule <> '';
