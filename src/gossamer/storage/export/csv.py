"""CSV by RFC 4180: a heading, a row a line, UTF-8.

A spreadsheet takes a cell for a formula that begins with one of `= + - @`, or with white space before one; what a page calls
its title may be made for that. Such a cell gets an apostrophe in front, which spreadsheets take for "this is a text"; other
programs see one character more. Numbers are ours and stay as they are.
"""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, BinaryIO

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions
from gossamer.storage.export.rows import columns_of, spelled_out
from gossamer.storage.export.tables import TABLES

AT_ONCE = 1_000
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class CsvExport:
    """Writes CSV."""

    is_folder = False
    tables = tuple(TABLES)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None:
        self._options = options

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every row as a line."""
        table = TABLES[self._options.table]
        sheet = Sheet(target.stream, [column.name for column in table.columns])
        async for columns in columns_of(holdings, self._options.table, AT_ONCE):
            sheet.write(zip(*spelled_out(table, columns), strict=True))
            yield len(columns[0])


class Sheet:
    """Writes rows of cells to a stream."""

    def __init__(self, stream: BinaryIO, heading: Sequence[str]) -> None:
        self._stream = stream
        self._text = io.StringIO(newline="")
        self._writer = csv.writer(self._text, lineterminator="\r\n")
        self.write([heading])

    def write(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write some rows."""
        self._writer.writerows([_cell(value) for value in row] for row in rows)
        self._stream.write(self._text.getvalue().encode())
        self._text.seek(0)
        self._text.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return int(value) if isinstance(value, bool) else value
