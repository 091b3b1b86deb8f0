-- What the text of a page is like: 64 bits, as a signed number; NULL for what has no text.

ALTER TABLE pages ADD COLUMN simhash INTEGER;
