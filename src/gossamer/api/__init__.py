"""The server: REST, live events, metrics and the dashboard's files, beside the crawls and never inside them.

It opens no store but catalog, archive, graph and chronicle, to read them; everything else is asked of whoever holds a crawl
(`reach.py`). `app.py` puts it together, `guard.py` lets in, one file is one resource, `types.py` is what all of them answer.
"""
