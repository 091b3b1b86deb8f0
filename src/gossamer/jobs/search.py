"""Look at what a crawl kept: list, search, show, index. Needs no lock, so it works beside a running crawl."""

import asyncio
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from gossamer.assemble import make_admission, make_processors, merge_index, open_catalog, read_record
from gossamer.config.sections import Settings
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.protocols import Processor
from gossamer.records import Page
from gossamer.url.parse import parse
from gossamer.worker.read import document_of

BATCH = 200


class Shown(Struct, frozen=True):
    """A kept page with its bytes."""

    page: Page
    head: bytes
    headers: tuple[tuple[str, str], ...]
    wire: bytes
    content: bytes
    text: str


def find_pages(directory: CrawlDirectory, **wanted: Any) -> list[Page]:
    """Return the pages that match."""
    return list(open_catalog(directory.path, directory.settings()).pages(**wanted))


def show_page(directory: CrawlDirectory, url: str) -> Shown:
    """Read a page back from the archive; a duplicate shows its original's content."""
    settings = directory.settings()
    catalog = open_catalog(directory.path, settings)
    key = make_admission(settings, ()).key(parse(url))
    page = asyncio.run(catalog.get(key))
    if page is None or page.place is None:
        why = f"it ended as {page.outcome}: {page.reason}" if page else "it was not fetched"
        raise UsageError(f"nothing is kept of {url}: {why}; `gossamer explain {directory.path} URL` tells more")
    fetched = read_record(directory.path, settings, page.place)
    if page.duplicate_of:
        original = asyncio.run(catalog.get(make_admission(settings, ()).key(parse(page.duplicate_of))))
        if original is not None and original.place is not None:
            fetched = read_record(directory.path, settings, original.place)
    document = document_of(fetched, settings.fetch.max_decoded)
    processor = make_processors(settings).get(document.mime)
    text = processor.text(document) if processor else f"({document.mime}, {len(document.content):,} bytes)"
    return Shown(page, fetched.response_head, fetched.headers, fetched.body.read(), document.content, text)


def index_pages(directory: CrawlDirectory) -> Iterator[int]:
    """Index the text of pages that are not indexed yet, and merge the archive's indexes; yield how many, batch by batch."""
    settings = directory.settings()
    catalog = open_catalog(directory.path, settings)
    processors = make_processors(settings)
    while True:
        pages = catalog.unindexed(BATCH)
        if not pages:
            merge_index(directory.path, settings)
            return
        catalog.add_text([(page, _text(directory, settings, processors, page)) for page in pages])
        yield len(pages)


def _text(directory: CrawlDirectory, settings: Settings, processors: dict[str, Processor], page: Page) -> str:
    assert page.place is not None
    fetched = read_record(directory.path, settings, page.place)
    document = document_of(fetched, settings.fetch.max_decoded)
    fetched.body.close()
    processor = processors.get(document.mime)
    return processor.text(document) if processor else ""
