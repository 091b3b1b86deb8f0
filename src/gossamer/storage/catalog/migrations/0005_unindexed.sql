-- A page that was visited again and had not changed is as worth indexing as it was before; a copy of another is not.

DROP INDEX pages_unindexed;
CREATE INDEX pages_unindexed ON pages (id)
WHERE text_id IS NULL AND outcome IN ('ok', 'not_modified') AND duplicate_of = '' AND file IS NOT NULL AND noindex = 0;
