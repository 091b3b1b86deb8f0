"""JSON Lines: a row a line, an object with the names of the columns; with text, markup and links of pages if asked for."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from gossamer.document.charset import to_text
from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions
from gossamer.records.page import Page
from gossamer.storage.export.rows import rows_of, written
from gossamer.storage.export.tables import TABLES

AT_ONCE = 1_000
READ_AT_ONCE = 50


class JsonlExport:
    """Writes JSON Lines."""

    is_folder = False
    tables = tuple(TABLES)
    extras = frozenset({"text", "html", "links"})

    def __init__(self, options: ExportOptions) -> None:
        self._options = options
        self._columns = TABLES.get(options.table, ())
        self._reads = options.table == "pages" and (options.text or options.html or options.links)

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every row as a line."""
        encode = msgspec.json.Encoder().encode
        names = [column.name for column in self._columns]
        async for rows in rows_of(holdings, self._options.table, READ_AT_ONCE if self._reads else AT_ONCE):
            columns = [written(column, rows) for column in self._columns]
            for number, values in enumerate(zip(*columns, strict=True)):
                line = dict(zip(names, values, strict=True))
                if self._reads:
                    line |= await self._read(holdings, rows[number])
                target.stream.write(encode(line) + b"\n")
            yield len(rows)

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
