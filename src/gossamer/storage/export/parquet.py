"""Parquet by pyarrow (the extra `export`): a row group each so many rows, columns compressed with zstd."""

from collections.abc import AsyncIterator
from typing import Any

from gossamer.errors import PluginError
from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions
from gossamer.storage.export.rows import columns_of
from gossamer.storage.export.tables import TABLES, Column

AT_ONCE = 1_000  # rows: what is made of them stays in the processor's cache, which saves an eighth
GROUP = 50_000  # rows written together


class ParquetExport:
    """Writes Parquet."""

    is_folder = False
    tables = tuple(TABLES)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise PluginError("Parquet is written by pyarrow, which is not installed: pip install gossamer[export]") from None
        self._arrow: Any = pyarrow
        self._options = options

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every row."""
        arrow, columns = self._arrow, TABLES[self._options.table].columns
        schema = arrow.schema([(column.name, self._type(column)) for column in columns])
        with arrow.parquet.ParquetWriter(target.stream, schema, compression="zstd") as writer:
            group: list[Any] = []
            async for values in columns_of(holdings, self._options.table, AT_ONCE):
                arrays = [arrow.array(one, kind) for one, kind in zip(values, schema.types, strict=True)]
                group.append(arrow.record_batch(arrays, schema=schema))
                if len(group) * AT_ONCE == GROUP:
                    writer.write_table(arrow.Table.from_batches(group))
                    group = []
                yield len(values[0])
            writer.write_table(arrow.Table.from_batches(group, schema))

    def _type(self, column: Column) -> Any:
        arrow = self._arrow
        types = {
            "text": arrow.string(),
            "small": arrow.int16(),
            "integer": arrow.int64(),
            "number": arrow.float64(),
            "time": arrow.timestamp("ms", "UTC"),
            "flag": arrow.bool_(),
        }
        return types[column.kind]
