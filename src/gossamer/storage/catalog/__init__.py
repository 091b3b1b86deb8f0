"""Rows about pages: the last visit of every URL, to list, search and count. One row a key."""
