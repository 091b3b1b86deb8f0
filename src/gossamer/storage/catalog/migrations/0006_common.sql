-- What nearly every page is needs no index: to list those, newest first, the one over time serves better. Only the others are
-- indexed, and a page that is like most is written sooner. `search.py` says in its queries which of them it asks for.

DROP INDEX pages_status;
DROP INDEX pages_mime;
DROP INDEX pages_outcome;
CREATE INDEX pages_status ON pages (status) WHERE status <> 200;
CREATE INDEX pages_mime ON pages (mime) WHERE mime <> 'text/html';
CREATE INDEX pages_outcome ON pages (outcome) WHERE outcome <> 'ok';
