-- The lease whose visit a row is of: a row is never replaced by one of an older lease.

ALTER TABLE pages ADD COLUMN token INTEGER NOT NULL DEFAULT 0;
