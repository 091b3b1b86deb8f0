"""Tables of results: what a benchmark returns, as text for people and as plain values for the next run to compare with.

A column may be the table's headline: the figure a change of the code is judged by. Its difference to the previous run of the
same benchmark at the same scale stands beside it. Rows are told apart by the texts in them, so a row that is new, or gone,
compares with nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Value = str | float | int | None
Row = dict[str, Value]


@dataclass(frozen=True)
class Column:
    """One column: the key of its values, its heading, and how a number is written (`,.0f` and the like)."""

    key: str
    heading: str
    form: str = ""
    unit: str = ""
    headline: bool = False

    def show(self, value: Value) -> str:
        """Write a value."""
        if value is None:
            return "-"
        return value if isinstance(value, str) else format(value, self.form) + self.unit


@dataclass
class Table:
    """A title, columns, rows, and what a reader must know to read them."""

    title: str
    columns: Sequence[Column]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return the table as plain values."""
        return {"title": self.title, "columns": [asdict(each) for each in self.columns], "rows": self.rows, "notes": self.notes}

    def compared(self, before: dict[str, Any] | None) -> "Table":
        """Return the table with a column of differences to an earlier one, as `plain` gave it."""
        headline = next((column for column in self.columns if column.headline), None)
        if before is None or headline is None:
            return self
        earlier = {_name(row): row.get(headline.key) for row in before["rows"]}
        rows = [{**row, "change": change(row.get(headline.key), earlier.get(_name(row)))} for row in self.rows]
        if all(row["change"] is None for row in rows):
            return self
        return Table(self.title, (*self.columns, Column("change", "vs before")), rows, self.notes)


def change(now: Value, before: Value) -> str | None:
    """Say by how much a figure changed, in percent; None when there is nothing to compare."""
    if isinstance(now, str) or isinstance(before, str) or not now or not before:
        return None
    return f"{100 * (now / before - 1):+.0f} %"


def _name(row: Row) -> tuple[str, ...]:
    return tuple(value for key, value in row.items() if isinstance(value, str) and key not in ("change", "remark"))


def text(table: Table) -> str:
    """Lay a table out: texts to the left, numbers to the right."""
    cells = [[column.heading for column in table.columns]]
    cells += [[column.show(row.get(column.key)) for column in table.columns] for row in table.rows]
    widths = [max(len(line[index]) for line in cells) for index in range(len(table.columns))]
    left = [not column.form for column in table.columns]
    lines = [f"== {table.title}", *("  ".join(_pad(line, widths, left)).rstrip() for line in cells)]
    return "\n".join([*lines, *(f"   {note}" for note in table.notes)])


def _pad(line: list[str], widths: list[int], left: list[bool]) -> Iterable[str]:
    for cell, width, is_left in zip(line, widths, left, strict=True):
        yield cell.ljust(width) if is_left else cell.rjust(width)
