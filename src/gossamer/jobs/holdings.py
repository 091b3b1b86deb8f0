"""What a crawl keeps, opened for an export: its catalog and its archive, which need no lock, and what is read from them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gossamer.assemble import make_processors, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.jobs.directory import CrawlDirectory
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.readers.document import document_of
from gossamer.records.export import Edge
from gossamer.records.page import Document, Page


class CrawlHoldings:
    """The pages of a crawl that pass a filter, and what is kept of them."""

    def __init__(self, directory: CrawlDirectory, catalog: Catalog, archive: Archive, wanted: dict[str, Any]) -> None:
        self._directory = directory
        self._settings = directory.settings()
        self._catalog = catalog
        self._archive = archive
        self._wanted = wanted
        self._processors = make_processors(self._settings)

    def pages(self) -> AsyncIterator[Page]:
        """Walk over the pages."""
        return self._catalog.pages(**self._wanted)

    async def links(self) -> AsyncIterator[Edge]:
        """Walk over the links of these pages."""
        from gossamer.jobs.graph import named_edges

        for edge in named_edges(self._directory):
            yield edge

    async def document(self, page: Page) -> Document | None:
        """Return the content of a page."""
        if page.place is None:
            return None
        fetched = await self._archive.read(page.place)
        try:
            return document_of(fetched, max(self._settings.fetch.max_decoded, fetched.body.size))
        finally:
            fetched.body.close()

    def text(self, document: Document) -> str:
        """Return what a reader sees of a document; nothing of a type that nobody reads."""
        processor = self._processors.get(document.mime)
        return processor.text(document) if processor else ""


@asynccontextmanager
async def open_holdings(directory: CrawlDirectory, wanted: dict[str, Any]) -> AsyncIterator[CrawlHoldings]:
    """Open what a crawl keeps of the pages that match."""
    settings = directory.settings()
    async with (
        open_catalog(directory.path, settings) as catalog,
        open_archive(directory.path, settings, SystemClock()) as archive,
    ):
        yield CrawlHoldings(directory, catalog, archive, wanted)
