"""THE STORY: one visit, from lease to settlement. Each line of `visit` is a step; no step has its body there.

What the web does is an `Outcome` and travels in records. What we did wrong is an exception: the broad `except` here is there so
that a bug costs one URL, is written down with its trace, and never stops the crawl (docs/decisions/0013 names the others).
"""

import asyncio

from msgspec import Struct

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.errors import ENDING, SpoolError
from gossamer.joints.archive import Archive
from gossamer.joints.lessons import Teaching
from gossamer.policy import cookies, directives
from gossamer.readers.child import ChildReading
from gossamer.readers.reading import Reader
from gossamer.records.entry import Entry, Link, LinkKind
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Directives, Extract, Place
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Chain, Lesson, Visit
from gossamer.url.fingerprint import fingerprint
from gossamer.visit import again
from gossamer.visit.admit import LinkJudge
from gossamer.visit.arrivals import ARRIVED
from gossamer.visit.compare import Finding, Sameness
from gossamer.visit.gate import Gate
from gossamer.visit.harvest import Harvester
from gossamer.visit.links import Outlinks
from gossamer.visit.request import Requests
from gossamer.visit.revision import Revision, Revisions
from gossamer.visit.settle import ENTERED_AT_ONCE, Kept, Settler, bug_of, checked, conclude, outcome_of, redirect_of, struck
from gossamer.visit.spool import Spool
from gossamer.watch.events import Events, bug

LINKS_AT_ONCE = 1_000  # judged in one turn of the loop
ENOUGH = 16 * 1024  # bytes of a body that is not read: a short one comes whole, and its connection is kept
CIRCLE = because(Rule.FETCH_CIRCLE)
OK, SEED = Outcome.OK, LinkKind.SEED  # to look a member up in its class takes longer than all that is done with it
UNREAD = frozenset({Outcome.NOT_MODIFIED, Outcome.TOO_BIG, Outcome.SERVER_ERROR, Outcome.THROTTLED, Outcome.DEFERRED})


class Leads(Struct, frozen=True):
    """Where an answer leads to."""

    entries: tuple[Entry, ...]
    edges: bytes | None  # what the link graph is told; None: it was not read
    chain: Chain | None = None  # what is carried to where it redirects
    reason: Reason | None = None
    is_asked_again: bool = False  # it redirects to itself, and gave us something to bring back


class Filed(Struct):
    """The parts of an answer that are archived so far."""

    digest: str = ""
    place: Place | None = None  # None: nothing


class Crawler:
    """Visits URLs, from lease to settlement."""

    def __init__(
        self,
        *,
        settings: Settings,
        gate: Gate,
        requests: Requests,
        lessons: Teaching,
        sameness: Sameness,
        revisions: Revisions,
        archive: Archive,
        reader: Reader,
        harvester: Harvester,
        admission: LinkJudge,
        outlinks: Outlinks,
        settler: Settler,
        events: Events,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._gate = gate
        self._requests = requests
        self._lessons = lessons
        self._sameness = sameness
        self._revisions = revisions
        self._archive = archive
        self._reader = reader
        self._harvester = harvester
        self._admission = admission
        self._outlinks = outlinks
        self._settler = settler
        self._spool = Spool(settler.until_room, clock)
        self._events = events
        self._clock = clock

    async def visit(self, lease: Lease) -> "asyncio.Future[None]":
        """Visit one URL; return a future that ends when the visit is durable, which others may share."""
        try:
            (lesson,) = await self._lessons.consult([lease])
            visit = await self._gate.turn_away(lease, lesson)
            if visit is None:
                conditions, url = again.conditions(lesson.previous), lease.entry.url
                carried = lesson.chain.cookies if lesson.chain is not None else ()
                is_checked = self._admission.is_checked(lease.entry)
                most = ENOUGH if is_checked else None
                fetched = await self._requests.send(
                    url, lease, conditions, files=True, most=most, carried=carried, jar=lesson.jar
                )
                try:
                    kept = checked(fetched) if is_checked else await self._keep(lease, lesson, fetched)
                    gained = self._requests.cookies_of(fetched)
                    visit = conclude(lease, lesson, kept, self._settings, self._clock.now(), gained)
                finally:
                    fetched.body.close()
            if len(visit.settlement.discovered) > ENTERED_AT_ONCE:
                visit = await self._settler.discover_first(visit)
        except SpoolError as error:
            visit = await self._spool.put_off(lease, error)
        except ENDING:
            raise  # not this page's fault: the crawl cannot go on without its stores
        except Exception as error:  # noqa: BLE001 - what a bug may cost: one URL
            self._events.publish(bug(error, f"visiting {lease.entry.url}"))
            visit = struck(lease, error)
        durable = self._settler.settle(visit)
        self._requests.pace.settle(lease, durable)
        return durable

    def give_back(self, lease: Lease) -> "asyncio.Future[None]":
        """End a visit that was dropped: its URL keeps its place. Nobody is asked anything more, so no clock has to move."""
        dropped = Settlement(lease=lease, fate=Fate.DEFERRED, outcome=Outcome.DEFERRED, reason=because(Rule.CRAWL_STOPPED))
        return self._settler.settle(Visit(settlement=dropped))

    async def _keep(self, lease: Lease, lesson: Lesson, fetched: Fetched) -> Kept:
        """Keep an answer and what it says; should a bug strike on the way, its bytes and the reason why they were not read."""
        if fetched.outcome is not OK:
            return Kept(fetched=fetched, outcome=outcome_of(fetched))
        filed = Filed()
        try:
            return await self._read(lease, lesson, fetched, filed)
        except ENDING:
            raise
        except Exception as error:  # noqa: BLE001 - what a bug may cost: that a page is not read
            self._events.publish(bug(error, f"reading {lease.entry.url}"))
            if filed.place is None:
                filed.place = await self._settler.until_room(self._archive.append, fetched, filed.digest, None)
            return Kept(fetched=fetched, outcome=Outcome.BUG, digest=filed.digest, place=filed.place, reason=bug_of(error))

    async def _read(self, lease: Lease, lesson: Lesson, fetched: Fetched, filed: Filed) -> Kept:
        """Read an answer unless its URL had it before, tell whether it is like another, archive, harvest, admit its links."""
        digest = filed.digest = await self._reader.digest(fetched)
        revision = await self._revisions.of(lease, lesson, fetched, digest) if lesson.previous is not None else None
        if revision is not None and revision.is_early:
            return _left_for_later(fetched, revision)
        with self._sameness.of(lease, fetched, digest, lesson, revision) as comparison:
            reading = await self._reader.read(fetched) if comparison.is_read else self._reader.glimpse(fetched)
            wishes = self._wishes_of(lease, fetched, reading.extract)
            finding = await comparison.judge(reading, wishes.noindex)
            await self._file(fetched, finding, filed)
            reading = await self._harvester.gather(fetched, reading, finding)
            leads = await self._leads_of(lease, lesson, fetched, reading.extract, wishes.nofollow, finding)
            return _kept_of(fetched, reading, wishes, finding, filed, leads, revision)

    def _wishes_of(self, lease: Lease, fetched: Fetched, extract: Extract) -> Directives:
        """Return what the page asks of robots, in its head or in its header."""
        said = fetched.all_headers("x-robots-tag")
        if not said:
            return extract.directives
        return directives.merge(directives.from_header(said, self._requests.agent(lease)), extract.directives)

    async def _file(self, fetched: Fetched, finding: Finding, filed: Filed) -> None:
        """Archive an answer if it is worth it."""
        if finding.is_archived:
            filed.place = await self._settler.until_room(self._archive.append, fetched, filed.digest, finding.original)

    async def _leads_of(
        self, lease: Lease, lesson: Lesson, fetched: Fetched, extract: Extract, nofollow: bool, finding: Finding
    ) -> Leads:
        """Judge where an answer leads to: its redirect, or its links."""
        if target := redirect_of(fetched):
            return self._follow(target, lease, lesson, fetched)
        if lease.entry.redirects and lease.entry.kind is SEED and finding.outcome in ARRIVED:
            self._admission.extend([lease.entry.url])  # its links are judged now, what others find when it is durable
        return await self._admit(lease.entry, extract, nofollow, finding, lesson)

    async def _admit(self, entry: Entry, extract: Extract, nofollow: bool, verdict: Finding, lesson: Lesson) -> Leads:
        """Judge the links of a page, many of them some at a time."""
        names, unknown = self._admission.split_known(extract.links)
        entries = self._admission.admit(unknown[:LINKS_AT_ONCE], entry, nofollow) if unknown else ()
        for start in range(LINKS_AT_ONCE, len(unknown), LINKS_AT_ONCE):
            await asyncio.sleep(0)
            entries += self._admission.admit(unknown[start : start + LINKS_AT_ONCE], entry, nofollow)
        entries = self._admission.weigh(entries, extract.hints) if extract.hints else entries
        entries = self._admission.line_up(entries, extract.links, entry, verdict.is_news, lesson.is_doubtful)
        if extract.asides:
            entries = self._admission.put_aside(entries, extract.asides)
        if not extract.links and verdict.outcome in UNREAD:
            return Leads(entries, None)
        return Leads(entries, self._outlinks.of(extract.links, names, entries, nofollow))

    def _follow(self, target: str, lease: Lease, lesson: Lesson, fetched: Fetched) -> Leads:
        """Judge where a URL redirects to, whatever else its answer asks."""
        entry, limit = lease.entry, self._settings.fetch.max_redirects
        entries = self._admission.follow(target, entry)
        leads_to = entries[0].key if entries else entry.key
        edges = self._outlinks.of((Link(target, LinkKind.REDIRECT),), [fingerprint(leads_to)], entries, False)
        now = self._clock.now()
        chain = cookies.carried(lesson.chain, fetched.url, fetched.all_headers("set-cookie"), limit, now)
        is_news = chain is not None and (lesson.chain is None or chain.cookies != lesson.chain.cookies)
        reason = CIRCLE if target in (entry.url, entry.via) else None
        return Leads(entries, edges, chain, reason, is_asked_again=target == entry.url and is_news)


def _left_for_later(fetched: Fetched, revision: Revision) -> Kept:
    """Conclude that an answer came too early to count."""
    return Kept(
        fetched=fetched, outcome=Outcome.DEFERRED, reason=revision.reason, difference=revision.difference, is_early=True
    )


def _kept_of(
    fetched: Fetched,
    reading: ChildReading,
    wishes: Directives,
    finding: Finding,
    filed: Filed,
    leads: Leads,
    revision: Revision | None,
) -> Kept:
    """Put together what is kept of an answer."""
    return Kept(
        fetched=fetched,
        outcome=finding.outcome,
        mime=reading.mime,
        digest=filed.digest,
        original=finding.original,
        claim=finding.claim,
        place=filed.place,
        extract=reading.extract,
        directives=wishes,
        entries=finding.judge_links(leads.entries),
        likeness=reading.likeness,
        twin=finding.twin,
        reason=finding.reason or leads.reason,
        suspicious=finding.suspicious,
        edges=leads.edges,
        chain=leads.chain,
        is_asked_again=leads.is_asked_again,
        difference=revision.difference if revision is not None else None,
    )
