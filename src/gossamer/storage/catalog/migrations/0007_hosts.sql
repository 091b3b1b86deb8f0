-- The pages of a host are found by their keys, which begin with its name; `search.py` asks so. Of all indexes this one cost most:
-- the pages of a commit are of as many hosts, so each changed another page of the index.

DROP INDEX pages_host;
