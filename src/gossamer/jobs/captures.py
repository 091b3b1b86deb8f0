"""A capture of a page as it is kept: its head, its bytes, what a reader sees of it; by version, newest first."""

import asyncio
import re

from msgspec import Struct

from gossamer.errors import UsageError
from gossamer.jobs.search import chosen
from gossamer.jobs.shelves import OpenShelves
from gossamer.readers.document import document_of
from gossamer.records.fetch import Fetched
from gossamer.records.page import Document, Page
from gossamer.records.versions import Version
from gossamer.url.fingerprint import fingerprint

_CHARSET = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,40}$")


class NothingKept(UsageError):
    """Nothing is kept of a page."""


class Capture(Struct, frozen=True, kw_only=True):
    """One capture, decoded."""

    version: Version
    head: bytes  # status line and headers
    content: bytes  # transfer and content coding removed
    mime: str
    charset: str
    is_cut: bool


class FoundPage(Struct, frozen=True):
    """A page with its captures, newest first."""

    page: Page
    versions: tuple[Version, ...]


def id_of(key: str) -> str:
    """Return the id that doors call a URL by."""
    return f"{fingerprint(key):016x}"


async def find_page(shelves: OpenShelves, number: int | None, url: str, keys: tuple[str, ...] = ()) -> FoundPage | None:
    """Find a page by the fingerprint of its key, or by its URL; `keys`: others that the URL may be known by."""
    page = await (shelves.catalog.get_by_id(number) if number is not None else shelves.kept.look_up(url))
    for key in keys:
        if page is None or page.place is None:
            page = await shelves.catalog.get(key) or page
    return None if page is None else FoundPage(page, tuple(await shelves.catalog.versions(page.key)))


def version_of(found: FoundPage, which: str) -> Version:
    """Return the version that a text names: a number, 1 is the newest, or a date; without one the page's own."""
    page = found.page
    if not found.versions or (page.place is None and not which):
        why = f"it ended as {page.outcome}" + (f": {page.reason.text}" if page.reason is not None else "")
        raise NothingKept(f"nothing is kept of {page.url}: {why}")
    if which:
        return chosen(list(found.versions), which)
    return next((one for one in found.versions if one.place == page.place), found.versions[0])


async def read_capture(shelves: OpenShelves, version: Version) -> Capture:
    """Read a capture; one that says that it is the same as another has the content of that."""
    fetched = await shelves.kept.read(version.place, version.digest)
    try:
        document = await asyncio.to_thread(_decoded, fetched, shelves.settings.fetch.max_decoded)
    finally:
        fetched.body.close()
    return Capture(
        version=version,
        head=fetched.response_head,
        content=document.content,
        mime=document.mime,
        charset=document.charset if _CHARSET.match(document.charset) else "",
        is_cut=document.cut or bool(fetched.truncated),
    )


def _decoded(fetched: Fetched, most: int) -> Document:
    return document_of(fetched, max(most, fetched.body.size))


async def text_of(shelves: OpenShelves, url: str, capture: Capture) -> str | None:
    """Return what a reader sees of a capture; None: its type has no text."""
    processor = shelves.processors.get(capture.mime)
    if processor is None:
        return None
    document = Document(url=url, mime=capture.mime, content=capture.content, charset=capture.charset, cut=capture.is_cut)
    return await asyncio.to_thread(processor.text, document)


async def packed_of(shelves: OpenShelves, version: Version) -> bytes:
    """Return the record of a capture and its request as WARC 1.1, each a gzip member."""
    packed = await shelves.archive.packed(version.place)
    try:
        return packed.content.read()
    finally:
        packed.content.close()
