"""Web applications that nobody here wrote, each on a port of its own with pages that are known: witnesses for the crawler.

A module an application: how it is filled (once, kept in `.witnesses/`), what of it is content (the truth), how it is started.
"""
