"""Settlement: how a visit ends, and making the end durable in the right order.

Order of durability: archive bytes flushed, content digest and catalog row, then the frontier's settlement with the discovered
links in one atomic write. A crash between two steps repeats the visit; it never loses one. Visits that end while a commit is
under way share the next one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from msgspec import Struct

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.errors import DiskFull
from gossamer.policy import retry
from gossamer.protocols import Archive, Catalog, Deduper, Frontier
from gossamer.records import (
    Answer,
    Directives,
    Entry,
    Extract,
    Fate,
    Fetched,
    Lease,
    Original,
    Outcome,
    Page,
    Place,
    Settlement,
    Visit,
)
from gossamer.worker.admit import Admission
from gossamer.worker.checkpoint import Stillness
from gossamer.worker.events import Events, Paused, Resumed, VisitEnded

T = TypeVar("T")
DISK_WAIT = 5.0

# What says that the host, not the page, is in trouble.
FAILURES = frozenset(
    {
        Outcome.SERVER_ERROR,
        Outcome.TIMED_OUT,
        Outcome.CONNECT_FAILED,
        Outcome.DNS_FAILED,
        Outcome.TLS_FAILED,
        Outcome.PROTOCOL_ERROR,
    }
)
NEUTRAL = frozenset({Outcome.THROTTLED, Outcome.ADDRESS_REFUSED, Outcome.UNSUPPORTED})
FINISHED = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NOT_MODIFIED, Outcome.REDIRECTED})


class Kept(Struct, frozen=True, kw_only=True):
    """What one fetch brought, after keeping and reading it."""

    fetched: Fetched
    outcome: Outcome
    mime: str = ""
    digest: str = ""
    original: Original | None = None
    claim: tuple[str, Original] | None = None
    place: Place | None = None
    extract: Extract = Extract()
    directives: Directives = Directives()
    entries: tuple[Entry, ...] = ()


def outcome_of(fetched: Fetched) -> Outcome:
    """Return what a fetch came to: the status decides when there is an answer."""
    if fetched.outcome is not Outcome.OK:
        return fetched.outcome
    return retry.outcome_of(fetched.status, bool(fetched.header("retry-after")))


def conclude(lease: Lease, kept: Kept, settings: Settings, now: float) -> Visit:
    """Decide how a visit ends: done, again, or dead; and what the host's behaviour means for its clock."""
    fetched = kept.fetched
    answer = _answer(lease, kept, settings, now)
    due = retry.next_try(kept.outcome, lease.attempts, lease.delay, settings.retry, now)
    if due is not None:
        due = max(due, answer.block_until if answer else 0.0)
        fate = Fate.RETRY
    else:
        fate = Fate.DONE if kept.outcome in FINISHED else Fate.DEAD
    settlement = Settlement(
        lease=lease,
        fate=fate,
        outcome=kept.outcome,
        reason=_reason(lease, kept),
        due=due,
        answer=answer,
        discovered=kept.entries,
    )
    page = None if fate is Fate.RETRY else _page(lease, kept, settlement.reason)
    received = len(fetched.response_head) + fetched.body.size
    return Visit(settlement=settlement, page=page, claim=kept.claim, received=received)


def unvisited(entry: Entry, outcome: Outcome, reason: str) -> Page:
    """Return the catalog's row of a URL that ended without a request."""
    return Page(url=entry.url, key=entry.key, host=entry.host, outcome=outcome, reason=reason, depth=entry.depth, via=entry.via)


def _answer(lease: Lease, kept: Kept, settings: Settings, now: float) -> Answer | None:
    fetched = kept.fetched
    if not fetched.sent and kept.outcome not in FAILURES:
        return None
    block_until = 0.0
    if kept.outcome is Outcome.THROTTLED:
        asked = retry.retry_after(fetched.header("retry-after"), now)
        block_until = asked if asked is not None else now + settings.politeness.throttle_wait * max(lease.delay, 0.1)
    return Answer(
        at=fetched.answered,
        seconds=fetched.answered - fetched.started,
        failed=None if kept.outcome in NEUTRAL else kept.outcome in FAILURES,
        block_until=block_until,
        block_reason=f"answered {fetched.status}" if block_until else "",
    )


def _reason(lease: Lease, kept: Kept) -> str:
    if kept.fetched.detail:
        return kept.fetched.detail
    if kept.original is not None:
        return f"same content as {kept.original.url}"
    if kept.outcome is Outcome.TOO_BIG:
        return "more than fetch.max_decoded bytes after decompression; kept, not read"
    if kept.outcome in FINISHED:
        return f"status {kept.fetched.status}" if kept.outcome is Outcome.REDIRECTED else ""
    tries = f" after {lease.attempts + 1} tries" if lease.attempts else ""
    return f"status {kept.fetched.status}{tries}"


def _page(lease: Lease, kept: Kept, reason: str) -> Page:
    entry, fetched, extract = lease.entry, kept.fetched, kept.extract
    return Page(
        url=entry.url,
        key=entry.key,
        host=entry.host,
        outcome=kept.outcome,
        reason=reason,
        status=fetched.status,
        mime=kept.mime,
        digest=kept.digest,
        length=fetched.body.size,
        title=extract.title,
        language=extract.language,
        charset=extract.charset,
        fetched_at=fetched.started,
        response_seconds=fetched.ended - fetched.started,
        depth=entry.depth,
        via=entry.via,
        canonical=extract.canonical,
        duplicate_of=kept.original.url if kept.original else "",
        truncated=fetched.truncated,
        links=len(extract.links),
        links_cut=extract.links_cut,
        place=kept.place,
        noindex=kept.directives.noindex,
        noarchive=kept.directives.noarchive,
    )


class Settler:
    """Makes finished visits durable, several at a time."""

    def __init__(
        self,
        archive: Archive,
        deduper: Deduper,
        catalog: Catalog,
        frontier: Frontier,
        admission: Admission,
        stillness: Stillness,
        events: Events,
        clock: Clock,
    ) -> None:
        self._archive = archive
        self._deduper = deduper
        self._catalog = catalog
        self._frontier = frontier
        self._admission = admission
        self._stillness = stillness
        self._events = events
        self._clock = clock
        self._ended: list[tuple[Visit, asyncio.Future[None]]] = []
        self._under_commit: list[tuple[Visit, asyncio.Future[None]]] = []
        self._committing: asyncio.Task[None] | None = None

    async def settle(self, visit: Visit) -> None:
        """Return when the visit is durable."""
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended.append((visit, durable))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_all())
            self._committing.add_done_callback(self._committed)
        await durable

    async def until_room(self, step: Callable[[], Awaitable[T]]) -> T:
        """Run a step that needs disk space; while the disk is full, say so and try again."""
        paused = False
        while True:
            try:
                result = await step()
            except DiskFull as error:
                if not paused:
                    self._events.publish(Paused(str(error)))
                paused = True
                await asyncio.sleep(DISK_WAIT)
                continue
            if paused:
                self._events.publish(Resumed())
            return result

    async def _commit_all(self) -> None:
        while self._ended:
            batch, self._ended = self._ended, []
            self._under_commit = batch
            visits = [visit for visit, _ in batch]
            await self.until_room(lambda visits=visits: self._make_durable(visits))  # type: ignore[misc]
            for visit, durable in batch:
                self._events.publish(VisitEnded(visit))
                if not durable.done():
                    durable.set_result(None)

    def _committed(self, task: asyncio.Task[None]) -> None:
        """Hand a failure to everyone who waits: none of these visits is known to be durable."""
        self._committing = None
        if task.cancelled() or (error := task.exception()) is None:
            return
        for _, durable in (*self._under_commit, *self._ended):
            if not durable.done():
                durable.set_exception(error)

    async def _make_durable(self, visits: list[Visit]) -> None:
        """Write archive, digests, catalog and frontier, in this order; safe to repeat."""
        settlements = [visit.settlement for visit in visits]
        async with self._stillness:
            await self._archive.flush()
            await self._deduper.commit([visit.claim for visit in visits if visit.claim])
            await self._catalog.add([visit.page for visit in visits if visit.page])
            accepted = await self._frontier.settle(settlements, self._clock.now())
        if accepted == len(settlements):  # a lease that was no longer ours discovered nothing
            for settlement in settlements:
                self._admission.remember(settlement.discovered)
