"""The story of a visit: `crawl.py` tells it from lease to settlement, the other files are its steps.

Hands are met through joints only. One lease is one request.
"""
