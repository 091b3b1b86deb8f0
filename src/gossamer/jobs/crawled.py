"""Kept pages as Python values: the catalog's row, what readers found, and the document read back from the archive."""

from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.assemble import make_processors, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.kept import KeptPages
from gossamer.jobs.search import refuse_unknown
from gossamer.joints.documents import Processor
from gossamer.readers.document import document_of
from gossamer.readers.scripts.page import ScriptPage
from gossamer.records.fetch import Fetched
from gossamer.records.item import KeptItem, KeptProblem
from gossamer.records.page import Document, Page
from gossamer.records.pagequery import EVERY_PAGE, PageQuery

_decode = msgspec.json.Decoder().decode


class CrawlItem(Struct, frozen=True):
    """An item and where it is from."""

    number: int  # grows: items that were found later have a higher one
    value: dict[str, Any]  # as the reader yielded it
    url: str  # of its page
    reader: str
    fetched_at: float


class KeptPage(ScriptPage):
    """A page of a crawl: all that a reader sees, and what the catalog knows of it."""

    def __init__(
        self, row: Page, items: list[dict[str, Any]], document: Document, fetched: Fetched | None, processor: Processor | None
    ) -> None:
        super().__init__(document, row.status, fetched.headers if fetched is not None else (), processor)
        self.row = row  # everything the catalog knows
        self.items = items
        self.url = row.url
        self.mime = row.mime
        self.outcome = row.outcome.value
        self.fetched_at = row.fetched_at

    @cached_property
    def title(self) -> str:
        """Its title; empty: it has none."""
        return self.row.title


async def walk_pages(
    directory: CrawlDirectory, query: PageQuery = EVERY_PAGE, limit: int | None = None, content: bool = True
) -> AsyncIterator[KeptPage]:
    """Walk over pages that match; without `content` nothing is read from the archive."""
    refuse_unknown(query)
    settings = directory.settings()
    processors = make_processors(settings)
    async with (
        open_catalog(directory.path, settings) as catalog,
        open_archive(directory.path, settings, SystemClock()) as archive,
    ):
        kept = KeptPages(directory, settings, catalog, archive)
        async for row in catalog.pages(query, limit):
            items = [_decode(item.content) async for item in catalog.items(key=row.key)]
            fetched = await kept.read(row.place, row.digest) if content and row.place else None
            document = Document(url=row.url, mime=row.mime, content=b"")
            if fetched is not None:
                document = document_of(fetched, max(settings.fetch.max_decoded, fetched.body.size))
                fetched.body.close()
            yield KeptPage(row, items, document, fetched, processors.get(document.mime))


async def walk_items(
    directory: CrawlDirectory,
    query: PageQuery = EVERY_PAGE,
    *,
    key: str = "",
    reader: str = "",
    after: int = 0,
    limit: int | None = None,
) -> AsyncIterator[CrawlItem]:
    """Walk over what readers found, in the order in which it was kept."""
    refuse_unknown(query)
    async with open_catalog(directory.path, directory.settings()) as catalog:
        async for item in catalog.items(query, key=key, reader=reader, after=after, limit=limit):
            yield _item_of(item)


async def walk_problems(directory: CrawlDirectory, limit: int | None = None, after: int = 0) -> AsyncIterator[KeptProblem]:
    """Walk over what went wrong in readers, oldest first."""
    async with open_catalog(directory.path, directory.settings()) as catalog:
        async for problem in catalog.problems(limit=limit, after=after):
            yield problem


def _item_of(item: KeptItem) -> CrawlItem:
    return CrawlItem(item.number, _decode(item.content), item.url, item.reader, item.fetched_at)
