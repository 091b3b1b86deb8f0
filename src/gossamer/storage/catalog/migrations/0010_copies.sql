-- Copies by the page they are copies of: few beside all pages, so nobody else pays for it. They go with it when another page,
-- the canonical one, takes its place; and a copy is no longer searched by its text.

CREATE INDEX pages_copies ON pages (duplicate_of) WHERE duplicate_of <> '';
