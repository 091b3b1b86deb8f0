"""Garbage is collected seldom while a crawl runs: it makes few cycles, and looking for them took 12 % of its time.

Everything is freed when its last user lets go; the collector only finds what refers to itself. What was imported and opened
before the first visit stays for good, so it is not looked through at all.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

BEGINNING = (500_000, 20, 50)  # what is imported at the start is no garbage: to look through it took 25 ms
SELDOM = (200_000, 20, 50)  # objects made and kept since the last look, and how often the older ones are spared; Python's: 700
# (with thousands of visits under way 50,000 are made and kept all the time: to look through them took 3 %)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Look for garbage seldom for a while."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
