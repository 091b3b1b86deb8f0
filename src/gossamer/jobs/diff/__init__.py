"""What changed between two crawls, or between two dates of one: pages that were added, are gone, changed, or moved.

`states.py` walks over a crawl as it was at a date, in the order of keys; `changes.py` lets two such walks run side by side and
tells where they differ; `text.py` compares the text of one page. Memory does not grow with the crawls.
"""
