-- The catalog: the last visit of every URL, every capture of it that is kept, what readers found, and what they add up to.
-- Whoever changes this file raises VERSION in schema.py.

-- One row a key. Statements name their columns, so the order is for readers.
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE, -- begins with the host's name: the pages of a host are found by it, without an index of their own
    kind INTEGER NOT NULL, -- its row of `kinds`
    fetched_at REAL NOT NULL,
    token INTEGER NOT NULL, -- the lease whose visit this is: a row is never replaced by one of an older lease
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    outcome TEXT NOT NULL,
    rule TEXT NOT NULL, -- why it ended so; empty for most
    facts TEXT NOT NULL, -- what the rule says, as JSON
    status INTEGER NOT NULL,
    mime TEXT NOT NULL,
    digest TEXT NOT NULL,
    length INTEGER NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    charset TEXT NOT NULL,
    captured_at REAL NOT NULL, -- when what is at its place was fetched: a visit that finds nothing new leaves it alone
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
    file TEXT, -- with the next two the place of its capture in the archive
    record_offset INTEGER,
    record_length INTEGER,
    simhash INTEGER, -- of its text: 64 bits, as a signed number
    outlinks INTEGER, -- the fingerprint of its links: 64 bits, as a signed number
    freshness BLOB, -- how often it changes, as MessagePack
    text_id INTEGER -- its row of `texts`
);

-- What pages are listed by, as one number: there are few combinations, and one index over them serves every filter and every
-- combination of filters, newest first. Kind 1 is what nearly every page is. When there are MOST kinds (`kinds.py`), the type of
-- a new one is left out ('*'), and read from the page.
CREATE TABLE kinds (
    id INTEGER PRIMARY KEY,
    outcome TEXT NOT NULL,
    rule TEXT NOT NULL,
    status INTEGER NOT NULL,
    mime TEXT NOT NULL,
    cut INTEGER NOT NULL, -- its body is not whole
    UNIQUE (outcome, rule, status, mime, cut)
);
INSERT INTO kinds VALUES (1, 'ok', '', 200, 'text/html', 0);

-- Pages by time; the kind stands in the index, so that a walk passes over others without reading them. Kind 1 has no index of
-- its own: the walk finds it at every step, and a page that is like most is written sooner.
CREATE INDEX pages_time ON pages (fetched_at, kind);
CREATE INDEX pages_kind ON pages (kind, fetched_at) WHERE kind <> 1;
CREATE INDEX pages_copies ON pages (duplicate_of) WHERE duplicate_of <> '';

-- A page that was visited again and had not changed is as worth indexing as it was before; a copy of another is not.
CREATE INDEX pages_unindexed ON pages (id)
WHERE text_id IS NULL AND outcome IN ('ok', 'not_modified') AND duplicate_of = '' AND file IS NOT NULL AND noindex = 0;

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

-- What the readers of operators' scripts found on pages as they are now, and what went wrong in them. Numbers grow and are never
-- given twice: whoever has read up to one asks for what came after. Most crawls have none of either.
CREATE TABLE items (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    page INTEGER NOT NULL,
    captured_at REAL NOT NULL, -- of the version of the page
    reader TEXT NOT NULL,
    content BLOB NOT NULL -- a JSON object
);
CREATE INDEX items_page ON items (page);
CREATE TABLE problems (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    page INTEGER NOT NULL,
    captured_at REAL NOT NULL,
    reader TEXT NOT NULL,
    error TEXT NOT NULL,
    place TEXT NOT NULL, -- in the script: file and line
    trace TEXT NOT NULL
);
CREATE INDEX problems_page ON problems (page);

CREATE TABLE totals (
    outcome TEXT PRIMARY KEY,
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    bodies_cut INTEGER NOT NULL,
    links_cut INTEGER NOT NULL,
    pages_cut INTEGER NOT NULL -- that had links cut
) WITHOUT ROWID;

-- Pages by the fingerprint of their key, without an index that every page is put into somewhere (`marks.py`).
CREATE TABLE marks (
    bucket INTEGER NOT NULL,
    block INTEGER NOT NULL,
    marks BLOB NOT NULL,
    PRIMARY KEY (bucket, block)
) WITHOUT ROWID;

-- Search by words. Both indexes hold no text of their own: names are in pages, texts in the archive.

-- Over URL and title, kept up to date while crawling. Its rows are the ids of pages; pages that ask not to be indexed have none.
CREATE VIRTUAL TABLE names USING fts5 (url, title, content = '', tokenize = 'unicode61 remove_diacritics 2');

-- Over URL, title and text of kept pages, filled by `gossamer index`. Every text ever indexed has a row here; the one that counts
-- is the page's text_id, so that a text that is out of date is forgotten without reading it again. Rows are numbered by pages
-- (`words.py`), so that texts come in the order of pages.
CREATE VIRTUAL TABLE texts USING fts5 (url, title, text, content = '', tokenize = 'unicode61 remove_diacritics 2');
