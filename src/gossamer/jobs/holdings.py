"""What a crawl keeps, opened for an export: its catalog and its archive, which need no lock, and what is read from them."""

from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from gossamer.assemble import make_admission, make_processors, make_word_reader, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import UrlError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.kept import KeptPages
from gossamer.jobs.linkwords import LinkWords
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.readers.document import document_of
from gossamer.records.export import Edge, KeptRecord, PackedRecord, WordedLink
from gossamer.records.findings import BrokenLink, RedirectChain
from gossamer.records.item import KeptItem
from gossamer.records.outcome import Outcome
from gossamer.records.page import Document, Page, Place
from gossamer.records.pagequery import EVERY_PAGE, PageQuery
from gossamer.url.fingerprint import fingerprint

_Item = TypeVar("_Item")


class CrawlHoldings:
    """The pages of a crawl that pass a filter, and what is kept of them."""

    def __init__(
        self,
        directory: CrawlDirectory,
        settings: Settings,
        catalog: Catalog,
        archive: Archive,
        query: PageQuery,
        limit: int | None,
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._catalog = catalog
        self._archive = archive
        self._query = query
        self._limit = limit
        self._kept = KeptPages(directory, settings, catalog, archive)
        self._processors = make_processors(settings)
        self._read_words = make_word_reader()
        self._words = LinkWords(self._document_at, self._read_words, make_admission(settings, ()).key)

    def pages(self) -> AsyncIterator[Page]:
        """Walk over the pages."""
        return self._catalog.pages(self._query, self._limit)

    def columns(self, fields: Sequence[str], at_once: int) -> AsyncIterator[list[list[Any]]]:
        """Walk over some fields of the pages."""
        return self._catalog.columns(fields, at_once, self._query, self._limit)

    async def links(self) -> AsyncIterator[Edge]:
        """Walk over the links of these pages."""
        import numpy as np

        from gossamer.jobs.graph_edges import named_edges

        sources = None
        if self._query != EVERY_PAGE or self._limit is not None:
            sources = np.array(array("Q", [fingerprint(page.key) async for page in self.pages()]), np.uint64)
        async for edge in named_edges(self._directory, sources):
            yield edge

    def items(self) -> AsyncIterator[KeptItem]:
        """Walk over what readers found on these pages."""
        if self._query.words:
            raise UsageError("items cannot be chosen by words of their pages; choose by --host, --type or --status")
        return self._catalog.items(self._query, limit=self._limit)

    async def broken_links(self) -> AsyncIterator[BrokenLink]:
        """Walk over those pages where nothing is; pages that link there are read again for the words of the link."""
        from gossamer.jobs.findings import walk_broken_links

        async for link in _first(walk_broken_links(self._directory, self._query), self._limit):
            sources = [replace(source, words=await self._words.of(source.url, link.target.url)) for source in link.sources]
            yield replace(link, sources=tuple(sources))

    async def redirect_chains(self) -> AsyncIterator[RedirectChain]:
        """Walk over those pages that redirect."""
        from gossamer.jobs.findings import walk_redirect_chains

        async for chain in _first(walk_redirect_chains(self._directory, self._query), self._limit):
            yield chain

    async def records(self) -> AsyncIterator[KeptRecord]:
        """Walk over the records of the pages; what a revisit refers to comes before it, unless it came already."""
        given: set[tuple[str, int]] = set()
        async for page in self.pages():
            if page.place is None:
                continue
            fetched = await self._archive.read(page.place)
            fetched.body.close()
            is_revisit = fetched.outcome is not Outcome.OK
            if is_revisit and (original := await self._kept.original(fetched.detail, page.digest)) is not None:
                place, content = original
                content.body.close()
                if (packed := await self._packed(place, given)) is not None:
                    yield KeptRecord(page=None, fetched=content, digest=page.digest, is_revisit=False, packed=packed)
            packed = await self._packed(page.place, given)
            yield KeptRecord(page=page, fetched=fetched, digest=page.digest, is_revisit=is_revisit, packed=packed)

    async def _packed(self, place: Place, given: set[tuple[str, int]]) -> PackedRecord | None:
        """Take a record out of the archive, unless it was given before."""
        if (place.file, place.offset) in given:
            return None
        given.add((place.file, place.offset))
        return await self._archive.packed(place)

    async def document(self, page: Page) -> Document | None:
        """Return the content of a page; a copy has that of its original."""
        if page.place is None:
            return None
        fetched = await self._kept.read(page.place, page.digest)
        try:
            if fetched.outcome is not Outcome.OK:
                return None
            limit = max(self._settings.fetch.max_decoded, fetched.body.size)
            return document_of(replace(fetched, url=page.url), limit)
        finally:
            fetched.body.close()

    async def row_of(self, url: str) -> Page | None:
        """Return the catalog's row of a URL, whatever was asked for."""
        try:
            return await self._kept.look_up(url)
        except UrlError:  # the digits of a fingerprint: a URL that nobody knows
            return None

    async def _document_at(self, url: str) -> Document | None:
        page = await self.row_of(url)
        return await self.document(page) if page is not None else None

    def text(self, document: Document) -> str:
        """Return what a reader sees of a document; nothing of a type that nobody reads."""
        processor = self._processors.get(document.mime)
        return processor.text(document) if processor else ""

    def links_of(self, document: Document) -> list[WordedLink]:
        """Return the links of a document as a crawl finds them, with their words."""
        processor = self._processors.get(document.mime)
        if processor is None:
            return []
        links, words = processor.process(document).links, self._read_words(document)
        return [WordedLink(link.url, link.kind.value, link.nofollow, words.get(link.url, "")) for link in links]


async def _first(walk: AsyncIterator[_Item], most: int | None) -> AsyncIterator[_Item]:
    """Walk over the first items of a walk."""
    count = 0
    async for item in walk:
        yield item
        count += 1
        if count == most:
            return


@asynccontextmanager
async def open_holdings(directory: CrawlDirectory, query: PageQuery, limit: int | None) -> AsyncIterator[CrawlHoldings]:
    """Open what a crawl keeps of the pages that match."""
    settings = directory.settings()
    async with (
        open_catalog(directory.path, settings) as catalog,
        open_archive(directory.path, settings, SystemClock()) as archive,
    ):
        yield CrawlHoldings(directory, settings, catalog, archive, query, limit)
