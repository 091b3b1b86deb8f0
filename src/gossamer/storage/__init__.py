"""Keeping: bytes in the archive, rows in the catalog, edges in the link graph.

The archive is the truth, the catalog is about it. Bytes are flushed before a row names their place, so a row never points
into nothing; a crash between the two repeats a visit and loses none.
"""
