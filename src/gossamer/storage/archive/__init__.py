"""Exact bytes, for good: WARC 1.1 files (ISO 28500:2017), one gzip member a record, and their CDXJ index.

What came over the wire is written as it came. A record is whole or it is not there: a torn tail is cut on open and nothing
before the cut changes. File names never come from the web.
"""
