"""What the API takes and answers: the types of its OpenAPI description, and of `gossamer.client`.

Fields are only ever added. Times are Unix seconds, sizes bytes, names those of the code. An id is the fingerprint of a URL's
key, 16 hex digits.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

Item = TypeVar("Item")
Scope = Literal["read", "operate", "admin"]
PriorityName = Literal["high", "medium", "low"]


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
    priority: PriorityName | None = None
    name: str = ""
    settings: dict[str, Any] = {}  # by dotted names
    start: bool = True


class Submitted(Struct, kw_only=True):
    """A crawl that was made."""

    job_id: str
    status: str
    refused: list["RefusedSeed"] = []  # seeds that were left out


class Checkpointed(Struct, kw_only=True):
    """A copy of a crawl that was made."""

    checkpoint: str  # where, below the home


class PlannedCrawl(Struct, kw_only=True, forbid_unknown_fields=True):
    """A crawl that may be begun."""

    urls: list[str]
    settings: dict[str, Any] = {}  # by dotted names


class PlannedSeed(Struct, kw_only=True):
    """A seed that was asked for."""

    url: str
    status: int
    outcome: str
    reason: str


class PlannedLink(Struct, kw_only=True):
    """A link, and what would become of it."""

    url: str
    kind: str
    becomes: Literal["queued", "refused"]
    rule: str
    reason: str
    priority: str
    score: float


class CrawlPlan(Struct, kw_only=True):
    """What would become of a crawl's first links."""

    seeds: list[PlannedSeed]
    links: list[PlannedLink]
    refused: list["RefusedSeed"] = []


class SettingRow(Struct, kw_only=True):
    """A setting, for whoever makes a form of it."""

    name: str
    section: str
    type: str
    default: Any
    help: str
    choices: list[str] = []
    may_be_set: bool  # through this server


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

    urls: Annotated[list[str], Meta(min_length=1, max_length=10_000)]
    priority: PriorityName | None = None


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


class WaitingUrl(Struct, kw_only=True):
    """A URL that waits for its turn."""

    id: str
    url: str
    priority: str
    score: float | None
    due: float | None  # when it is visited again; None: as soon as its turn comes
    again: bool  # it was visited before
    attempts: int
    depth: int
    kind: str
    via: str
    discovered_at: float


class PendingUrls(Struct, kw_only=True):
    """URLs that wait."""

    waiting: int
    leased: int
    hosts: int
    by_priority: dict[str, int]
    later: int  # of these, that wait for a date
    as_of: float
    queue: list[WaitingUrl] | None = None  # of one host: its next URLs, as they would be fetched


class Removal(Struct, kw_only=True):
    """What becomes of a URL that is visited just now."""

    id: str
    url: str
    state: str


class Policy(Struct, kw_only=True):
    """An operator's policy for a host; None: the crawl's configuration decides."""

    max_qps: float | None = None
    crawl_depth: int | None = None
    priority: PriorityName | None = None
    recrawl_interval_hours: float | None = None
    user_agent: str | None = None
    max_connections: int | None = None
    insecure: bool | None = None


class PolicyChange(Struct, kw_only=True, forbid_unknown_fields=True):
    """A change of a policy: what is left out stays as it is, null leaves it to the crawl's configuration."""

    max_qps: Annotated[float, Meta(ge=0.000_01, le=1_000)] | UnsetType | None = UNSET
    crawl_depth: Annotated[int, Meta(ge=0, le=1_000)] | UnsetType | None = UNSET
    priority: PriorityName | UnsetType | None = UNSET
    recrawl_interval_hours: Annotated[float, Meta(ge=0.001, le=876_000)] | UnsetType | None = UNSET
    user_agent: Annotated[str, Meta(min_length=1, max_length=500, pattern=r"^[\x20-\x7e]+$")] | UnsetType | None = UNSET
    max_connections: Annotated[int, Meta(ge=1, le=100)] | UnsetType | None = UNSET  # admin
    insecure: bool | UnsetType | None = UNSET  # admin


class HostClockRow(Struct, kw_only=True):
    """What a host's next turn depends on."""

    next_time: float  # no request before this
    robots_delay: float  # Crawl-delay
    slowdown: float
    blocked_until: float
    block_rule: str
    block_reason: str
    block_facts: dict[str, Any]
    failures: int  # in a row
    openings: int  # of the breaker, in a row
    probing: bool
    given_up_until: float
    recent: str  # the last requests, at most 100, newest first: 1 is a failure
    recent_count: int


class DomainRow(Struct, kw_only=True):
    """A host of a crawl."""

    host: str
    state: str  # ready, paused, blocked, open (the breaker), idle
    waiting: int
    leased: int
    delay: float  # seconds between two requests
    max_connections: int
    paused: bool
    blocked: bool
    policy: Policy
    clock: HostClockRow


class LessonRow(Struct, kw_only=True):
    """Something that was learned of a host, and what it does."""

    host: str
    kind: str  # template, parameter, probe, growth, words, view, habit
    name: str
    ruling: str  # an operator's word: allow, block, none; empty: there can be none
    facts: dict[str, Any]  # the evidence, and what follows from it


class RobotsBrief(Struct, kw_only=True):
    """A robots.txt in short."""

    status: int | None
    kind: str
    rules: int
    crawl_delay: float | None
    sitemaps: int
    fetched_at: float | None


class HostDetail(DomainRow, kw_only=True):
    """A host, and what was had from it; the numbers are those of `counted` pages, by key."""

    counted: int
    is_whole: bool  # all pages of the host were counted
    outcomes: dict[str, int]
    pages: int
    bytes: int
    mean_response_seconds: float | None
    last_visit: float | None
    robots: RobotsBrief | None
    lessons: list[LessonRow]
    as_of: float


class Reasoned(Struct, kw_only=True, forbid_unknown_fields=True):
    """Why an operator decides so."""

    reason: Annotated[str, Meta(max_length=2_000)] = ""


class Dropped(Struct):
    """How many URLs were removed."""

    dropped: int


class RulingChange(Struct, kw_only=True, forbid_unknown_fields=True):
    """An operator's word above what was learned."""

    ruling: Literal["allow", "block", "none"]


class RobotsAnswer(Struct, kw_only=True):
    """A robots.txt as it was read."""

    allow: list[str]
    disallow: list[str]
    crawl_delay: float | None
    agent: str  # whose group counts for us
    sitemaps: list[str]
    fetched_at: float | None
    expires_at: float
    status: int | None
    source: str
    origin: str
    origins: list[str]
    kind: str
    detail: str


class ExplainUrls(Struct, kw_only=True, forbid_unknown_fields=True):
    """URLs to be explained."""

    urls: Annotated[list[str], Meta(min_length=1, max_length=100)]


class RuleVerdict(Struct, kw_only=True):
    """What one rule says of a URL."""

    rule: str
    allowed: bool
    reason: str
    facts: dict[str, Any]


class Explanation(Struct, kw_only=True):
    """All there is to know about one URL."""

    id: str
    url: str
    wire: str  # as it is requested
    key: str  # as it is deduplicated
    requested: str
    host: str
    state: str  # waiting, leased, done, dead, removed; unknown: never found, and the rest says what would happen
    not_for_us: bool
    outcome: str | None
    rule: str
    reason: str
    facts: dict[str, Any]
    found: dict[str, Any] | None
    verdicts: list[RuleVerdict]
    robots: dict[str, Any]
    queue: dict[str, Any] | None
    waits_for: str
    host_status: DomainRow | None
    page: dict[str, Any] | None
    duplicate_of: str
    copies: list[str]
    evidence: Any
    help: Any


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


class NearPage(PageRow, kw_only=True):
    """A page whose text is nearly that of another."""

    distance: int  # bits of 64 that differ


class PageVersion(Struct, kw_only=True):
    """A kept capture of a page."""

    number: int  # 1 is the newest
    fetched_at: float
    status: int
    mime: str
    digest: str
    bytes: int


class PageDetail(PageRow, kw_only=True):
    """A page with its versions."""

    versions: list[PageVersion]
    facts: dict[str, Any]  # everything the catalog knows
    links: dict[str, str]  # content, links, near, explain


class LinkRow(Struct, kw_only=True):
    """A link of a page, or to it."""

    url: str  # empty: no URL of that id is known
    id: str
    kind: str
    nofollow: bool
    state: str
    outcome: str | None


# --- what happened ---------------------------------------------------------------------------------------------------


class AuditEvent(Struct, kw_only=True):
    """A line of the chronicle."""

    id: str
    kind: str  # visit, word, begun, ended, gap
    at: float
    host: str
    said: dict[str, Any]


class AuditHead(Struct, kw_only=True):
    """The last block of the chronicle, which stands for all before it."""

    node: str
    block: int
    hash: str
    at: float


class AuditProblem(Struct, kw_only=True):
    """A block that is not as it was written."""

    place: str
    problem: str


class AuditProof(Struct, kw_only=True):
    """Whether the chronicle is as it was written: it is, if there are no problems."""

    blocks: int
    lines: int
    problems: list[AuditProblem]


class HostLink(Struct, kw_only=True):
    """Links from one host to another."""

    source: str
    target: str
    links: int


class HostLinks(Struct, kw_only=True):
    """The links between hosts."""

    hosts: list[str]  # by name
    links: list[HostLink]  # most first
    pages: int  # whose links were counted
    is_whole: bool  # all pages were


# --- settings and lists ----------------------------------------------------------------------------------------------


class JobSettings(Struct, kw_only=True):
    """The settings of a crawl, by dotted names."""

    settings: dict[str, Any]  # that count for the next run
    this_run: dict[str, Any]  # of these, what the run under way was given instead
    changeable: list[str]  # now
    refused: list[str]  # that this server never changes


class SettingChanges(Struct, kw_only=True, forbid_unknown_fields=True):
    """Settings to be changed, by dotted names; null: as if it were not set."""

    settings: dict[str, Any]


class PatternList(Struct, kw_only=True):
    """A list of patterns."""

    kind: Literal["allow", "block"]
    patterns: list[str]
    file: str  # an operator's own list that counts beside it; never written here


class PatternChanges(Struct, kw_only=True, forbid_unknown_fields=True):
    """The patterns that a list shall have."""

    patterns: Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=1_000)]


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
    errors: int
    requests: int
    bytes: int
    freshness: float | None
    coverage: dict[str, int]  # hosts with work
    politeness_violations: int
    disk_free: int
    as_of: float
    pulse: dict[str, Any]


class Throughput(Struct, kw_only=True):
    """Numbers over time, as columns; each value is of the step that ends at its time, `waiting` as it was then."""

    since: float
    until: float
    step: float
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
    state: str  # working, idle, silent


class WorkerStats(Struct, kw_only=True):
    """What one worker has done in its life."""

    id: str
    visits: int
    pages: int
    bytes: int
    outcomes: dict[str, int]
    responses: dict[str, int]  # of the whole crawl: answers by the upper end of their class, in seconds
    stalls: int  # of the whole crawl: times that its loop stood still
    hosts: int  # at home there
    as_of: float


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
