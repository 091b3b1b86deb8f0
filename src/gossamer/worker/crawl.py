"""THE STORY: one visit, from lease to settlement. Each line of `visit` is a step; no step has its body there.

What the web does is an `Outcome` and travels in records. What we did wrong is an exception: the one broad `except` of the
program stands here, so that a bug costs one URL, is written down with its trace, and never stops the crawl.
"""

import asyncio
import traceback
from collections.abc import Sequence

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.errors import StoreError
from gossamer.policy import directives
from gossamer.protocols import Archive, Teaching
from gossamer.records import (
    Entry,
    Extract,
    Fate,
    Fetched,
    Lease,
    Link,
    LinkKind,
    Outcome,
    Settlement,
)
from gossamer.visit import Lesson, Visit
from gossamer.worker import again
from gossamer.worker.admit import Admission
from gossamer.worker.events import Events, Trouble
from gossamer.worker.gate import Gate
from gossamer.worker.outlinks import Outlinks
from gossamer.worker.reading import Reader
from gossamer.worker.request import Requests
from gossamer.worker.same import Sameness
from gossamer.worker.settle import ENTERED_AT_ONCE, Kept, Settler, conclude, outcome_of, redirect_of, unvisited

LINKS_AT_ONCE = 1_000  # judged in one turn of the loop
OK = Outcome.OK  # to look a member up in its class takes longer than all that is done with it
UNREAD = frozenset({Outcome.NOT_MODIFIED, Outcome.TOO_BIG, Outcome.SERVER_ERROR, Outcome.THROTTLED, Outcome.DEFERRED})


class Crawler:
    """What a visit needs, and the visit."""

    def __init__(
        self,
        *,
        settings: Settings,
        gate: Gate,
        requests: Requests,
        lessons: Teaching,
        sameness: Sameness,
        archive: Archive,
        reader: Reader,
        admission: Admission,
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
        self._archive = archive
        self._reader = reader
        self._admission = admission
        self._outlinks = outlinks
        self._settler = settler
        self._events = events
        self._clock = clock

    async def visit(self, lease: Lease) -> "asyncio.Future[None]":
        """Visit one URL; return what is done when the visit is durable, which others may share."""
        try:
            (lesson,) = await self._lessons.consult([lease])
            visit = await self._gate.turn_away(lease, lesson)
            if visit is None:
                request = self._requests.to(lease.entry.url, lease, again.conditions(lesson.previous))
                fetched = await self._requests.fetch(request)
                try:
                    kept = await self._keep(lease, lesson, fetched)
                    visit = conclude(lease, lesson, kept, self._settings, self._clock.now())
                finally:
                    fetched.body.close()
        except StoreError:
            raise  # not this page's fault: the crawl cannot go on without its stores
        except Exception as error:  # noqa: BLE001 - the one broad except: see above
            visit = self._bug(lease, error)
        if len(visit.settlement.discovered) > ENTERED_AT_ONCE:
            visit = await self._settler.discover_first(visit)
        return self._settler.settle(visit)

    async def _keep(self, lease: Lease, lesson: Lesson, fetched: Fetched) -> Kept:
        """Read an answer unless its URL had it before, tell whether it is like another, archive it, and admit its links."""
        if fetched.outcome is not OK:
            return Kept(fetched=fetched, outcome=outcome_of(fetched))
        digest = await self._reader.digest(fetched)
        with self._sameness.of(lease, fetched, digest, lesson) as likes:
            early = await self._reader.read(fetched) if likes.is_short else None
            await likes.claim(early)
            reading = (early or await self._reader.read(fetched)) if likes.is_read else self._reader.glimpse(fetched)
            verdict = await likes.judge(reading)
            place = None
            if verdict.is_archived:
                place = await self._settler.until_room(self._archive.append, fetched, digest, verdict.original)
            extract = reading.extract
            wishes = extract.directives
            if said := fetched.all_headers("x-robots-tag"):
                wishes = directives.merge(directives.from_header(said, self._requests.agent(lease)), wishes)
            links = _links_of(fetched, extract)
            nofollow = wishes.nofollow and links is extract.links  # a redirect is followed, whatever else its answer asks
            names, strangers = self._admission.meet(links)
            entries = self._admission.admit(strangers[:LINKS_AT_ONCE], lease.entry, nofollow) if strangers else ()
            if len(strangers) > LINKS_AT_ONCE:
                entries += await self._admit(lease.entry, strangers[LINKS_AT_ONCE:], nofollow)
            entries = self._admission.weigh(entries, extract.hints) if extract.hints else entries
            entries = self._admission.line_up(entries, links, lease.entry, verdict.is_news, lesson.is_doubtful)
            return Kept(
                fetched=fetched,
                outcome=verdict.outcome,
                mime=reading.mime,
                digest=digest,
                original=verdict.original,
                claim=verdict.claim,
                place=place,
                extract=extract,
                directives=wishes,
                entries=verdict.judge_links(entries),
                likeness=reading.likeness,
                twin=verdict.twin,
                reason=verdict.reason,
                suspicious=verdict.suspicious,
                edges=self._edges(verdict.outcome, links, names, entries, nofollow),
            )

    async def _admit(self, entry: Entry, links: Sequence[Link], nofollow: bool) -> tuple[Entry, ...]:
        """Judge the links of a page beyond the first ones, some at a time."""
        entries: tuple[Entry, ...] = ()
        for start in range(0, len(links), LINKS_AT_ONCE):
            await asyncio.sleep(0)
            entries += self._admission.admit(links[start : start + LINKS_AT_ONCE], entry, nofollow)
        return entries

    def _edges(
        self, outcome: Outcome, links: Sequence[Link], names: list[int | None], entries: tuple[Entry, ...], nofollow: bool
    ) -> bytes | None:
        """Return what the link graph is told; None: the page was not read."""
        if not links and outcome in UNREAD:
            return None
        return self._outlinks.of(links, names, entries, nofollow)

    def _bug(self, lease: Lease, error: Exception) -> Visit:
        """End a visit that met a bug of ours: the URL is dead with that reason, and the trace is in the log."""
        reason = f"{type(error).__name__}: {error}"
        self._events.publish(Trouble(f"{reason} while visiting {lease.entry.url}", traceback.format_exc()))
        settlement = Settlement(lease=lease, fate=Fate.DEAD, outcome=Outcome.BUG, reason=reason)
        return Visit(settlement=settlement, page=unvisited(lease.entry, Outcome.BUG, reason))


def _links_of(fetched: Fetched, extract: Extract) -> Sequence[Link]:
    """Return the links of a page, or where it redirects to."""
    target = redirect_of(fetched)
    return (Link(target, LinkKind.REDIRECT),) if target else extract.links
