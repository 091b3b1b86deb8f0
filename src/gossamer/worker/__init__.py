"""The story of a crawl: `crawl.py` tells a visit from lease to settlement, the other files are its verbs.

The worker meets the hands only through `protocols`. It decides nothing by itself: what is decided is a rule of `filters` or
`policy`, or the frontier's.
"""
