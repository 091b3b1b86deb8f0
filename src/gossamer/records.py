"""What travels between the floors: small frozen records, and the closed list of outcomes.

A record holds facts, never a connection, a lock or a callback, so that it can be kept, compared, sent over a socket and
printed; a `Request`, to which none of this happens, has its turn. Times are Unix seconds, durations seconds, sizes bytes. A
higher score is sooner.
"""

from collections.abc import Awaitable, Callable
from enum import IntEnum, StrEnum

from msgspec import Struct, field

from gossamer.document.body import Body
from gossamer.freshness import Freshness
from gossamer.hints import Hint


class Outcome(StrEnum):
    """How a URL ended; every visit ends in exactly one, and so does every URL that is refused without a visit."""

    OK = "ok"
    NOT_MODIFIED = "not_modified"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    REDIRECTED = "redirected"
    GONE = "gone"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    THROTTLED = "throttled"
    ROBOTS_DENIED = "robots_denied"
    OUT_OF_SCOPE = "out_of_scope"
    TRAP = "trap"
    SOFT_404 = "soft_404"
    TOO_BIG = "too_big"
    UNSUPPORTED = "unsupported"
    DNS_FAILED = "dns_failed"
    ADDRESS_REFUSED = "address_refused"
    CONNECT_FAILED = "connect_failed"
    TLS_FAILED = "tls_failed"
    TIMED_OUT = "timed_out"
    PROTOCOL_ERROR = "protocol_error"
    BREAKER_OPEN = "breaker_open"
    BUDGET_SPENT = "budget_spent"
    DEFERRED = "deferred"
    CANCELLED = "cancelled"
    BUG = "bug"


class LinkKind(StrEnum):
    """Where a URL was found."""

    __hash__ = str.__hash__  # an enum's own is a Python function: too dear for every link
    SEED = "seed"
    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    IFRAME = "iframe"
    LINK = "link"
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    REFRESH = "refresh"
    IMAGE = "image"
    SITEMAP = "sitemap"  # a page listed in a sitemap, or a sitemap named by robots.txt or a sitemap index
    REDIRECT = "redirect"
    ASCENT = "ascent"  # a folder above a URL that was found
    FEED = "feed"  # a page listed in a feed


class Priority(IntEnum):
    """The class of the front queue a URL waits in; lower is picked more often. The numbers are part of what is on disk."""

    HIGH = 0
    MEDIUM = 1
    LOW = 2
    LAST = 6  # only while nobody has anything else; 3 to 5 are the queues of what is due again


class State(StrEnum):
    """Where a known URL is; always exactly one."""

    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"
    REMOVED = "removed"


# --- discovery and the lease --------------------------------------------------------------------------------------------


class Link(Struct, frozen=True, gc=False):
    """A URL as a document names it: absolute, not yet judged."""

    url: str
    kind: LinkKind
    nofollow: bool = False


class Verdict(Struct, frozen=True, array_like=True, gc=False):
    """What one rule says of a URL. A refusal also says the outcome the URL ends with."""

    allowed: bool
    rule: str  # named like the knob that steers it: scope.within, scope.block, traps.max_length, robots.meta
    reason: str = ""
    outcome: Outcome = Outcome.OUT_OF_SCOPE


class Entry(Struct, frozen=True, array_like=True):
    """A URL offered to the frontier. A refused one is remembered (so that it can be explained) but never queued."""

    url: str  # what is requested
    key: str  # what is deduplicated
    host: str  # lower-case host name without port: the unit of politeness
    depth: int = 0
    kind: LinkKind = LinkKind.SEED
    via: str = ""  # the page it was found on
    score: float = 0.0
    priority: Priority = Priority.MEDIUM
    redirects: int = 0  # redirects followed in a row to get here
    off_site: int = 0  # hops since the crawl left the seeds' sites
    refused: Verdict | None = None


class Discovered(Struct, frozen=True):
    """What became of the entries of one `discover`."""

    new: int = 0
    known: int = 0
    refused: int = 0


class HostPolicy(Struct, frozen=True, kw_only=True):
    """What an operator decided about one host; None means the crawl's configuration decides."""

    max_qps: float | None = None
    max_connections: int | None = None
    crawl_depth: int | None = None
    priority: Priority | None = None
    user_agent: str | None = None
    interval: float | None = None  # seconds between two visits of a page
    insecure: bool | None = None  # accept any certificate of this host
    paused: bool = False  # not leased; keeps its queue
    blocked: bool = False  # not leased; new URLs are refused


class HostClock(Struct, frozen=True, array_like=True):
    """What a host's next turn depends on. Durable. Changed only by the pure rules of `policy`."""

    next_time: float = 0.0  # no request before this
    robots_delay: float = 0.0  # Crawl-delay
    slowdown: float = 1.0  # grows while the host answers slowly, shrinks back to 1
    blocked_until: float = 0.0
    block_reason: str = ""
    failures: int = 0  # in a row
    openings: int = 0  # of the breaker, in a row
    probing: bool = False  # the breaker allows exactly one request
    given_up_until: float = 0.0  # the breaker opened too often: URLs end as breaker_open
    recent: int = 0  # the last 100 requests as bits, newest lowest; 1 is a failure
    recent_count: int = 0


class HostStatus(Struct, frozen=True, kw_only=True):
    """The operator's view of one host."""

    host: str
    waiting: int
    leased: int
    policy: HostPolicy
    clock: HostClock
    delay: float
    max_connections: int


class Lease(Struct, frozen=True, kw_only=True, array_like=True):
    """The right to send one request to one host, now, until `until`. Tokens grow and are never used twice."""

    token: int
    worker: str
    entry: Entry  # for a bare turn (`reserve`) only its host is set
    leased_at: float
    until: float
    attempts: int = 0  # visits of this URL that failed and were to be repeated
    returns: int = 0  # leases of this URL that came back without a settlement
    again: bool = False  # it was finished before and is due again
    due: float | None = None  # since when
    discovered_at: float = 0.0  # 0: a bare turn
    delay: float = 0.0  # the host's delay when leased
    max_connections: int = 1
    policy: HostPolicy = field(default_factory=HostPolicy)
    clock: HostClock = field(default_factory=HostClock)


class Leases(Struct, frozen=True):
    """What `lease` gave, and when it is worth asking again (None: nothing waits at all)."""

    leases: tuple[Lease, ...]
    next_time: float | None


class Fate(StrEnum):
    """What happens to a leased URL."""

    DONE = "done"  # finished; again at `due` by a later crawl, if any
    AGAIN = "again"  # finished for now; due again at `due`
    RETRY = "retry"  # failed for now; again at `due`, counted
    DEFERRED = "deferred"  # not tried; keeps its place, or goes to the last class; not before `due`; not counted
    DEAD = "dead"  # finished without a page; again at `due` by a later crawl, if any


class Answer(Struct, frozen=True, kw_only=True, array_like=True):
    """How a host behaved when its turn was used: moves its clock, its breaker and its pace."""

    at: float  # first byte of the answer, or the end of waiting for it
    seconds: float = 0.0  # from request to first byte
    failed: bool | None = False  # None: says nothing about the host's health
    robots_delay: float | None = None  # Crawl-delay learned with this answer
    block_until: float = 0.0  # Retry-After, or robots.txt out of reach
    block_reason: str = ""


class Settlement(Struct, frozen=True, kw_only=True, array_like=True):
    """The end of a lease. Applied with all its parts in one atomic step, or not at all."""

    lease: Lease
    fate: Fate
    outcome: Outcome
    reason: str = ""
    due: float | None = None
    score: float | None = None  # with AGAIN, or DEFERRED to the last class: what it is worth then; None: as it was
    answer: Answer | None = None  # None: the turn was not used, the host's clock goes back
    discovered: tuple[Entry, ...] = ()
    links: tuple[int, ...] | None = ()  # who gets the credit of a page that is done, by fingerprint; None: it keeps it


class Known(Struct, frozen=True, kw_only=True):
    """All the frontier knows of one URL."""

    entry: Entry
    state: State
    outcome: Outcome | None
    reason: str
    due: float | None
    attempts: int
    returns: int
    discovered_at: float
    settled_at: float | None = None
    leased_by: str = ""
    leased_until: float | None = None
    again: bool = False  # it was finished before and waits for its date, or is due
    credit: int | None = None  # what it has, where the order is opic
    score: float | None = None  # what it is worth while it waits; None: nobody can tell
    priority: Priority = Priority.MEDIUM  # the class it waits in, or waited in


class Request(Struct, frozen=True, kw_only=True):
    """One request to send."""

    url: str
    user_agent: str
    headers: tuple[tuple[str, str], ...] = ()
    insecure: bool = False
    max_body: int | None = None  # None: the configuration's
    pages: frozenset[str] | None = None  # MIME types with the limits of a page, any other has those of a file; None: all
    until: float | None = None  # it may not leave after this: the turn belongs to somebody else then
    turn: Callable[[], Awaitable[str]] | None = None  # awaited when it could leave; then it does at once, unless told why not


class Fetched(Struct, frozen=True, kw_only=True):
    """What came back, exactly as it was on the wire, or why nothing did; OK: an answer to keep, with any status, maybe cut."""

    url: str
    outcome: Outcome
    detail: str = ""
    status: int = 0
    request_head: bytes = b""
    response_head: bytes = b""  # status line and headers with the final blank line
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case
    body: Body  # after the head, transfer coding included
    chunked: bool = False  # the body carries chunked transfer coding
    truncated: str = ""  # WARC's words: length, time, disconnect, unspecified
    address: str = ""
    started: float = 0.0
    answered: float = 0.0  # first byte, or the end of waiting for it
    ended: float = 0.0
    sent: bool = True  # False: no request left this machine (DNS failed, address refused)
    unanswered: bool = False  # the request left on a kept connection, and not one byte came back

    def header(self, name: str) -> str:
        """Return the first header of that lower-case name, or an empty text."""
        for known, value in self.headers:  # asked ten times a page: a generator would take twice as long
            if known == name:
                return value
        return ""

    def all_headers(self, name: str) -> list[str]:
        """Return every header of that lower-case name."""
        return [value for known, value in self.headers if known == name]


class Document(Struct, frozen=True, kw_only=True):
    """A decoded document, ready for a processor."""

    url: str
    mime: str  # the type we act on
    content: bytes  # transfer and content coding removed
    charset: str = ""  # from BOM or header; empty: unknown
    cut: bool = False  # the content is only the beginning
    too_big: bool = False  # and that because there is more of it than the limit
    error: str = ""  # why it is not whole, or not decoded


class Directives(Struct, frozen=True):
    """What the page asks of robots: meta robots and X-Robots-Tag together."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


class Extract(Struct, frozen=True, kw_only=True):
    """What a processor found in a document."""

    links: tuple[Link, ...] = ()
    links_cut: int = 0  # links beyond the limit of a page
    cut: str = ""  # why the document was not read the usual way
    title: str = ""
    language: str = ""
    charset: str = ""
    canonical: str = ""
    directives: Directives = Directives()
    text: str = ""  # what a reader sees, of types that have it; read and dropped (see `likeness.py`)
    asides: frozenset[str] = frozenset()  # of the links, those that say of themselves that they lead to no page
    hints: tuple[Hint, ...] = ()  # what a sitemap or a feed says about the URLs it lists


class Place(Struct, frozen=True, array_like=True):
    """Where a record is: file name below the archive, offset and length of its compressed bytes."""

    file: str
    offset: int
    length: int


class Original(Struct, frozen=True, array_like=True):
    """The page that counts of those with some content: what a revisit record refers to."""

    url: str
    key: str
    fetched_at: float
    chunked: bool | None = None  # how its body is kept: a revisit that came the other way keeps no head (None: unknown)
    canonical: str = ""  # what it calls its canonical URL (`policy/canonical.py`)
    is_lesser: bool = False  # it is cut, or asks not to be indexed


class Page(Struct, frozen=True, kw_only=True, array_like=True):
    """One row of the catalog: the last visit of a URL."""

    url: str
    key: str
    host: str
    outcome: Outcome
    reason: str = ""
    status: int = 0
    mime: str = ""
    digest: str = ""  # "sha1:" and base32, of the payload
    length: int = 0  # of the body on the wire
    title: str = ""
    language: str = ""
    charset: str = ""
    fetched_at: float = 0.0
    response_seconds: float = 0.0
    depth: int = 0
    via: str = ""
    canonical: str = ""
    duplicate_of: str = ""
    truncated: str = ""
    links: int = 0
    links_cut: int = 0
    place: Place | None = None
    noindex: bool = False
    noarchive: bool = False
    simhash: int | None = None  # of its text
    outlinks: int | None = None  # fingerprint of the set of its links
    captured_at: float = 0.0  # when what is at `place` was fetched: a visit that found nothing new leaves both alone
    freshness: Freshness | None = None  # how often it changes


class Totals(Struct, frozen=True):
    """What a crawl kept: pages whose content is known, and the bytes of all bodies; and what it cut."""

    pages: int
    bytes: int
    bodies_cut: int = 0  # that are not whole
    links_cut: tuple[int, int] = (0, 0)  # links beyond the limit of a page, and pages that had so many
