"""What was measured, kept for people (text) and for the next run (JSON) in `bench/results`.

A run writes one file of each kind, after every table, so that a run that is stopped keeps what it has. A table is compared
with the newest earlier run of the same scale that holds a table of that title.
"""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.table import Table, text

FOLDER = Path(__file__).parent / "results"


class Run:
    """One run, as it is written down."""

    def __init__(self, scale: str, folder: Path = FOLDER) -> None:
        folder.mkdir(exist_ok=True)
        now = datetime.now(UTC)
        self.path = folder / f"{now:%Y%m%d-%H%M%S}-{scale}"
        self._machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, Linux {platform.release()}"
        self._heading = f"{now:%Y-%m-%d %H:%M} UTC, {scale}, {self._machine}"
        self._texts: list[str] = []
        self._tables: list[dict[str, Any]] = []
        self._before = earlier(folder, scale)

    def add(self, benchmark: str, table: Table) -> str:
        """Keep a table; return it as text, compared with the run before."""
        shown = text(table.compared(self._before.get(table.title)))
        self._texts.append(shown)
        self._tables.append({"benchmark": benchmark, **table.plain()})
        told = {"machine": self._machine, "tables": self._tables}
        self.path.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")
        self.path.with_suffix(".txt").write_text("\n\n".join([self._heading, *self._texts]) + "\n")
        return shown


def earlier(folder: Path, scale: str) -> dict[str, dict[str, Any]]:
    """Return the newest table of each title among the runs of a scale."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob(f"*-{scale}.json")):
        found |= {table["title"]: table for table in json.loads(path.read_text())["tables"]}
    return found
