"""What the API takes and answers: the types of its OpenAPI description, and of `gossamer.client`.

Fields are only ever added. Times are Unix seconds, sizes bytes, names those of the code. An id is the fingerprint of a URL's
key, 16 hex digits.
"""

from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

Item = TypeVar("Item")
Scope = Literal["read", "operate", "admin"]


class ItemList(Struct, Generic[Item], kw_only=True):
    """A part of a list; `next` is the cursor of the part behind it, None at the end."""

    items: list[Item]
    next: str | None = None
    as_of: float | None = None  # when it was so, where it changes by the second


class ProblemDetail(Struct, kw_only=True, omit_defaults=True):
    """What is wrong, as RFC 9457 has it."""

    type: str  # urn:gossamer:problem:KIND
    title: str
    status: int
    detail: str = ""
    instance: str = ""
    errors: list["FieldProblem"] = []


class FieldProblem(Struct):
    """What is wrong with one part of a request."""

    where: str  # such as body.urls[3], query.limit
    what: str


# --- jobs ------------------------------------------------------------------------------------------------------------


class JobRow(Struct, kw_only=True):
    """A crawl of this server."""

    job: str
    state: str  # queued, running, paused, stopping, stopped, finished, waiting, failed
    wanted: str = ""  # running or stopped; empty: nobody has asked this server for it
    pages: int = 0
    waiting: int = 0
    failed: int = 0
    requests: int = 0
    bytes: int = 0
    too_soon: int = 0
    since: float | None = None
    created: float = 0.0
    queue: int | None = None  # place among those that wait to run, from 1
    why: str = ""  # the sentence of a failure, or of a pause
    seeds: int = 0
    seed: str = ""  # the first of them


class Submit(Struct, kw_only=True, forbid_unknown_fields=True):
    """A new crawl."""

    urls: list[str]
    priority: Literal["high", "normal", "low"] | None = None
    name: str = ""
    settings: dict[str, Any] = {}  # by dotted names
    start: bool = True


class Submitted(Struct, kw_only=True):
    """A crawl that was made."""

    job_id: str
    status: str


class CrawlStatus(Struct, kw_only=True):
    """How a crawl stands."""

    job_id: str
    status: str
    pages_crawled: int
    errors: int
    frontier: dict[str, Any]
    outcomes: dict[str, int]
    requests: int
    bytes: int
    politeness_violations: int
    since: float | None
    next_time: float | None
    end: str  # how the last run ended; empty: one is under way, or none was


# --- URLs and hosts --------------------------------------------------------------------------------------------------


class SeedUrls(Struct, kw_only=True, forbid_unknown_fields=True):
    """URLs to begin with."""

    urls: list[str]
    priority: Literal["high", "normal", "low"] | None = None


class RefusedSeed(Struct, kw_only=True):
    """A seed that was not taken."""

    index: int
    url: str
    rule: str
    reason: str


class Seeded(Struct, kw_only=True):
    """What became of seeds."""

    added: int
    known: int = 0
    refused: list[RefusedSeed] = []


class Added(Struct):
    """How many seeds were new."""

    added: int


class Pending(Struct, kw_only=True):
    """URLs that wait."""

    waiting: int
    leased: int
    hosts: int
    by_priority: dict[str, int]
    queue: list[dict[str, Any]] | None = None  # of one host: its next URLs, as they would be fetched


class Policy(Struct, kw_only=True, forbid_unknown_fields=True):
    """An operator's policy for a host; None: the crawl's configuration decides."""

    max_qps: float | None = None
    crawl_depth: int | None = None
    priority: Literal["high", "normal", "low"] | None = None
    recrawl_interval_hours: float | None = None
    user_agent: str | None = None
    max_connections: int | None = None
    insecure: bool | None = None


class Reasoned(Struct, kw_only=True, forbid_unknown_fields=True):
    """Why an operator decides so."""

    reason: str = ""


class RobotsAnswer(Struct, kw_only=True):
    """A robots.txt as it was read."""

    allow: list[str]
    disallow: list[str]
    crawl_delay: float | None
    agent: str
    sitemaps: list[str]
    fetched_at: float
    expires_at: float
    status: int
    source: str


# --- pages -----------------------------------------------------------------------------------------------------------


class PageRow(Struct, kw_only=True):
    """A page in a list."""

    id: str
    url: str
    host: str
    outcome: str
    rule: str
    reason: str
    status: int
    mime: str
    title: str
    bytes: int
    fetched_at: float
    duplicate_of: str
    language: str = ""
    snippet: str = ""  # where the words were found


class PageVersion(Struct, kw_only=True):
    """A kept capture of a page."""

    number: int  # 1 is the first
    fetched_at: float
    status: int
    digest: str
    bytes: int


class PageDetail(PageRow, kw_only=True):
    """A page with its versions."""

    versions: list[PageVersion]
    facts: dict[str, Any]  # everything the catalog knows
    links: dict[str, str]  # content, links, near, explain


class LinkRow(Struct, kw_only=True):
    """A link of a page, or to it."""

    url: str
    id: str
    kind: str
    nofollow: bool
    state: str
    outcome: str | None


# --- numbers ---------------------------------------------------------------------------------------------------------


class TodayStatus(Struct, kw_only=True):
    """The five numbers of a day (UTC)."""

    pages_crawled_today: int
    frontier_size: int
    active_workers: int
    avg_pages_per_sec: float  # of the last minute
    errors_today: int


class Stats(TodayStatus, kw_only=True):
    """A crawl in numbers; `pulse` has everything else that is counted."""

    state: str
    outcomes: dict[str, int]
    states: dict[str, int]  # URLs by what became of them
    pages: int
    requests: int
    bytes: int
    freshness: float | None
    coverage: dict[str, int]  # hosts that were seen, and those with work
    politeness_violations: int
    disk_free: int
    as_of: float
    pulse: dict[str, Any]


class Throughput(Struct, kw_only=True):
    """Numbers over time, as columns; each value is of the step that ends at its time."""

    time: list[float]
    pages: list[int]
    errors: list[int]
    bytes: list[int]
    waiting: list[int]


class WorkerRow(Struct, kw_only=True):
    """A worker process."""

    id: str
    machine: str
    pid: int
    since: float
    under_way: int
    pages_per_second: float
    rss: int
    last_seen: float
    state: str


class WorkerStats(Struct, kw_only=True):
    """What one worker has done."""

    id: str
    visits: int
    pages: int
    bytes: int
    outcomes: dict[str, int]
    stalls: int
    hosts: int  # at home there


# --- who asks --------------------------------------------------------------------------------------------------------


class Login(Struct, kw_only=True, forbid_unknown_fields=True):
    """A token, to be traded for a session."""

    token: str


class WhoAmI(Struct, kw_only=True):
    """Who asks, and what they may do."""

    name: str
    scope: Scope
    expires: float | None = None
    version: str = ""
    jobs: list[str] = []


class NewToken(Struct, kw_only=True, forbid_unknown_fields=True):
    """A token to be made."""

    name: str
    scope: Scope = "read"
    expires: float | None = None  # seconds from now


class TokenRow(Struct, kw_only=True):
    """A lasting token, without what is secret about it."""

    name: str
    scope: Scope
    created: float
    expires: float | None
    last_used: float | None = None


class MadeToken(TokenRow, kw_only=True):
    """A token that was just made: the only time that it is told."""

    token: str
