"""Spellings: several URLs of one key, told apart where the web does.

The rules of `normalize.py` take `/docs` and `/docs/` for one page, and `/p?utm_source=x` for `/p`. They are usually right, and
where they are not the web says so: one spelling redirects to the other, or one is not there and the other is. Such a spelling
goes by a key of its own: its wire URL and a `#`, which no other key ends with, because a wire URL has no fragment.

Invariants: a spelled key is a URL, and that URL without its fragment is what is requested.
"""

MOST_SPELLINGS = 4  # of one key that are remembered beside the first: a session in every link makes endless ones


def spelled(wire: str) -> str:
    """Return the key of a URL that is told apart from others of its usual key."""
    return f"{wire}#"


def is_spelled(key: str) -> bool:
    """Tell whether a key is that of one spelling only."""
    return key.endswith("#")


def with_spelling(known: tuple[str, ...], wire: str) -> tuple[str, ...]:
    """Add a spelling to those remembered: the shortest are kept, for they carry the least that says nothing about the page."""
    return known if wire in known else tuple(sorted((*known, wire), key=lambda each: (len(each), each))[:MOST_SPELLINGS])
