-- Pages with more links than are known of a page: very few, so that to count them takes no time, and nobody else pays for it.

CREATE INDEX pages_cut ON pages (links_cut) WHERE links_cut > 0;
