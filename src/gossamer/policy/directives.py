"""Directives: what a page asks of robots in its meta elements and in X-Robots-Tag.

There is no standard but use: a list of words separated by commas, `none` for noindex and nofollow together, unknown words
mean nothing. In the header a list may begin with a robot's name (`otherbot: noindex`), which binds that robot alone, up to
the next name. Several directives add up; nothing lifts one that another has set. `unavailable_after` and the words about
how a search result may look (`max-snippet`, `nosnippet`) say nothing about crawling and are passed over.
"""

import re
from collections.abc import Iterable

from gossamer.records.page import Directives

WITH_VALUE = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
NAME = re.compile(r"[A-Za-z0-9_*-]+")  # a date's "21 Oct 2026 07:28" has spaces and is no name
VALUED = re.compile(r"(?<![\w-])[\w-]++\s*+:[^,;]*")
WORDS = re.compile(r"[,;\s]+")


def from_header(values: Iterable[str], agent: str) -> Directives:
    """Read the values of X-Robots-Tag headers; `agent` is our user agent or the product name it begins with."""
    if not values:
        return Directives()
    ours = re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].lower()
    words: list[str] = []
    for value in values:
        is_ours = True
        for piece in value.split(","):
            name, colon, rest = piece.partition(":")
            name = name.strip().lower()
            if colon and NAME.fullmatch(name) and name not in WITH_VALUE:
                is_ours = name in ("*", ours)
                piece = rest
            if is_ours:
                words.append(piece)
    return from_meta(",".join(words))


def from_meta(content: str) -> Directives:
    """Read the content of a meta element that speaks to us."""
    words = frozenset(WORDS.split(VALUED.sub("", content.lower())))
    none = "none" in words
    return Directives(none or "noindex" in words, none or "nofollow" in words, "noarchive" in words)


def merge(a: Directives, b: Directives) -> Directives:
    """Return what both ask together."""
    return Directives(a.noindex or b.noindex, a.nofollow or b.nofollow, a.noarchive or b.noarchive)
