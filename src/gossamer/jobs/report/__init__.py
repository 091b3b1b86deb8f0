"""The report for the owner of a site: what a crawl found there, what of it has to be mended, and where that is linked.

`facts.py` says what a report holds and `gather.py` puts it together; `pagetable.py` and `lists.py` count and order pages
without holding them in memory, `sitemaps.py` reads what the sitemaps list. How it looks is for a door to say
(`cli/report.py`).
"""
