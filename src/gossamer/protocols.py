"""The joints: where a part can be swapped, on one page.

Each joint has a checker in `gossamer.testing` that any implementation must pass, ours and a plugin's alike. What the web does
comes back as an `Outcome` inside a record; only what `gossamer.errors` names is raised. `assemble` opens every hand, `aclose`
closes it. A worker in a process of its own reaches half joints (`Leasing`, `Advice`, `Claims`, `Teaching`) over a socket.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from gossamer.consultation import Consultation, Learned
from gossamer.evidence import Ruling
from gossamer.likeness import Likeness
from gossamer.records import (
    Discovered,
    Document,
    Entry,
    Extract,
    Fetched,
    HostPolicy,
    HostStatus,
    Known,
    Lease,
    Leases,
    Original,
    Page,
    Place,
    Priority,
    Request,
    Settlement,
    State,
    Totals,
    Verdict,
)
from gossamer.standing import FrontierStatistics, Outlook
from gossamer.url.parse import Url
from gossamer.versions import Version
from gossamer.visit import Earlier, Exchange, Lesson, Studied, Visit


@runtime_checkable
class Leasing(Protocol):
    """The worker's half of the frontier: what a visit needs of it. Time is always an argument."""

    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        """Queue the new ones; known ones keep their place."""

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        """Give up to `limit` due URLs of ready hosts; the hosts' clocks move with it."""

    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        """Give a bare turn at a host, without a URL (a robots.txt that another host redirects to); None: not now."""

    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        """End leases; return how many were still the caller's. The others change nothing."""

    async def block(self, host: str, until: float, reason: str) -> None:
        """Give no lease of that host before `until`; only ever later, never sooner. An `until` of 0 lifts the block."""

    async def pace(self, host: str, seconds: float) -> None:
        """Keep at least that long between two requests (Crawl-delay)."""


@runtime_checkable
class Frontier(Leasing, Protocol):
    """The brain: every known URL in exactly one state, and every host's next turn. Time is always an argument."""

    async def lease(self, worker: str | Callable[[str, int, float], str], limit: int, now: float) -> Leases:
        """Give leases to a worker, or each to whom `worker` names for a host with so many connections at once."""

    async def abandon(self, worker: str, now: float) -> int:
        """Take back every lease of a worker that is gone, as if it had run out; return how many."""

    async def revisit(self, dates: Sequence[tuple[str, float]], now: float) -> int:
        """Let finished URLs, by key, be due again at a date; one that is due later comes sooner. Return how many changed."""

    async def promote(self, worth: Sequence[tuple[int, float, Priority]]) -> int:
        """Raise score and class of URLs, by fingerprint, that wait and were never fetched; none falls. Return how many rise."""

    async def set_policy(self, host: str, policy: HostPolicy) -> None:
        """Replace the operator's policy of a host; a paused or blocked one gives no lease."""

    async def remove(self, key: str) -> bool:
        """Take a URL out for good: removed, never queued again. False: not known."""

    async def drop(self, host: str) -> int:
        """Remove every waiting URL of a host; return how many."""

    async def lookup(self, key: str) -> Known | None:
        """Return all that is known of a URL."""

    async def host(self, host: str) -> HostStatus | None:
        """Return one host, None when nothing was ever queued for it or decided about it."""

    def hosts(self) -> Iterator[HostStatus]:
        """Walk over every host with a record."""

    async def names(self, fingerprints: Sequence[int]) -> list[str]:
        """Return the URLs, as they are requested, whose keys have these fingerprints; an empty text where no known URL has."""

    def known(self, state: State | None = None) -> Iterator[Known]:
        """Walk over every known URL, or those in one state."""

    def statistics(self) -> FrontierStatistics: ...
    def outlook(self, most: int) -> Outlook: ...  # who will be last only if no more than `most` hosts have work

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy of the state into a new directory."""

    async def aclose(self) -> None: ...


@runtime_checkable
class KeyValue(Protocol):
    """An ordered key-value store under robots, DNS and dedupe. Keys and values are bytes."""

    async def get(self, key: bytes) -> bytes | None: ...

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of some keys, in their order, as they were at one moment."""

    async def put(self, key: bytes, value: bytes) -> None:
        """Store; returned means that a kill -9 keeps it."""

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Store all of them in one atomic step."""

    async def delete(self, key: bytes) -> None: ...

    def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Walk over the pairs whose key has the prefix, in the order of the keys."""

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy into a new directory."""

    async def aclose(self) -> None: ...


class Addresses(Struct, frozen=True):
    """The answer of a resolver: addresses, or why there are none."""

    addresses: tuple[str, ...] = ()
    error: str = ""
    final: bool = False  # the name does not exist: asking again is no use


@runtime_checkable
class Resolver(Protocol):
    """Names to addresses."""

    async def resolve(self, host: str, now: float) -> Addresses:
        """Return the addresses of a host, or none and why. IP literals resolve to themselves."""

    async def aclose(self) -> None: ...


@runtime_checkable
class Fetcher(Protocol):
    """One protocol: a request out, exact bytes back. Follows no redirect, and awaits the request's `turn` before it leaves."""

    async def fetch(self, request: Request) -> Fetched: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Advice(Protocol):
    """The worker's half of robots.txt: may a URL be fetched, and what did a robots.txt say."""

    async def consult(self, url: str, agent: str, now: float) -> Consultation:
        """Say whether `agent` may fetch a URL; "ask" makes the caller the one who fetches robots.txt, others "wait"."""

    async def learn(self, url: str, fetched: Fetched, agent: str, delay: float, now: float) -> Learned:
        """Take the answer to what `consult` of that URL asked for; waits are counted in delays. It is durable after `keep`."""

    def release(self, url: str) -> None:
        """Give back an "ask" that could not be sent now; the next `consult` may ask."""


@runtime_checkable
class Robots(Advice, Protocol):
    """robots.txt of every origin, cached and durable. Sends nothing itself: the caller spends a turn on what it asks for."""

    async def keep(self, urls: Sequence[str]) -> None:
        """Make durable what was learned for these URLs; what came of it (delay, sitemaps, blocks) is durable already."""

    def forget(self, url: str) -> None:
        """Drop what was learned for a URL and not kept: what came of it is lost, so it has to be asked for again."""

    async def reopen(self, urls: Sequence[str]) -> None:
        """Forget that a robots.txt of these URLs was out of reach, so that it is asked for again; rules that were read stay."""

    async def peek(self, url: str, agent: str, now: float) -> Consultation:
        """Like `consult`, but makes nobody ask: for explaining."""


@runtime_checkable
class Processor(Protocol):
    """One family of MIME types: a document in, links and facts out. Pure: no network, no store."""

    def process(self, document: Document) -> Extract: ...

    def text(self, document: Document) -> str:
        """Return the plain text of a document, for search and for people."""


@runtime_checkable
class Claims(Protocol):
    """The worker's half of sameness: who has some content, or nearly its text, and counts."""

    async def claim(self, page: Original, digest: str, likeness: Likeness | None) -> Earlier:
        """Claim content for a page, if a digest is given, and a text, if one is and the content is its own; say who counts."""

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content."""

    def release(self, page: Original, digest: str, likeness: Likeness | None) -> None:
        """Give back what was claimed for a page that was not kept."""


@runtime_checkable
class Deduper(Protocol):
    """Exact sameness of content, by payload digest. Of pages with the same the canonical one counts, then the first."""

    async def claim(self, digest: str, page: Original) -> Original | None:
        """Claim the content for a page; return the page that has it and counts, None when this one does."""

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content, None when nobody has it."""

    def release(self, digest: str, page: Original) -> None:
        """Give back a claim whose page was not kept."""

    async def exchanges(self, claims: Sequence[tuple[str, Original]]) -> list[Exchange]:
        """Say who of those that are to be committed takes another's place, or has lost its own: the latter commits no claim."""

    async def commit(self, claims: Sequence[tuple[str, Original]]) -> None:
        """Make claims durable."""

    async def forget(self, captures: Sequence[tuple[str, str, float]]) -> None:
        """Drop claims whose capture is no longer kept: digest, key and date of each. A claim made later stays."""


@runtime_checkable
class NearDuplicates(Protocol):
    """Near sameness of text, by SimHash. The canonical one of a kind counts, then the first."""

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        """Return the page with nearly this text that counts, and the bits it differs by; None: this one does."""

    def release(self, likeness: Likeness, page: Original) -> None:
        """Give back a claim whose page was not kept."""

    async def exchanges(self, claims: Sequence[tuple[Likeness, Original]]) -> list[Exchange]:
        """Say who of those that are to be committed takes another's place, or has lost its own: that is a near duplicate."""

    async def commit(
        self, claims: Sequence[tuple[Likeness, Original]], members: Sequence[tuple[Original, Original, int]] = ()
    ) -> None:
        """Make durable, in one step, claims and near duplicates: whose they are, they and what was near to them, the bits."""

    async def cluster(self, simhash: int) -> list[tuple[Original, int]]:
        """Return every page that has nearly this SimHash, with its distance, nearest first."""


@runtime_checkable
class Teaching(Protocol):
    """The worker's half of what was learned about hosts."""

    async def consult(self, leases: Sequence[Lease]) -> Sequence[Lesson]:
        """Say what was learned about each of some leased URLs."""


@runtime_checkable
class Lessons(Teaching, Protocol):
    """What a crawl learned about hosts from their answers: durable, shown with its evidence, reversible."""

    async def study(self, visits: Sequence[Visit], now: float) -> Studied:
        """Learn from finished visits, and judge the links they found."""

    async def keep(self, studied: Studied) -> None:
        """Make durable what visits taught."""

    async def keys(self, key: str, url: str) -> list[str]:
        """Return every key that a URL may have been given, its own first."""

    async def evidence(self, url: Url) -> dict[str, Any]:
        """Return all that was learned and bears on a URL."""

    async def verdicts(self, url: Url, key: str, via: str = "") -> list[Verdict]:
        """Return what each rule in force says of a URL found on the page `via`, whether it is refused by it or not."""

    async def everything(self, host: str = "") -> list[tuple[str, str, str, Any]]:
        """List what was learned of one host or all: host, kind, name, record."""

    async def rule(self, host: str, kind: str, name: str, ruling: Ruling) -> bool:
        """Put an operator's word above the evidence; False: there is nothing of that name."""

    async def summary(self) -> dict[str, int]:
        """Return how much of it is in force."""


class Commits(Protocol):
    """The one way in which finished visits become durable, when their bytes are."""

    async def commit(self, visits: Sequence[Visit]) -> bool:
        """Write digests, catalog, frontier, robots.txt, in this order; safe to repeat. False: some leases were lost."""


@runtime_checkable
class Archive(Protocol):
    """Exact bytes, for good."""

    async def append(self, fetched: Fetched, digest: str, original: Original | None) -> Place:
        """Write request and response (or a revisit of `original`, a 304 with its digest or none); return the latter's place."""

    async def flush(self) -> None:
        """Returned means: a kill -9 keeps every record appended so far."""

    async def read(self, place: Place) -> Fetched:
        """Read a response back, as it was fetched; the body is the caller's to close."""

    async def aclose(self) -> None: ...


@runtime_checkable
class Catalog(Protocol):
    """Rows about pages, to list and search. The key of a page is a URL of its host."""

    async def add(self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = ()) -> None:
        """Insert or replace, by key, in one transaction; copies of one that no longer counts, if not exact, are its heir's."""

    async def get(self, key: str) -> Page | None: ...

    def pages(
        self,
        *,
        words: str = "",
        host: str = "",
        status: int | None = None,
        outcome: str = "",
        mime: str = "",
        since: float | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> Iterator[Page]:
        """Walk over pages that match everything given, newest first (best match first when words are given)."""

    def copies(self, url: str, limit: int) -> list[str]:
        """Return the URLs of pages that are copies of this one, exact ones and near ones."""

    def counts(self) -> dict[str, int]:
        """Return pages by outcome."""

    def totals(self) -> Totals:
        """Return how many pages were kept, the bytes of all bodies, and how many bodies and links were cut."""

    def versions(self, key: str) -> list[Version]:
        """Return every kept capture of a page, newest first."""

    def excess(self, keep: int) -> Iterator[Version]:
        """Walk over captures beyond the newest `keep` of each page (answers without content count apart); never its place."""

    def uses(self, file: str) -> bool:
        """Tell whether any capture is in a file of the archive."""

    async def move(self, file: str, target: str, offsets: Mapping[int, int]) -> None:
        """Let what was in one file be in another, by old and new offsets, and forget captures that are not; durable at once."""

    def unindexed(self, limit: int) -> list[Page]:
        """Return kept pages whose text, as it is now, is not indexed."""

    def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        """Index the text of pages; a page that has changed meanwhile stays unindexed."""

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy, to be opened like the original."""

    async def aclose(self) -> None: ...


@runtime_checkable
class LinkGraph(Protocol):
    """Which page links to which. Pages are fingerprints of their keys, edges are packed (`edges.py`)."""

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Replace all edges of pages, of hosts by fingerprint; a kill -9 keeps them then. Of a page the last count."""

    def pages(self) -> Iterator[tuple[int, bytes]]:
        """Walk over every page with its latest edges."""

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy into a new directory."""

    async def aclose(self) -> None: ...
