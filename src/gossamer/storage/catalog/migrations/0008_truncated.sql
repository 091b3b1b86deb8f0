-- Bodies that are not whole: few, so that to count and to list them takes no time, and nobody else pays for it.

CREATE INDEX pages_truncated ON pages (truncated) WHERE truncated <> '';
