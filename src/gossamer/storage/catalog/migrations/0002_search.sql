-- Search by words. Both indexes hold no text of their own: names are in pages, texts in the archive.

-- Over URL and title, kept up to date while crawling. Its rows are the ids of pages; pages that ask not to be indexed have none.
CREATE VIRTUAL TABLE names USING fts5 (url, title, content = '', tokenize = 'unicode61 remove_diacritics 2');

INSERT INTO names (rowid, url, title) SELECT id, url, title FROM pages WHERE noindex = 0;

-- Over the text of kept pages, filled by `gossamer index`. Every text ever indexed has a row here; the one that counts is the
-- page's text_id, so that a text that is out of date is forgotten without reading it again.
CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');

ALTER TABLE pages ADD COLUMN text_id INTEGER;

CREATE UNIQUE INDEX pages_text ON pages (text_id) WHERE text_id IS NOT NULL;
CREATE INDEX pages_unindexed ON pages (id) WHERE text_id IS NULL AND outcome = 'ok' AND file IS NOT NULL AND noindex = 0;
