"""A crawl as it was at a date: what is known of every page by then, in the order of keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from math import inf

from msgspec import Struct

from gossamer.assemble import make_processors, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.jobs.directory import CrawlDirectory
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.documents import Processor
from gossamer.policy.retry import outcome_of
from gossamer.readers.document import document_of, read_by
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.pagequery import Order, PageQuery
from gossamer.records.versions import Version
from gossamer.visit.settle import redirect_of

CONTENT = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED})


class Side(Struct, frozen=True):
    """A crawl, as it was before a time."""

    directory: CrawlDirectory
    until: float = inf


class PageState(Struct, frozen=True, kw_only=True):
    """A page as it was: how it ended, and what it said."""

    key: str
    url: str
    outcome: Outcome
    status: int
    digest: str
    place: Place | None
    simhash: int | None = None
    is_earlier: bool = False  # a capture before the one that the catalog shows: its SimHash is not kept

    @property
    def has_content(self) -> bool:
        """Whether there was a page."""
        return self.outcome in CONTENT


class OpenSide(Struct, frozen=True):
    """One side, open to be read."""

    side: Side
    settings: Settings
    catalog: Catalog
    archive: Archive
    processors: dict[str, Processor]

    @classmethod
    @asynccontextmanager
    async def of(cls, side: Side) -> AsyncIterator["OpenSide"]:
        """Open one side."""
        path, settings = side.directory.path, side.directory.settings()
        async with open_catalog(path, settings) as catalog, open_archive(path, settings, SystemClock()) as archive:
            yield cls(side, settings, catalog, archive, make_processors(settings))

    def states(self) -> AsyncIterator[PageState]:
        """Walk over what was known of every page."""
        return states(self.catalog, self.side.until)

    async def redirect_of(self, state: PageState) -> str:
        """Return where a page that redirects leads to; an empty text: its answer is not kept."""
        if state.place is None:
            return ""
        with closing((fetched := await self.archive.read(state.place)).body):
            return redirect_of(fetched)

    async def simhash_of(self, state: PageState) -> int | None:
        """Return the SimHash of what a page said; None: it has too few words to compare."""
        if not state.is_earlier or state.place is None:
            return state.simhash
        with closing((fetched := await self.archive.read(state.place)).body):
            document = document_of(fetched, self.settings.fetch.max_decoded)
        _, likeness = read_by(self.processors, document)
        enough = likeness is not None and likeness.words >= self.settings.dedupe.fewest_words
        return likeness.simhash if likeness is not None and enough else None


async def states(catalog: Catalog, until: float) -> AsyncIterator[PageState]:
    """Walk over what was known of every page before a time; what was found later is not there."""
    earlier = catalog.excess(0) if until < inf else None
    capture = await anext(earlier, None) if earlier is not None else None
    async for page in catalog.pages(PageQuery(order=Order.KEY)):
        captures = [_shown(page)] if page.place is not None else []
        while capture is not None and capture.key <= page.key:
            if capture.key == page.key:
                captures.append(capture)
            assert earlier is not None
            capture = await anext(earlier, None)
        state = _state(page, captures, until)
        if state is not None:
            yield state


def _shown(page: Page) -> Version:
    """Return the capture that the catalog shows of a page."""
    assert page.place is not None
    return Version(
        key=page.key,
        captured_at=page.captured_at or page.fetched_at,
        digest=page.digest,
        place=page.place,
        length=page.length,
        status=page.status,
        mime=page.mime,
    )


def _state(page: Page, captures: list[Version], until: float) -> PageState | None:
    """Return how a page was: by its last visit, or by the newest capture of those before that time."""
    if page.fetched_at < until:
        return PageState(
            key=page.key,
            url=page.url,
            outcome=page.outcome,
            status=page.status,
            digest=page.digest,
            place=page.place,
            simhash=page.simhash,
        )
    known = [capture for capture in captures if capture.captured_at < until]
    if not known:
        return None
    last = max(known, key=lambda capture: capture.captured_at)
    is_shown = last.place == page.place
    return PageState(
        key=page.key,
        url=page.url,
        outcome=page.outcome if is_shown else outcome_of(last.status),
        status=last.status,
        digest=last.digest,
        place=last.place,
        simhash=page.simhash if is_shown else None,
        is_earlier=not is_shown,
    )
