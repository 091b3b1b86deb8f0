"""Settlement: how a visit ends, and making the end durable in the right order.

Order of durability: archive bytes flushed, then all that is said of them (`commit.py`): content digest, catalog row, the
frontier's settlement with the discovered links, and last what a robots.txt said. Visits that end while a step is under way
share the next one, and each step returns when it is as durable as `storage.durability` asks for. The bytes of the next visits
are flushed while the last ones are committed: where hosts are few, what a visit waits for decides how fast the crawl is.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.durability import Gathering
from gossamer.edges import names_fingerprint
from gossamer.errors import DiskFull
from gossamer.joints.archive import Archive
from gossamer.joints.commits import Commits
from gossamer.joints.frontier import Leasing
from gossamer.policy import retry
from gossamer.policy.habit import REMEMBERED
from gossamer.policy.turn import TurnRules
from gossamer.records.entry import Entry
from gossamer.records.evidence import Difference
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Directives, Extract, Original, Page, Place
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Chain, Cookie, Lesson, Visit
from gossamer.url.parse import Base
from gossamer.visit import again
from gossamer.visit.admit import LinkJudge, rules_of
from gossamer.watch.events import Events
from gossamer.watch.pauses import Pause

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")
DISK_WAIT = 1.0  # seconds between two looks at a full disk
ENTERED_AT_ONCE = 1_000  # links of one page, in one write
SHORT_TURN = 0.05  # seconds
PROBE_WAIT = 3  # delays of a host after which a page that may be a soft 404 is fetched again

# To look a member up in its class takes longer than to compare it.
OK, NOT_MODIFIED, THROTTLED, BUG = Outcome.OK, Outcome.NOT_MODIFIED, Outcome.THROTTLED, Outcome.BUG
DONE, AGAIN, RETRY, DEFERRED, DEAD = Fate.DONE, Fate.AGAIN, Fate.RETRY, Fate.DEFERRED, Fate.DEAD

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
PASSING = FAILURES | {Outcome.THROTTLED}  # what a page that was there before outlives
FINISHED = frozenset(
    {
        Outcome.OK,
        Outcome.DUPLICATE,
        Outcome.NEAR_DUPLICATE,
        Outcome.NOT_MODIFIED,
        Outcome.REDIRECTED,
        Outcome.CHECKED,
    }
)


class Kept(Struct, frozen=True, kw_only=True):
    """An answer that was archived and read, ready to conclude."""

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
    likeness: Likeness | None = None
    twin: tuple[Original, Original, int] | None = None
    reason: Reason | None = None  # of what it is beside all others
    suspicious: bool = False  # to be fetched again, when more is known of its host
    edges: bytes | None = None
    chain: Chain | None = None  # cookies for where it redirects to
    is_asked_again: bool = False  # at once, with these
    difference: Difference | None = None  # from what was kept of it before
    is_early: bool = False  # to be fetched again, when other pages of its host were compared
    is_checked: bool = False  # of another site: only how it answers counts


def outcome_of(fetched: Fetched) -> Outcome:
    """Return what a fetch came to: the status decides when there is an answer."""
    if fetched.outcome is not OK:
        return fetched.outcome
    return retry.outcome_of(fetched.status, fetched.status >= 500 and bool(fetched.header("retry-after")))


def checked(fetched: Fetched) -> Kept:
    """Conclude what a link to another site comes to: something answers there, or how it failed. Nothing of it is kept."""
    outcome = outcome_of(fetched)
    if outcome in FINISHED:
        reason = because(Rule.SCOPE_CHECK_EXTERNAL, status=fetched.status)
        return Kept(fetched=replace(fetched, detail="", truncated=""), outcome=Outcome.CHECKED, reason=reason, is_checked=True)
    detail = fetched.detail or f"status {fetched.status}"
    return Kept(fetched=fetched, outcome=outcome, reason=because(Rule.SCOPE_CHECK_EXTERNAL, detail=detail), is_checked=True)


def redirect_of(fetched: Fetched) -> str:
    """Return where an answer redirects to; an empty text: nowhere."""
    location = fetched.header("location") if 300 <= fetched.status < 400 else ""
    return (Base(fetched.url).join(location) or "") if location else ""


def conclude(
    lease: Lease, lesson: Lesson, kept: Kept, settings: Settings, now: float, gained: tuple[Cookie, ...] = ()
) -> Visit:
    """Decide how a visit ends: done, again, or dead; and what the host's behaviour means for its clock."""
    fetched, previous, outcome = kept.fetched, lesson.previous, kept.outcome
    answer = answer_of(lease, kept, settings, now)
    due = retry.next_try(outcome, lease.attempts, lease.delay, settings.retry, now)
    if kept.suspicious:
        fate, due = DEFERRED, now + PROBE_WAIT * max(lease.delay, 0.1)
    elif kept.is_early:
        fate, due = DEFERRED, now + REMEMBERED * max(lease.delay, fetched.ended - fetched.started, SHORT_TURN)
    elif kept.is_asked_again:
        fate, due = RETRY, now
    elif due is not None:
        due = max(due, answer.block_until if answer else 0.0)
        fate = RETRY
    elif outcome is Outcome.DEFERRED:
        fate = DEFERRED
    else:
        fate = DONE if outcome in FINISHED else DEAD
    reason, score = _reason(lease, kept), None
    page = None if fate is RETRY or fate is DEFERRED else _page(lease, lesson, kept, reason)
    if page is not None and fate is DONE and not kept.is_checked:
        force_setattr(page, "freshness", again.observed(lease, lesson, fetched, page, settings, now))  # nobody has it yet
        if settings.crawl.forever:
            due, score = again.appointment(page, lesson, settings, now, lease.policy.interval)
            fate = AGAIN
    elif page is not None and previous is not None and outcome in PASSING and settings.crawl.forever and not kept.is_checked:
        page = replace(previous, reason=reason)  # what was kept of it is still good
        fate, due = AGAIN, now + (lease.policy.interval or settings.recrawl.interval)
    settlement = Settlement(
        lease=lease,
        fate=fate,
        outcome=outcome,
        reason=reason,
        due=due,
        score=score,
        answer=answer,
        discovered=kept.entries,
    )
    return Visit(
        settlement=settlement,
        page=page,
        claim=kept.claim,
        received=len(fetched.response_head) + fetched.body.size,
        status=fetched.status,
        address=fetched.address,
        likeness=kept.likeness,
        twin=kept.twin,
        elapsed=fetched.started - previous.fetched_at if previous is not None else 0.0,
        suspicious=kept.suspicious,
        edges=kept.edges if page is not None else None,
        hints=kept.extract.hints,
        chain=kept.chain,
        difference=kept.difference,
        is_file=fetched.header("content-disposition")[:10].lower() == "attachment",
        harvest=kept.extract.harvest if page is not None else None,
        gained=gained,
    )


def unvisited(entry: Entry, outcome: Outcome, reason: Reason | None) -> Page:
    """Return the catalog's row of a URL that ended without a request."""
    return Page(url=entry.url, key=entry.key, host=entry.host, outcome=outcome, reason=reason, depth=entry.depth, via=entry.via)


def struck(lease: Lease, error: BaseException) -> Visit:
    """Return how a visit ends that met a bug of ours: its URL is dead. Whether a request was sent, nobody says."""
    reason = bug_of(error)
    settlement = Settlement(lease=lease, fate=DEAD, outcome=BUG, reason=reason)
    return Visit(settlement=settlement, page=unvisited(lease.entry, BUG, reason))


def bug_of(error: BaseException) -> Reason:
    """Return the reason that a bug of ours is."""
    return because(Rule.BUG, error=type(error).__name__, message=str(error))


def put_off(fetched: Fetched) -> Reason:
    """Return the reason why a request is to be sent again as if it had not been."""
    return because(Rule.FETCH_PUT_OFF, detail=fetched.detail)


def answer_of(lease: Lease, kept: Kept, settings: Settings, now: float) -> Answer | None:
    """Say how the host behaved; None: it was not asked anything."""
    fetched, outcome = kept.fetched, kept.outcome
    if not fetched.sent and outcome not in FAILURES:
        return None
    block_until = 0.0
    if outcome is THROTTLED:
        asked = retry.retry_after(fetched.header("retry-after"), now)
        block_until = asked if asked is not None else now + settings.politeness.throttle_wait * max(lease.delay, 0.1)
    return Answer(
        at=fetched.answered,
        seconds=fetched.answered - fetched.started,
        failed=None if outcome in NEUTRAL or fetched.unanswered else outcome in FAILURES,
        block_until=block_until,
        block_reason=because(Rule.POLITENESS_THROTTLED, status=fetched.status) if block_until else None,
    )


def used(fetched: Fetched) -> Answer | None:
    """Return an answer that says nothing of the host but that it was asked; None: it was not."""
    return Answer(at=fetched.answered, seconds=fetched.answered - fetched.started, failed=None) if fetched.sent else None


def _reason(lease: Lease, kept: Kept) -> Reason | None:
    outcome = kept.outcome
    if outcome is BUG or kept.is_checked:
        return kept.reason
    if kept.fetched.detail:
        return _of_fetch(kept.fetched)
    if kept.reason is not None:
        return kept.reason
    if kept.original is not None:
        return because(Rule.DEDUPE_EXACT, same_as=kept.original.url)
    if outcome is OK:
        return kept.extract.cut
    if outcome is Outcome.TOO_BIG:
        return because(Rule.FETCH_MAX_DECODED)
    if outcome in FINISHED and outcome is not Outcome.REDIRECTED:
        return kept.extract.cut
    has_tried_before = lease.attempts and outcome is not Outcome.REDIRECTED
    return because(Rule.HTTP_STATUS, status=kept.fetched.status, tries=lease.attempts + 1 if has_tried_before else None)


def _of_fetch(fetched: Fetched) -> Reason:
    """Return the reason that a fetcher gives in its own words."""
    if fetched.outcome is OK:
        return because(Rule.FETCH_CUT, detail=fetched.detail)
    if fetched.outcome is Outcome.DEFERRED:
        return put_off(fetched)
    if fetched.outcome is Outcome.ADDRESS_REFUSED:
        return because(Rule.FETCH_ADDRESS, detail=fetched.detail, address=fetched.address or None)
    return because(Rule.FETCH_FAILED, detail=fetched.detail)


def _page(lease: Lease, lesson: Lesson, kept: Kept, reason: Reason | None) -> Page:
    entry, fetched, extract = lease.entry, kept.fetched, kept.extract
    if kept.outcome is NOT_MODIFIED and lesson.previous is not None:  # what is kept stays what it is
        seconds = fetched.ended - fetched.started
        changes = {"status": fetched.status, "fetched_at": fetched.started, "response_seconds": seconds}
        return replace(lesson.previous, outcome=kept.outcome, reason=reason, **changes)
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
        duplicate_of=kept.original.url if kept.original else kept.twin[0].url if kept.twin else "",
        truncated=fetched.truncated,
        links=len(extract.links),
        links_cut=extract.links_cut,
        place=kept.place,
        noindex=kept.directives.noindex,
        noarchive=kept.directives.noarchive,
        simhash=kept.likeness.simhash if kept.likeness else None,
        outlinks=names_fingerprint(kept.edges) if kept.edges is not None else None,
        captured_at=fetched.started,
    )


class Settler:
    """Makes finished visits durable, several at a time: their bytes first, then all that is said of them."""

    def __init__(
        self,
        archive: Archive,
        commits: Commits,
        frontier: Leasing,
        admission: LinkJudge,
        events: Events,
        rules: TurnRules,
        clock: Clock,
    ) -> None:
        self._archive = archive
        self._commits = commits
        self._frontier = frontier
        self._admission = admission
        self._events = events
        self._rules = rules
        self._clock = clock
        self._full_disk = Pause(events, DiskFull, DISK_WAIT)
        self._flushes = Gathering(self._make_durable, linger=True)

    def settle(self, visit: Visit) -> "asyncio.Future[None]":
        """Queue a visit for the next commit; return the commit's future, which all its visits share, so nobody cancels it."""
        lease, answer = visit.settlement.lease, visit.settlement.answer
        if answer is not None:
            clock = self._rules.clock_after(lease.clock, lease.policy, answer, self._clock.now())
            force_setattr(visit.settlement, "clock", clock)  # nobody else has it yet, and two copies a page take their time
        return self._flushes.join(visit)

    async def discover_first(self, visit: Visit) -> Visit:
        """Hand the links of a very long list to the frontier before its settlement, some at a time; return what is left."""
        discovered, refused = visit.settlement.discovered, Counter[str]()
        while len(discovered) > ENTERED_AT_ONCE:
            some, discovered = discovered[:ENTERED_AT_ONCE], discovered[ENTERED_AT_ONCE:]
            await self.until_room(self._discover, some)
            refused.update(rules_of(some))
        return replace(visit, settlement=replace(visit.settlement, discovered=discovered), refused=dict(refused))

    async def _discover(self, entries: tuple[Entry, ...]) -> None:
        await self._frontier.discover(entries, self._clock.now())
        self._admission.remember(entries)
        await asyncio.sleep(0)

    async def until_room(self, step: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T:
        """Run a step that needs disk space; while the disk is full, say so (once for all steps) and try again."""
        return await self._full_disk.until_over(step, *arguments)

    async def _make_durable(self, visits: list[Visit]) -> None:
        """Make the bytes of some visits durable, then commit these visits; meanwhile others may be flushed."""
        try:
            await self.until_room(self._archive.flush)
        finally:
            self._flushes.free()
        if await self.until_room(self._commits.commit, visits):
            for visit in visits:  # a lease that was no longer ours discovered nothing
                self._admission.remember(visit.settlement.discovered)
