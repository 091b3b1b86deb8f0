"""Exports: what a crawl keeps, in the formats of others. One file a format (`joints/export.py`)."""
