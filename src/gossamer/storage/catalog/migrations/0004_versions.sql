-- How a page changes, and every capture of it that is kept.

-- The fingerprint of its links: 64 bits, as a signed number; NULL when it has none.
ALTER TABLE pages ADD COLUMN outlinks INTEGER;

-- When what is at its place was fetched: a visit that finds nothing new leaves it alone.
ALTER TABLE pages ADD COLUMN captured_at REAL NOT NULL DEFAULT 0;

-- What is known of how often it changes, as MessagePack.
ALTER TABLE pages ADD COLUMN freshness BLOB;

UPDATE pages SET captured_at = fetched_at WHERE file IS NOT NULL;

-- One row a capture; a capture is where its record is. Found by page only: `prune`, which asks by file, reads whole files anyway,
-- and a second index would be paid for by every page that is crawled.
CREATE TABLE versions (
    page INTEGER NOT NULL,
    file TEXT NOT NULL,
    record_offset INTEGER NOT NULL,
    record_length INTEGER NOT NULL,
    captured_at REAL NOT NULL,
    digest TEXT NOT NULL,
    length INTEGER NOT NULL,
    status INTEGER NOT NULL,
    mime TEXT NOT NULL,
    PRIMARY KEY (page, file, record_offset)
) WITHOUT ROWID;

INSERT INTO versions (page, file, record_offset, record_length, captured_at, digest, length, status, mime)
SELECT id, file, record_offset, record_length, fetched_at, digest, length, status, mime FROM pages WHERE file IS NOT NULL
ORDER BY id;
