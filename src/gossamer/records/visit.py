"""A visit: what is known before it, all of it that has to become durable, and what was learned from it.

Beside `records/`, because these hold evidence of what hosts are like.
"""

from typing import Any

from msgspec import Struct

from gossamer.records.entry import Verdict
from gossamer.records.evidence import Difference, Habit, Probe
from gossamer.records.hints import Hint
from gossamer.records.item import Harvest
from gossamer.records.lease import Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original, Page, Place
from gossamer.records.reason import Reason

# Who has some content and counts; who has nearly its text and counts, bits between.
Earlier = tuple[Original | None, tuple[Original, int] | None]


class Cookie(Struct, frozen=True, array_like=True):
    """A cookie, and where it goes."""

    name: str
    value: str
    host: str
    path: str
    secure: bool = False
    is_shared: bool = False  # with the hosts below its own
    ends: float | None = None  # Unix seconds; None: with the crawl

    def __repr__(self) -> str:
        return f"Cookie({self.name!r}, for {self.host!r}{self.path!r})"  # its value may be a login


class Chain(Struct, frozen=True, array_like=True):
    """The cookies and counters carried from one redirect to the next."""

    cookies: tuple[Cookie, ...] = ()
    hops: int = 0  # redirects since the first cookie was set


class Succession(Struct, frozen=True):
    """Of two pages alike, the one that counts from now on, and the other, which is a copy of it."""

    canonical: Original
    copy: Original
    why: str  # the one counts, in words
    digest: str = ""  # of the bytes that both have; empty: they have nearly the same text
    bits: int = 0  # between the texts


class Lesson(Struct, frozen=True, array_like=True):
    """The lessons about a leased URL: whether to fetch it, whether to send a probe first, how to tell a soft 404."""

    refused: Verdict | None = None
    probe_url: str = ""  # spend this turn on it
    probe: Probe | None = None  # what cannot exist looks like here; None: like an error, or nobody knows
    is_probed: bool = True  # False: nobody knows, but somebody could find out
    previous: Page | None = None  # what the page was when it was last visited
    importance: float = 0.0  # of the page, beside others
    threshold: float = 0.0  # what a visit has to be worth to be made
    claimed_interval: float | None = None  # seconds between two changes of a page never visited, as a list claims
    chain: Chain | None = None  # cookies of the redirects that led to it
    is_doubtful: bool = False  # others of its make brought so little that soon not all of them will be fetched
    behind: Reason | None = None  # why it waits behind all others, if it is to
    wait: tuple[float, Reason] | None = None  # it is put off by so many seconds, and why
    habit: Habit | None = None  # what changes on most pages of its host; None: too few pages to have any
    content: Place | None = None  # where the bytes of a copy are kept, as it was the last time
    jar: tuple[Cookie, ...] = ()  # the cookies that are kept of its domain


class Visit(Struct, frozen=True, kw_only=True):
    """A finished visit: what has to become durable, in the order archive, digest, catalog, frontier, robots.txt."""

    settlement: Settlement
    page: Page | None = None  # None: the URL is not finished yet (retry, deferred)
    claim: tuple[str, Original] | None = None  # content this page was the first to have
    learned: str = ""  # the URL for whose sake robots.txt was fetched: what it said is kept after the settlement
    received: int = 0  # bytes from the network
    status: int = 0  # of the answer
    address: str = ""  # that was asked
    likeness: Likeness | None = None  # what its text is like
    twin: tuple[Original, Original, int] | None = None  # the page with nearly its text, itself, the bits between
    probe: tuple[str, Probe] | None = None  # what a host said to something that cannot exist, in which directory
    elapsed: float = 0.0  # seconds since the visit before
    suspicious: bool = False  # it looks like a soft 404, but nobody knows yet what one looks like here
    edges: bytes | None = None  # what it links to (`edges.py`); None: it was not read, what is known of that still counts
    hints: tuple[Hint, ...] = ()  # what it says about other URLs
    chain: Chain | None = None  # cookies for the URL it redirects to; without a page, for itself
    replaces: str = ""  # the page that counted until this one came, which is like it and canonical; only the node knows
    difference: Difference | None = None  # from what is kept of it; None: it was not compared
    refused: dict[str, int] = {}  # links that were refused, by rule, beside those it discovered
    is_file: bool = False  # the host says that it is one to download, no page
    harvest: Harvest | None = None  # what readers of scripts found on its page; None: what they found before still counts
    gained: tuple[Cookie, ...] = ()  # cookies to be kept


class Studied(Struct):
    """The lessons of some visits: to be kept before the visits are settled."""

    visits: list[Visit]  # with the links they found judged by what is known now
    changes: dict[tuple[str, str, str], Any]  # records by host, kind and name
    rows: list[tuple[bytes, bytes]]
    slow: dict[str, tuple[float, Reason]]  # hosts to slow down: for how many seconds, and why
    sizes: dict[int, tuple[int, int, int]] = {}  # hosts of a size that came to be another number: hosts, fetched, found
    phrases: Any = None  # that pages showed (`lessons/phrases.py`); None: none was to be learned
