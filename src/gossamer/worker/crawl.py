"""THE STORY: one visit, from lease to settlement. Each line of `visit` is a step; no step has its body there.

What the web does is an `Outcome` and travels in records. What we did wrong is an exception: the one broad `except` of the
program stands here, so that a bug costs one URL, is written down with its trace, and never stops the crawl.
"""

import asyncio
import traceback

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.errors import StoreError
from gossamer.policy import directives
from gossamer.protocols import Archive, Claims
from gossamer.records import (
    Entry,
    Extract,
    Fate,
    Fetched,
    Lease,
    Link,
    LinkKind,
    Original,
    Outcome,
    Settlement,
    Visit,
)
from gossamer.url.parse import Base
from gossamer.worker.admit import Admission
from gossamer.worker.events import Events, Trouble
from gossamer.worker.gate import Gate
from gossamer.worker.reading import Reader
from gossamer.worker.request import Requests
from gossamer.worker.settle import Kept, Settler, conclude, outcome_of, unvisited

LINKS_AT_ONCE = 1_000  # judged in one turn of the loop


class Crawler:
    """What a visit needs, and the visit."""

    def __init__(
        self,
        *,
        settings: Settings,
        gate: Gate,
        requests: Requests,
        deduper: Claims,
        archive: Archive,
        reader: Reader,
        admission: Admission,
        settler: Settler,
        events: Events,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._gate = gate
        self._requests = requests
        self._deduper = deduper
        self._archive = archive
        self._reader = reader
        self._admission = admission
        self._settler = settler
        self._events = events
        self._clock = clock

    async def visit(self, lease: Lease) -> None:
        """Visit one URL."""
        try:
            visit = await self._gate.turn_away(lease)
            if visit is None:
                fetched = await self._requests.fetch(self._requests.to(lease.entry.url, lease))
                try:
                    kept = await self._keep(lease, fetched)
                    visit = conclude(lease, kept, self._settings, self._clock.now())
                finally:
                    fetched.body.close()
        except StoreError:
            raise  # not this page's fault: the crawl cannot go on without its stores
        except Exception as error:  # noqa: BLE001 - the one broad except: see above
            visit = self._bug(lease, error)
        await self._settler.settle(visit)

    async def _keep(self, lease: Lease, fetched: Fetched) -> Kept:
        """Archive an answer, read it unless its content is known already (by that type), and admit its links."""
        outcome = outcome_of(fetched)
        if fetched.outcome is not Outcome.OK:
            return Kept(fetched=fetched, outcome=outcome)
        digest = await self._reader.digest(fetched)
        content_type = fetched.header("content-type")
        me = Original(fetched.url, lease.entry.key, fetched.started, fetched.chunked, content_type)
        is_content = outcome is Outcome.OK and fetched.body.size > 0  # error pages and empty answers are alike everywhere
        original = await self._deduper.claim(digest, me) if is_content else None
        try:
            place = await self._settler.until_room(lambda: self._archive.append(fetched, digest, original))
            is_news = outcome is Outcome.OK and (original is None or original.content_type != content_type)
            reading = await self._reader.read(fetched) if is_news else self._reader.glimpse(fetched)
            outcome = Outcome.DUPLICATE if original else Outcome.TOO_BIG if reading.too_big else outcome
            extract = reading.extract
            asked = directives.from_header(fetched.all_headers("x-robots-tag"), self._requests.agent(lease))
            wishes = directives.merge(asked, extract.directives)
            return Kept(
                fetched=fetched,
                outcome=outcome,
                mime=reading.mime,
                digest=digest,
                original=original,
                claim=(digest, me) if is_content and original is None else None,
                place=place,
                extract=extract,
                directives=wishes,
                entries=await self._admit(lease.entry, fetched, extract, wishes.nofollow),
            )
        except BaseException:
            if is_content and original is None:
                self._deduper.release(digest, me)
            raise

    async def _admit(self, entry: Entry, fetched: Fetched, extract: Extract, nofollow: bool) -> tuple[Entry, ...]:
        """Judge the links of a page, or where it redirects to."""
        location = fetched.header("location") if 300 <= fetched.status < 400 else ""
        if location:
            target = Base(fetched.url).join(location)
            return self._admission.admit([Link(target, LinkKind.REDIRECT)], entry) if target else ()
        entries = self._admission.admit(extract.links[:LINKS_AT_ONCE], entry, nofollow)
        for start in range(LINKS_AT_ONCE, len(extract.links), LINKS_AT_ONCE):
            await asyncio.sleep(0)
            entries += self._admission.admit(extract.links[start : start + LINKS_AT_ONCE], entry, nofollow)
        return entries

    def _bug(self, lease: Lease, error: Exception) -> Visit:
        """End a visit that met a bug of ours: the URL is dead with that reason, and the trace is in the log."""
        reason = f"{type(error).__name__}: {error}"
        self._events.publish(Trouble(f"{reason} while visiting {lease.entry.url}", traceback.format_exc()))
        settlement = Settlement(lease=lease, fate=Fate.DEAD, outcome=Outcome.BUG, reason=reason)
        return Visit(settlement=settlement, page=unvisited(lease.entry, Outcome.BUG, reason))
