"""What a crawl learns about a host from its answers, and the evidence for it: small frozen records, kept for good.

Each is changed only by the pure rules of `policy`, which return a new one. Whatever is decided by them can be shown with its
numbers and examples, and an operator's word (`ruling`) stands above all of it.
"""

from enum import StrEnum

from msgspec import Struct

from gossamer.records.reason import Reason


class Ruling(StrEnum):
    """The decision of an operator about a lesson; `NONE`: the evidence decides."""

    NONE = ""
    ALLOW = "allow"
    BLOCK = "block"


class Yield(StrEnum):
    """The result of one fetch, as evidence."""

    FRESH = "fresh"  # content of its own
    COPY = "copy"  # the same bytes as another page
    TWIN = "twin"  # nearly the same text as another page
    MISSING = "missing"  # the host's way to say that there is nothing
    EMPTY = "empty"  # no text
    STALE = "stale"  # only phrases that its host has shown before
    CHAIN = "chain"  # a redirect that leads on and on


class TemplateTally(Struct, frozen=True, array_like=True, gc=False):
    """The results of fetching the URLs of one template of a host."""

    fetched: int = 0
    fresh: int = 0
    weight: int = 0  # grows with what brings nothing, falls with what does
    barren: dict[str, int] = {}  # fetches that brought nothing, by yield
    refused: int = 0  # URLs that were not fetched because of it
    good: tuple[str, ...] = ()  # examples: the first URLs that brought something
    bad: tuple[str, ...] = ()  # and the last that did not
    ruling: Ruling = Ruling.NONE


class Words(Struct, frozen=True, array_like=True, gc=False):
    """The words that stand in one place of a host's URLs: a folder, or the value of a parameter."""

    counts: dict[str, int] = {}  # pages they were seen in, counted to a few
    is_full: bool = False  # there are more than an application has words: names


class Parameter(Struct, frozen=True, array_like=True, gc=False):
    """Whether the value of a query parameter matters to what a host answers."""

    same: int = 0  # pairs of URLs that differ in nothing else and gave the same content
    other: int = 0  # pairs that gave something else
    places: tuple[int, ...] = ()  # fingerprints of pages (without the parameter) that were observed to be the same
    merged: int = 0  # URLs that were not fetched because of it
    was_cosmetic: bool = False  # it has left keys once, which still stand in the frontier
    examples: tuple[tuple[str, str], ...] = ()  # the last pairs that gave the same
    counter: tuple[tuple[str, str], ...] = ()  # and the last that did not
    ruling: Ruling = Ruling.NONE  # block: it is cosmetic whatever the evidence; allow: it is not


class Sighting(Struct, frozen=True, array_like=True, gc=False):
    """One page as it was seen behind one value of a parameter."""

    value: int  # its fingerprint
    content: int  # fingerprint of the payload's digest
    simhash: int | None  # of a text long enough to compare
    url: str


class Probe(Struct, frozen=True, array_like=True, gc=False):
    """How a host answers for something that cannot exist, in one directory."""

    url: str = ""  # empty: not probed yet, but somebody should
    at: float = 0.0
    status: int = 0
    location: str = ""  # of a redirect
    simhash: int | None = None
    words: int = 0
    title: str = ""
    length: int = 0
    found: int = 0  # URLs that ended as soft 404 by it
    examples: tuple[str, ...] = ()
    ruling: Ruling = Ruling.NONE  # allow: no URL of this directory ends as a soft 404


class Growth(Struct, frozen=True, array_like=True, gc=False):
    """How many URLs a host, or a part of it, brings forth."""

    fetched: int = 0
    found: int = 0
    hour: int = 0  # since the epoch
    found_in_hour: int = 0
    slowed: int = 0  # times
    reason: Reason | None = None  # why it was slowed the last time
    page: str = ""  # the page that last brought most
    own: int = 0  # fetched URLs that were found on the host itself
    outside: int = 0  # fetched URLs that were found elsewhere, and URLs of other hosts that were first found here
    sitemaps: int = 0  # fetched
    held: int = 0  # times that others came first, because it yields only itself
    ruling: Ruling = Ruling.NONE  # allow: it neither sinks, nor do its sitemaps wait


class View(Struct, frozen=True, array_like=True, gc=False):
    """Whether a mark in URLs of a host shows pages once more in another way."""

    beside: int = 0  # what it stood beside, each time in another URL
    otherwise: int = 0  # pages on which it stood beside nothing
    fetched: int = 0  # URLs that have it
    fresh: int = 0  # of these, those with content of their own
    led: int = 0  # and those that led to something new which is no view
    shown: tuple[tuple[str, str], ...] = ()  # the last it stood beside, and the URLs that have it
    ruling: Ruling = Ruling.NONE  # block: it is one of views whatever the evidence; allow: it is not


class Difference(Struct, frozen=True, array_like=True, gc=False):
    """In what a page that was visited again differs from what is kept of it (`policy/habit.py`)."""

    page: int  # fingerprint of its key
    at: float
    round: float = 0.0  # when it was made due with others; 0: its visits are its own
    marks: tuple[int, ...] = ()  # none: it is the same
    texts: tuple[str, ...] = ()  # examples
    is_spared: bool = False  # these are habits of its host


class Habit(Struct, frozen=True, array_like=True, gc=False):
    """The parts that change on most pages of a host at once."""

    compared: tuple[Difference, ...] = ()  # the last pages, each once
    known: tuple[int, ...] = ()  # marks that were habits once
    spared: int = 0  # visits that found nothing else changed
    ruling: Ruling = Ruling.NONE  # allow: all that differs is a change
