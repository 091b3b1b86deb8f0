"""JSON Lines: a row a line, an object with the names of the columns; with texts, markup and links if they are asked for."""

from collections.abc import AsyncIterator

import msgspec

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions
from gossamer.storage.export.rows import rows_of, written
from gossamer.storage.export.tables import TABLES

AT_ONCE = 1_000


class JsonlExport:
    """Writes JSON Lines."""

    is_folder = False
    tables = tuple(TABLES)
    extras = frozenset({"text", "html", "links"})

    def __init__(self, options: ExportOptions) -> None:
        self._options = options
        self._columns = TABLES.get(options.table, ())

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every row as a line."""
        encode = msgspec.json.Encoder().encode
        names = [column.name for column in self._columns]
        async for rows in rows_of(holdings, self._options.table, AT_ONCE):
            columns = [written(column, rows) for column in self._columns]
            target.stream.writelines(encode(dict(zip(names, row, strict=True))) + b"\n" for row in zip(*columns, strict=True))
            yield len(rows)
