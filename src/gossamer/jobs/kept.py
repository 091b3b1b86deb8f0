"""What is kept of a URL: its row of the catalog, however it is spelled, and the content of a capture, also of one that only
says that it is the same as another."""

import asyncio
from contextlib import suppress

from gossamer.assemble import make_admission
from gossamer.config.sections import Settings
from gossamer.errors import CrawlInUse
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.url.parse import parse
from gossamer.url.spelling import spelled


class KeptPages:
    """Finds and reads what a crawl has kept, in its open catalog and archive."""

    def __init__(self, directory: CrawlDirectory, settings: Settings, catalog: Catalog, archive: Archive | None = None) -> None:
        self._directory = directory
        self._catalog = catalog
        self._archive = archive
        self._admission = make_admission(settings, ())

    async def find(self, url: str) -> Page | None:
        """Find a page by its spelling or its usual key, and only if nothing is kept under them by keys learned for its host."""
        page = await self.look_up(url)
        if page is not None and page.place is not None:
            return page
        with suppress(CrawlInUse):  # by somebody who answers no questions: then this is all there is to know
            keys = await asyncio.to_thread(ask, self._directory, "keys", url=url)  # which runs a loop of its own
            known = [await self._catalog.get(key) for key in keys]
            return next((other for other in known if other is not None and other.place is not None), page)
        return page

    async def look_up(self, url: str) -> Page | None:
        """Find a page by its spelling or its usual key; the one of which something is kept."""
        parsed, page = parse(url), None
        for key in (spelled(parsed.wire), self._admission.key(parsed)):
            page = await self._catalog.get(key) or page
            if page is not None and page.place is not None:
                return page
        return page

    async def read(self, place: Place, digest: str) -> Fetched:
        """Read a capture; one that is only a revisit has the content of the capture it refers to, if that is kept."""
        assert self._archive is not None
        fetched = await self._archive.read(place)
        if fetched.outcome is Outcome.OK:
            return fetched
        original = await self.original(fetched.detail, digest)
        return fetched if original is None else original[1]

    async def original(self, url: str, digest: str) -> tuple[Place, Fetched] | None:
        """Return the capture of a URL that has some content, and where it is."""
        assert self._archive is not None
        page = await self.find(url)
        for version in await self._catalog.versions(page.key) if page else ():
            if version.digest == digest:
                kept = await self._archive.read(version.place)
                if kept.outcome is Outcome.OK:
                    return version.place, kept
                kept.body.close()
        return None
