"""Every knob of gossamer, one typed line each with its help, in sections named after what they steer.

Durations are seconds, sizes bytes. A section is frozen: a running crawl's configuration does not change under it. Unknown
keys are refused; `load.py` adds the did-you-mean.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from gossamer.config.choice import remedy
from gossamer.config.headers import header_field

MIB = 1024 * 1024
FOLLOWED = (
    *("seed", "anchor", "area", "frame", "iframe", "link", "canonical", "alternate"),
    *("refresh", "sitemap", "redirect", "feed", "ascent"),
)
KINDS = (*FOLLOWED, "image")  # of links: the words of `records.LinkKind`, which is not for configuration to know


class Section(BaseModel):
    """A group of knobs: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class CrawlSettings(Section):
    """When the crawl ends, and who we say we are."""

    max_pages: int | None = Field(None, ge=1, description="stop after this many pages were kept")
    max_bytes: int | None = Field(None, ge=1, description="stop after this many bytes were received")
    max_seconds: float | None = Field(None, gt=0, description="stop after this long")
    concurrency: int = Field(256, ge=1, description="visits under way at once in a worker process, all hosts together")
    workers: int = Field(1, ge=1, description="processes that fetch and read; 1: the crawl is a single process")
    returns: int = Field(
        10, ge=1, description="times a URL's lease may come back because its worker died or froze before it ends as a bug"
    )
    longest_wait: float = Field(3600, ge=0, description="a finite crawl pauses when nothing is due for longer than this")
    user_agent: str = Field("gossamer/{version} (+{contact})", description="user agent; {version} and {contact} are filled in")
    contact: str = Field("", description="URL or mail address where a webmaster reaches you; part of the user agent")
    forever: bool = Field(False, description="visit pages again when they are due, and never end by itself")
    lease: float = Field(300, gt=0, description="how long a worker owns a URL")
    drain: float = Field(
        10, ge=0, description="how long visits under way have to end when the crawl stops; then they wait again"
    )
    order: Literal["priority", "breadth-first", "depth-first", "opic"] = Field(
        "priority", description="which URL of a host is next; opic is chosen when a crawl begins and stays"
    )
    path_ascending: bool = Field(False, description="also look at /a/b/, /a/ and / when /a/b/c.html is found")
    free_disk: int = Field(256 * MIB, ge=0, description="pause while the disk has less free space than this")
    stall: float = Field(
        0.2, ge=0, description="name in the log what holds the event loop up for longer than this; 0: do not watch"
    )


class ScopeSettings(Section):
    """Which URLs belong to the crawl. Each verdict names its rule."""

    within: Literal["host", "domain", "prefix", "any"] = Field(
        "host", description="keep to the seeds' hosts (and their ports), domains or path prefixes"
    )
    schemes: tuple[str, ...] = Field(("http", "https"), description="schemes to follow; a seed's own scheme is added")
    max_depth: int = Field(15, ge=0, description="hops a URL may be from a seed")
    off_site_hops: int = Field(0, ge=0, description="hops beyond the seeds' sites that are still followed")
    check_external: bool = Field(
        False, description="ask once for each link that leads out of the crawl, to tell dead ones; it is not followed"
    )
    allow_hosts: tuple[str, ...] = Field(
        (), description="further hosts in scope, or host:port; `*.example.org` takes in every subdomain"
    )
    block_hosts: tuple[str, ...] = Field(
        (), description="hosts never visited, or host:port; `*.example.org` takes in every subdomain"
    )
    allow_prefixes: tuple[str, ...] = Field((), description="when given, only URLs that begin with one of these")
    block_prefixes: tuple[str, ...] = Field((), description="URLs that begin with one of these are refused")
    allow: tuple[str, ...] = Field(
        (), description="when given, only seeds and URLs in which one of these regular expressions (RE2) is found"
    )
    block: tuple[str, ...] = Field((), description="URLs in which one of these regular expressions (RE2) is found are refused")
    block_extensions: tuple[str, ...] = Field((), description="file name extensions that are refused, such as zip")
    allow_file: str = Field("", description="file of allowed patterns, one a line; read again when it changes")
    block_file: str = Field("", description="file of blocked patterns, one a line; read again when it changes")

    @model_validator(mode="after")
    def _leaves_in_one_way(self) -> "ScopeSettings":
        if self.check_external and self.off_site_hops:
            raise ValueError("check_external asks for links that lead out, off_site_hops follows them: choose one of the two")
        return self


class Key(Section):
    """How two URLs are told to be the same. Touches the key only, never what is requested."""

    sort_query: bool = Field(True, description="order of query parameters does not matter")
    drop_tracking: bool = Field(True, description="drop utm_*, fbclid, gclid and the like")
    drop_session: bool = Field(True, description="drop PHPSESSID, jsessionid, sid and the like")
    drop_trailing_slash: bool = Field(True, description="/a/ is /a")
    normalize_percent: bool = Field(True, description="decode needless percent-encoding, upper-case the rest")
    drop_empty_query: bool = Field(True, description="/a? is /a")
    drop_default_port: bool = Field(True, description="http://a:80/ is http://a/; off: the port is always written")
    drop_fragment: bool = Field(True, description="/a#b is /a; a link in a page loses its fragment either way")


class Politeness(Section):
    """How often a host is asked. Enforced by the frontier, for all workers together."""

    delay: float = Field(1.0, ge=0, description="seconds between two requests to a host, start to start")
    connections: int = Field(1, ge=1, description="requests to a host at once")
    slow_answer: float = Field(5.0, gt=0, description="answers slower than this double the delay")
    quick_answer: float = Field(0.5, gt=0, description="answers quicker than this bring the delay back toward its floor")
    max_slowdown: float = Field(60.0, ge=1, description="the delay grows at most by this factor")
    max_robots_delay: float = Field(300, ge=0, description="a longer Crawl-delay is taken as this")
    throttle_wait: float = Field(30.0, ge=0, description="wait after 429 or 503 without Retry-After, in delays of the host")


class Breaker(Section):
    """When a failing host is left alone."""

    failures: int = Field(5, ge=1, description="failures in a row that open the breaker")
    open_for: float = Field(300, ge=0, description="how long the host is left alone then, before one probe")
    openings: int = Field(3, ge=1, description="times in a row the breaker opens before the host's URLs end as breaker_open")
    give_up_for: float = Field(86400, ge=0, description="for how long a host that was given up gets no request")
    error_share: float = Field(0.5, gt=0, le=1, description="share of failed requests, of the last 100, that pauses the host")
    pause: float = Field(3600, ge=0, description="how long a host with that share of failures is paused")


class Retry(Section):
    """When a URL is tried again after a fetch that failed for now."""

    times: int = Field(3, ge=0, description="times a URL is tried again")
    wait: float = Field(5.0, ge=0, description="first wait, in delays of the host (at least a tenth of a second each)")
    growth: float = Field(3.0, ge=1, description="each wait is this many times the one before")


class RobotsTxt(Section):
    """robots.txt, by RFC 9309."""

    obey: bool = Field(True, description="obey robots.txt; turn it off only on sites of your own")
    ttl: float = Field(86400, gt=0, description="how long a robots.txt is good for")
    max_bytes: int = Field(500 * 1024, ge=1024, description="bytes of a robots.txt that are read")
    max_redirects: int = Field(5, ge=0, description="redirects of a robots.txt that are followed")
    times: int = Field(
        3, ge=1, description="times an unreachable robots.txt is asked for before the host's URLs end without a request"
    )
    wait: float = Field(
        10.0, ge=0, description="first wait before it is asked for again, in delays of the host; grows like a retry's"
    )
    meta: bool = Field(True, description="obey meta robots, X-Robots-Tag and rel=nofollow")


class Fetch(Section):
    """Limits of one request."""

    connect_timeout: float = Field(10, gt=0, description="seconds to connect, TLS included")
    total_timeout: float = Field(30, gt=0, description="seconds for the whole answer")
    max_body: int = Field(10 * MIB, ge=1024, description="bytes of a page's body; what is beyond is cut off, marked and told")
    file_timeout: float = Field(
        240, gt=0, description="seconds for an answer of a type that nobody reads, such as a film; less than crawl.lease"
    )
    max_file: int = Field(100 * MIB, ge=1024, description="bytes of such a body; never less than those of a page's")
    max_headers: int = Field(64 * 1024, ge=1024, description="bytes of all headers together")
    max_redirects: int = Field(10, ge=0, description="redirects followed in a row")
    max_decoded: int = Field(20 * MIB, ge=1024, description="bytes of a body after decompression; more ends as too_big")
    min_rate: int = Field(100, ge=0, description="bytes per second, over ten seconds; slower answers are cut off")
    spool: int = Field(256 * 1024, ge=1024, description="bytes of a body kept in memory; longer ones go to a file")
    allow_private: tuple[str, ...] = Field(
        (), description="address ranges allowed although they are not public, such as 127.0.0.0/8"
    )
    insecure: bool = Field(False, description="accept any TLS certificate")
    ca_file: str = Field("", description="file of trusted certificates (PEM); none: the system's")
    connections: int = Field(512, ge=1, description="open connections kept, all hosts together")

    @field_validator("allow_private")
    @classmethod
    def _ranges(cls, ranges: tuple[str, ...]) -> tuple[str, ...]:
        from ipaddress import ip_network

        for text in ranges:
            try:
                ip_network(text, strict=False)
            except ValueError:
                raise ValueError(f"{text!r} is no address range; write one like 10.0.0.0/8") from None
        return ranges


class Dns(Section):
    """Names to addresses."""

    servers: tuple[str, ...] = Field((), description="name servers as address or address:port; none: the system's")
    overrides: tuple[str, ...] = Field((), description="host:address, or *.domain:address; asked before any server")
    timeout: float = Field(5, gt=0, description="seconds to wait for a server")
    min_ttl: float = Field(60, ge=0, description="an answer of a name server is good for at least this long")
    max_ttl: float = Field(86400, ge=0, description="an answer of a name server is good for at most this long")
    negative_ttl: float = Field(300, ge=0, description="how long a failure is remembered")
    cache: int = Field(100_000, ge=1, description="names remembered")


class Documents(Section):
    """How documents are read, and how much of them."""

    max_links: int = Field(10_000, ge=1, description="links known of a page; a cut beyond it is told")
    top_links: int = Field(
        500, ge=0, description="links at the top of a page that keep their class; those beyond wait in the lowest"
    )
    deadline: float = Field(5, gt=0, description="seconds to read a document; one that takes longer is only scanned for links")
    follow: tuple[str, ...] = Field(FOLLOWED, description="kinds of links that are followed")
    sitemaps: bool = Field(True, description="use the Sitemap lines of robots.txt")
    scripts: tuple[str, ...] = Field((), description="Python files whose readers find items on pages")
    processors: tuple[str, ...] = Field((), description="MIME types that a plugin reads although a processor of ours does")

    @field_validator("follow")
    @classmethod
    def _kinds(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        for kind in kinds:
            if kind not in KINDS:
                raise ValueError(f"there is no kind of link {kind!r}; {remedy(kind, KINDS)}")
        return kinds


class Dedupe(Section):
    """When two pages are the same."""

    near: Literal["keep", "skip", "off"] = Field(
        "keep", description="pages with nearly the text of another: keep them, do not archive them, or do not compare"
    )
    distance: int = Field(3, ge=0, le=3, description="bits by which the SimHashes of near duplicates differ at most")
    fewest_words: int = Field(50, ge=3, description="shorter texts are not compared")
    canonical: bool = Field(True, description="of two alike the canonical one counts, also when it comes later; or the first")


class Traps(Section):
    """Limits that no honest URL reaches, and what is learned about those that have none."""

    max_segments: int = Field(15, ge=1, description="path segments a URL may have")
    max_length: int = Field(2048, ge=64, description="characters a URL may have")
    max_repeats: int = Field(3, ge=1, description="times the same path segment may occur")
    learn: bool = Field(True, description="learn from what a host answers: templates, cosmetic parameters, soft 404s, growth")
    template_evidence: int = Field(10, ge=2, description="weight of fetches without new content that throttles a URL template")
    sample: int = Field(1024, ge=2, description="of a throttled template one URL in so many is fetched at the least")
    parameter_evidence: int = Field(5, ge=2, description="pairs of URLs with the same content that make a parameter cosmetic")
    soft_404: bool = Field(True, description="ask a host once for a page that cannot exist, and tell others like it")
    probe_after: int = Field(5, ge=0, description="pages of a host that are fetched before it is asked for that")
    view_evidence: int = Field(
        8, ge=0, description="pages beside which a word of a host's URLs must stand to wait behind content; 0: none does"
    )
    growth_urls: int = Field(10_000, ge=1, description="new URLs an hour of a host, or a folder of it, that slow the host")
    growth_ratio: float = Field(100, gt=1, description="times as many URLs a page as hosts of its size have that slow a host")


class Score(Section):
    """The score of a URL in `priority` order: weighted parts of 0 to 1 each; 1 in all makes up for 30 days of waiting."""

    importance: float = Field(
        0.7, ge=0, le=1000, description="weight of how much links speak for a URL, or how near it is to a seed"
    )
    freshness: float = Field(1.0, ge=0, le=1000, description="weight of how much a page that is due again has to be fetched")
    discovery: float = Field(
        0.3, ge=0, le=1000, description="weight of how a URL was found: seed, sitemap, feed, by many hosts"
    )
    rank_after: int = Field(
        500,
        ge=0,
        description="pages read before what waits is ranked by links; again when a quarter more were; 0: never",
    )
    rank_memory: int = Field(256 * MIB, ge=MIB, description="bytes of memory for ranking; links beyond them are not ranked")

    @field_validator("discovery")
    @classmethod
    def _some(cls, discovery: float, others: ValidationInfo) -> float:
        if not any((discovery, others.data.get("importance"), others.data.get("freshness"))):
            raise ValueError("one of score.importance, score.freshness and score.discovery must be more than 0")
        return discovery


class Recrawl(Section):
    """When a page is fetched again, and what is kept of what it was."""

    policy: Literal["fixed", "adaptive", "optimal"] = Field(
        "optimal", description="the same interval always; halved and doubled; or what makes the best use of the budget"
    )
    interval: float = Field(28 * 86400, gt=0, description="seconds between two fetches of a page: fixed, and to begin with")
    shortest: float = Field(15 * 60, gt=0, description="no page is fetched more often than once in so many seconds")
    longest: float = Field(
        30 * 86400, gt=0, description="no page whose pace is learned is fetched more seldom than once in so many seconds"
    )
    budget: float | None = Field(None, gt=0, description="fetches a day; none: as many as fetch every page once an interval")
    versions: int = Field(3, ge=1, description="versions of a page that are kept when pruned")
    keep: Literal["changes", "bytes"] = Field(
        "changes", description="what is a new version: a change that is not one of most pages of the host; any other bytes"
    )

    @field_validator("longest")
    @classmethod
    def _in_order(cls, longest: float, others: ValidationInfo) -> float:
        shortest = others.data.get("shortest", longest)
        if shortest > longest:
            raise ValueError(f"it must be at least recrawl.shortest, which is {shortest!r}")
        return longest


class FrontierSettings(Section):
    """The frontier's store and bounds."""

    uri: str = Field("rocksdb:frontier", description="where the frontier lives; a path is below the crawl's directory")
    max_waiting: int = Field(100_000, ge=1, description="URLs of a host that may wait")
    shares: tuple[int, int, int] = Field((80, 15, 5), description="shares of high, medium and low when all are ready")
    kinds: tuple[int, int] = Field((30, 70), description="shares of URLs never crawled and URLs due again when both are ready")
    patience: float = Field(86400, gt=0, description="a host that is ready for so long is next, whatever its URLs are worth")
    recent_keys: int = Field(100_000, ge=0, description="keys remembered in memory before the Bloom filter is asked")
    cache: int = Field(64 * MIB, ge=MIB, description="bytes of the store's block cache")


class Storage(Section):
    """Where things are kept; a path is below the crawl's directory."""

    archive: str = Field("dir:warc", description="where WARC files go")
    catalog: str = Field("sqlite:catalog.db", description="where the catalog of pages is")
    kv: str = Field("rocksdb:state", description="where robots.txt, digests and the like are")
    graph: str = Field("edges:graph", description="where the graph of links is; nothing: none is kept")
    chronicle: str = Field("jsonl:chronicle", description="where the chronicle is: a line for each visit, in a chain")
    durability: Literal["durable", "fast"] = Field(
        "durable", description="durable: what is done outlives a power loss; fast: all but the last second"
    )
    segment_bytes: int = Field(1024 * MIB, ge=1024, description="a WARC file is closed when it is this long")
    segment_seconds: float = Field(3600, gt=0, description="a WARC file is closed when it is this old")
    compression: int = Field(1, ge=0, le=3, description="effort of compression, 0 to 3")


class ChronicleSettings(Section):
    """The record of what a crawl did, for `gossamer log`, for consumers of its events and for an audit."""

    level: Literal["visits", "off"] = Field("visits", description="visits: each one is told; off: there is no chronicle")
    keep: float | None = Field(
        None, ge=0, description="seconds after which segments are removed that every reader has had; none: they are kept"
    )


class EventSettings(Section):
    """Who is told what happens, and how."""

    to: tuple[str, ...] = Field(
        (), description="URIs of sinks that are told every event, such as redis://localhost/?stream=NAME"
    )
    batch: int = Field(200, ge=1, le=10_000, description="events that a sink is told at once")
    linger: float = Field(
        1.0, gt=0, description="seconds until a sink is told what came meanwhile, though it is no whole batch"
    )
    drain: float = Field(
        10, ge=0, description="seconds that sinks have for the last events when a run ends; relay tells the rest"
    )


class ServeSettings(Section):
    """The server beside the crawls: for whom it answers, and how much."""

    hosts: tuple[str, ...] = Field((), description="names that the server answers to beside its address and those of loopback")
    origins: tuple[str, ...] = Field(
        (), description="origins whose pages may ask the server with a token, such as https://tools.example.org"
    )
    jobs: int = Field(4, ge=1, description="crawls that the server lets run at once; the others are queued")
    rate: float = Field(50, gt=0, description="requests a second with one token")
    burst: int = Field(100, ge=1, description="requests with one token that may come at once")
    stranger_rate: float = Field(5, gt=0, description="requests a second without a token from one address")
    streams: int = Field(20, ge=1, description="live streams at once")
    connections: int = Field(200, ge=1, description="connections at once")
    head_timeout: float = Field(10, gt=0, description="seconds that the head of a request has to arrive")
    body_timeout: float = Field(30, gt=0, description="seconds that the body of a request has to arrive")

    @field_validator("hosts")
    @classmethod
    def _are_names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not host or "*" in host or "/" in host:
                raise ValueError(f"{host!r} is no host name; write each name that a request may bring as its Host")
        return tuple(host.lower() for host in hosts)

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            scheme, between, rest = origin.partition("://")
            if scheme not in ("http", "https") or not between or not rest or set("/*") & set(rest):
                raise ValueError(f"{origin!r} is no origin; write scheme, host and port, such as https://tools.example.org")
        return origins


class RequestRule(Section):
    """How requests to some hosts are sent. Secrets stand in files or in the environment, never here."""

    hosts: tuple[str, ...] = Field(
        description="whose requests: example.org, *.example.org or *, also with a port, or a scheme such as http://; "
        "what is secret goes over https to its usual port, unless the pattern names another scheme or port"
    )
    headers: tuple[str, ...] = Field((), description="header fields, such as `Accept-Language: de`; no secrets")
    headers_file: str = Field("", description="file of header fields that are secret, one a line")
    user: str = Field("", description="user name, for basic authentication")
    password_file: str = Field("", description="file with the password")
    password_env: str = Field("", description="environment variable with the password")
    token_file: str = Field("", description="file with a token, for bearer authentication")
    token_env: str = Field("", description="environment variable with the token")
    cookies: bool = Field(False, description="keep the cookies of these hosts with the crawl, and bring them back")
    cookies_file: str = Field("", description="file of cookies to begin with, as browsers and curl export it (cookies.txt)")
    certificate: str = Field("", description="file with a client certificate (PEM), with its key or without")
    key: str = Field("", description="file with the key of the certificate (PEM), if that is another")
    proxy: str = Field("", description="http://, socks5:// or socks5h:// with [USER@]HOST:PORT; none: no proxy for these hosts")
    proxy_password_file: str = Field("", description="file with the password for the proxy")
    proxy_password_env: str = Field("", description="environment variable with the password for the proxy")
    proxy_resolves: bool = Field(
        False, description="the proxy finds the addresses of names, so private ones are not refused; socks5h:// says so, too"
    )

    @field_validator("hosts")
    @classmethod
    def _some_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        if not hosts:
            raise ValueError("it names no host; write one, such as example.org or *.example.org")
        return hosts

    @field_validator("headers")
    @classmethod
    def _fields(cls, headers: tuple[str, ...]) -> tuple[str, ...]:
        for line in headers:
            if header_field(line)[0].lower() == "authorization":
                raise ValueError("Authorization is a secret; write user or token_file, or put it into headers_file")
        return headers

    @model_validator(mode="after")
    def _go_together(self) -> "RequestRule":
        logins = [name for name in ("user", "token_file", "token_env") if getattr(self, name)]
        if len(logins) > 1:
            raise ValueError(f"{' and '.join(logins)} do not go together; keep one of them")
        for one, other in (("password_file", "password_env"), ("proxy_password_file", "proxy_password_env")):
            if getattr(self, one) and getattr(self, other):
                raise ValueError(f"{one} and {other} do not go together; keep one of them")
        if self.user and not (self.password_file or self.password_env):
            raise ValueError("user has no password; add password_file or password_env")
        if (self.password_file or self.password_env) and not self.user:
            raise ValueError("there is a password and no user; add user")
        if ":" in self.user or not self.user.isprintable():
            raise ValueError(f"user {self.user!r} has a character that no user name may have here")
        if self.key and not self.certificate:
            raise ValueError("there is a key and no certificate; add certificate")
        return self


class Settings(Section):
    """All of it."""

    crawl: CrawlSettings = CrawlSettings()
    scope: ScopeSettings = ScopeSettings()
    key: Key = Key()
    politeness: Politeness = Politeness()
    breaker: Breaker = Breaker()
    retry: Retry = Retry()
    robots: RobotsTxt = RobotsTxt()
    fetch: Fetch = Fetch()
    dns: Dns = Dns()
    documents: Documents = Documents()
    dedupe: Dedupe = Dedupe()
    traps: Traps = Traps()
    score: Score = Score()
    recrawl: Recrawl = Recrawl()
    frontier: FrontierSettings = FrontierSettings()
    storage: Storage = Storage()
    chronicle: ChronicleSettings = ChronicleSettings()
    events: EventSettings = EventSettings()
    serve: ServeSettings = ServeSettings()
    requests: tuple[RequestRule, ...] = ()

    @model_validator(mode="after")
    def _ends_within_its_lease(self) -> "Settings":
        if self.fetch.file_timeout >= self.crawl.lease:
            raise ValueError(
                f"fetch.file_timeout is {self.fetch.file_timeout:g} and crawl.lease is {self.crawl.lease:g}; "
                "an answer must end within its lease: give it less time, or the lease more"
            )
        return self
