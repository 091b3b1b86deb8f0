-- The last visit of every URL, one row a key, and what they add up to.

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    status INTEGER NOT NULL,
    mime TEXT NOT NULL,
    digest TEXT NOT NULL,
    length INTEGER NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    charset TEXT NOT NULL,
    fetched_at REAL NOT NULL,
    response_seconds REAL NOT NULL,
    depth INTEGER NOT NULL,
    via TEXT NOT NULL,
    canonical TEXT NOT NULL,
    duplicate_of TEXT NOT NULL,
    truncated TEXT NOT NULL,
    links INTEGER NOT NULL,
    links_cut INTEGER NOT NULL,
    noindex INTEGER NOT NULL,
    noarchive INTEGER NOT NULL,
    file TEXT,
    record_offset INTEGER,
    record_length INTEGER
);

CREATE INDEX pages_host ON pages (host);
CREATE INDEX pages_status ON pages (status);
CREATE INDEX pages_mime ON pages (mime);
CREATE INDEX pages_outcome ON pages (outcome);
CREATE INDEX pages_fetched_at ON pages (fetched_at);

CREATE TABLE totals (
    outcome TEXT PRIMARY KEY,
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) WITHOUT ROWID;
