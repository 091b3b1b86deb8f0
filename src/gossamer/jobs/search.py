"""Look at what a crawl kept: list, search, show, index; beside a running crawl too, since the catalog needs no lock."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

from msgspec import Struct

from gossamer.assemble import make_processors, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.config.choice import remedy
from gossamer.config.sections import Settings
from gossamer.errors import UsageError
from gossamer.jobs.command import command
from gossamer.jobs.dates import EXAMPLES, end_of
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.kept import KeptPages
from gossamer.joints.archive import Archive
from gossamer.joints.documents import Processor
from gossamer.readers.document import document_of, glimpse_of
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery
from gossamer.records.versions import Version

BATCH = 200


class ShownPage(Struct, frozen=True):
    """A kept page with its bytes."""

    page: Page
    version: Version
    head: bytes
    headers: tuple[tuple[str, str], ...]
    wire: bytes
    content: bytes
    text: str


def find_pages(directory: CrawlDirectory, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> Iterator[Page]:
    """Walk over the pages that match."""
    refuse_unknown(query)
    return driven(_pages(directory, query, limit))


def order_of(text: str) -> Order | None:
    """Return the order of a name; None for none."""
    if text and text not in set(Order):
        raise UsageError(f"pages do not come in the order {text!r}; {remedy(text, Order)}")
    return Order(text) if text else None


def refuse_unknown(query: PageQuery) -> None:
    """Refuse an outcome that no URL can have, a MIME type that is none, and an order that pages cannot come in."""
    if query.outcome and query.outcome not in {one.value for one in Outcome}:
        raise UsageError(f"there is no outcome {query.outcome!r}; {remedy(query.outcome, Outcome)}")
    if query.mime and "/" not in query.mime:
        raise UsageError(f"{query.mime!r} is no MIME type; write one like text/html or application/pdf")
    _ = query.ordered


async def _pages(directory: CrawlDirectory, query: PageQuery, limit: int | None) -> AsyncIterator[Page]:
    async with open_catalog(directory.path, directory.settings()) as catalog:
        async for page in catalog.pages(query, limit):
            yield page


def show_page(directory: CrawlDirectory, url: str, which: str = "") -> ShownPage:
    """Read a page back from the archive, or an earlier version by number or date; a copy shows its original's content."""
    return asyncio.run(_show_page(directory, url, which))


async def _show_page(directory: CrawlDirectory, url: str, which: str) -> ShownPage:
    settings = directory.settings()
    async with (
        open_catalog(directory.path, settings) as catalog,
        open_archive(directory.path, settings, SystemClock()) as archive,
    ):
        kept = KeptPages(directory, settings, catalog, archive)
        page = await kept.find(url)
        captures = await catalog.versions(page.key) if page else []
        if page is None or not captures or (page.place is None and not which):
            why = f"it ended as {page.outcome}: {page.reason}" if page else "it was not fetched"
            raise UsageError(f"nothing is kept of {url}: {why}; `{command('explain', directory.path, url)}` tells more")
        shown = next((one for one in captures if one.place == page.place), captures[0])
        version = chosen(captures, which) if which else shown
        fetched = await kept.read(version.place, version.digest)
    document = document_of(fetched, max(settings.fetch.max_decoded, fetched.body.size))
    processor = make_processors(settings).get(document.mime)
    text = processor.text(document) if processor else f"({document.mime}, {len(document.content):,} bytes)"
    return ShownPage(page, version, fetched.response_head, fetched.headers, fetched.body.read(), document.content, text)


def versions_of(directory: CrawlDirectory, url: str) -> list[Version]:
    """Return the kept versions of a page, newest first."""
    return asyncio.run(_versions_of(directory, url))


async def _versions_of(directory: CrawlDirectory, url: str) -> list[Version]:
    settings = directory.settings()
    async with open_catalog(directory.path, settings) as catalog:
        page = await KeptPages(directory, settings, catalog).find(url)
        if page is None:
            raise UsageError(f"{url} was not fetched; `{command('explain', directory.path, url)}` tells more")
        return await catalog.versions(page.key)


def chosen(captures: list[Version], which: str) -> Version:
    """Return the version of that number, 1 for the newest, or the one that was the newest at a date."""
    if which.isascii() and which.isdigit() and len(which) < len("20260131"):
        if not 1 <= int(which) <= len(captures):
            raise UsageError(f"there is no version {which}; {len(captures)} are kept, 1 is the newest")
        return captures[int(which) - 1]
    until = end_of(which)
    if until is None:
        raise UsageError(f"{which!r} is neither a number nor a date; write 2, {EXAMPLES}")
    earlier = [version for version in captures if version.captured_at < until]
    if not earlier:
        raise UsageError(f"nothing is kept from {which} or before; the oldest is from {_date(captures[-1].captured_at)}")
    return earlier[0]


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def index_pages(directory: CrawlDirectory) -> Iterator[int]:
    """Index the text of pages that are not indexed yet, and merge the archive's indexes; yield how many, batch by batch."""
    return driven(_index_pages(directory))


async def _index_pages(directory: CrawlDirectory) -> AsyncIterator[int]:
    settings = directory.settings()
    processors = make_processors(settings)
    async with (
        open_catalog(directory.path, settings, writing=True) as catalog,
        open_archive(directory.path, settings, SystemClock()) as archive,
    ):
        while pages := await catalog.unindexed(BATCH):
            await catalog.add_text([(page, await _text(archive, settings, processors, page)) for page in pages])
            yield len(pages)
        await archive.merge()


async def _text(archive: Archive, settings: Settings, processors: dict[str, Processor], page: Page) -> str:
    assert page.place is not None
    fetched = await archive.read(page.place)
    try:
        processor = processors.get(glimpse_of(fetched).mime)  # of a long file no more is read
        return processor.text(document_of(fetched, settings.fetch.max_decoded)) if processor else ""
    finally:
        fetched.body.close()
