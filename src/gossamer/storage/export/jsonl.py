"""JSON Lines: a row a line, an object with the names of the columns; with text, markup and links of pages if asked for.

An item is the object that its reader yielded, and nothing besides.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from gossamer.document.charset import to_text
from gossamer.joints.export import ExportTarget, Holdings
from gossamer.joints.walks import batches
from gossamer.records.export import ExportOptions
from gossamer.records.page import Page
from gossamer.storage.export.rows import columns_of, spelled_out
from gossamer.storage.export.tables import PAGES, TABLES

AT_ONCE = 1_000
READ_AT_ONCE = 50


class JsonlExport:
    """Writes JSON Lines."""

    is_folder = False
    tables = tuple(TABLES)
    extras = frozenset({"text", "html", "links"})

    def __init__(self, options: ExportOptions) -> None:
        self._options = options
        self._encode = msgspec.json.Encoder().encode
        self._names = [column.name for column in TABLES[options.table].columns] if options.table in TABLES else []

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every row as a line."""
        async for some in self._chosen(holdings):
            target.stream.writelines(some)
            yield len(some)

    def _chosen(self, holdings: Holdings) -> AsyncIterator[list[bytes]]:
        if self._options.table == "items":
            return self._items(holdings)
        asked = self._options.text or self._options.html or self._options.links
        return self._read_lines(holdings) if asked and self._options.table == "pages" else self._lines(holdings)

    async def _items(self, holdings: Holdings) -> AsyncIterator[list[bytes]]:
        async for items in batches(holdings.items(), AT_ONCE):
            yield [item.content + b"\n" for item in items]

    async def _lines(self, holdings: Holdings) -> AsyncIterator[list[bytes]]:
        async for columns in columns_of(holdings, self._options.table, AT_ONCE):
            yield [self._encode(line) + b"\n" for line in self._objects(columns)]

    async def _read_lines(self, holdings: Holdings) -> AsyncIterator[list[bytes]]:
        """Give the lines of pages with what was read of each."""
        async for pages in batches(holdings.pages(), READ_AT_ONCE):
            both = zip(pages, self._objects(PAGES.of(pages)), strict=True)
            yield [self._encode(line | await self._read(holdings, page)) + b"\n" for page, line in both]

    def _objects(self, columns: list[list[Any]]) -> Iterator[dict[str, Any]]:
        for row in zip(*spelled_out(TABLES[self._options.table], columns), strict=True):
            yield dict(zip(self._names, row, strict=True))

    async def _read(self, holdings: Holdings, page: Page) -> dict[str, Any]:
        """Return what was asked for of the document of a page; None of one that is not kept."""
        document = await holdings.document(page)
        told: dict[str, Any] = {}
        if self._options.text:
            told["text"] = None if document is None else holdings.text(document)
        if self._options.html:
            told["html"] = None if document is None else to_text(document.content, document.charset or page.charset or "utf-8")
        if self._options.links:
            told["links"] = None if document is None else holdings.links_of(document)
        return told
