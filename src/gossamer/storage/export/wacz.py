"""WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/): a zip with the records, their index, the list of pages, and digests.

    archive/data.warc.gz     the records of the pages, and what they refer to (`warc.py`)
    indexes/index.cdx        CDXJ, sorted
    pages/pages.jsonl        the pages a reader may begin with: those of HTML that are there; with their texts if asked for
    datapackage.json         what is in it, with digests; datapackage-digest.json has the digest of that

Nothing is compressed once more, so that a replay can read a record where it stands.
"""

import hashlib
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, BinaryIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import msgspec

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions
from gossamer.records.page import Page
from gossamer.storage.archive import cdxj
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.export.rows import is_there, moment
from gossamer.storage.export.warc import write_records

AT_ONCE = 50
WACZ = "1.1.1"
RECORDS = "data.warc.gz"
PAGES = frozenset({"text/html", "application/xhtml+xml"})
PAGES_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "Pages"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # what a zip has for "no time"


class WaczExport:
    """Writes a WACZ."""

    is_folder = False
    tables = ("pages",)
    extras = frozenset({"text"})

    def __init__(self, options: ExportOptions) -> None:
        self._options = options

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write the records first; their index and the pages are gathered meanwhile."""
        lines, count = SortedLines(Path(gettempdir())), 0
        with Package(target.stream) as package, TemporaryFile() as pages:
            with package.file(f"archive/{RECORDS}") as records:
                async for record, place in write_records(holdings, records.write, RECORDS):
                    if place is not None:
                        lines.append(cdxj.line(record.fetched, record.digest, place, record.is_revisit))
                    if record.page is not None and is_there(record.page) and record.page.mime in PAGES:
                        pages.write(await self._page(holdings, record.page))
                    count += 1
                    if count % AT_ONCE == 0:
                        yield AT_ONCE
            with package.file("indexes/index.cdx") as index:
                for line in lines.in_order():
                    index.write(line)
            with package.file("pages/pages.jsonl") as listed:
                listed.write(_line(PAGES_HEAD | {"hasText": self._options.text}))
                pages.seek(0)
                for line in pages:
                    listed.write(line)
        yield count % AT_ONCE

    async def _page(self, holdings: Holdings, page: Page) -> bytes:
        name = hashlib.sha256(page.key.encode()).hexdigest()[:32]
        told: dict[str, Any] = {"id": name, "url": page.url, "ts": moment(int(page.captured_at * 1000)), "title": page.title}
        if self._options.text and (document := await holdings.document(page)) is not None:
            told["text"] = holdings.text(document)
        return _line(told)


class Package:
    """A zip whose files are stored as they are; it ends with the list of them and their digests."""

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = ZipFile(stream, "w", ZIP_STORED)
        self._resources: list[dict[str, Any]] = []

    def __enter__(self) -> "Package":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self._describe()
        self._zip.close()

    @contextmanager
    def file(self, path: str) -> Iterator["DigestedFile"]:
        """Begin a file; it must end before the next one begins."""
        with self._zip.open(ZipInfo(path, EPOCH), "w", force_zip64=True) as inner:
            file = DigestedFile(inner)
            yield file
        self._resources.append({"name": Path(path).name, "path": path, "hash": file.digest, "bytes": file.size})

    def _describe(self) -> None:
        about = {
            "profile": "data-package",
            "wacz_version": WACZ,
            "software": f"gossamer/{version('gossamer')}",
            "created": moment(int(time.time() * 1000)),
            "resources": self._resources,
        }
        with self.file("datapackage.json") as described:
            described.write(msgspec.json.format(msgspec.json.encode(about)))
        with self.file("datapackage-digest.json") as digests:
            digests.write(_line({"path": "datapackage.json", "hash": described.digest}))


class DigestedFile:
    """A file that knows the digest of what was written to it."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner = inner
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, piece: bytes) -> None:
        """Write some bytes."""
        self._inner.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    @property
    def digest(self) -> str:
        """The digest as a data package spells it."""
        return f"sha256:{self._digest.hexdigest()}"


def _line(told: dict[str, Any]) -> bytes:
    return msgspec.json.encode(told) + b"\n"
