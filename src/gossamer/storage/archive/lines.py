"""The lines of an index that is not written yet: some in memory, the rest in sorted runs that have no name on disk.

A file of a gigabyte may hold a million small records, whose lines would take 300 MB of memory. When there is no room for a run
its lines stay in memory: an index is derived, and nothing that is kept may fail because of it.
"""

import heapq
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

MOST = 25_000  # lines in memory: 8 MB, and sorting and writing them takes 20 ms


class Lines:
    """Collects lines in any order."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory  # of the index
        self._lines: list[bytes] = []
        self._runs: list[IO[bytes]] = []

    def append(self, line: bytes) -> None:
        """Take a line."""
        self._lines.append(line)
        if len(self._lines) % MOST == 0:
            with suppress(OSError):
                self._put_aside()

    def in_order(self) -> Iterator[bytes]:
        """Walk over all lines once, in order."""
        for run in self._runs:
            run.seek(0)
        yield from heapq.merge(*self._runs, sorted(self._lines))
        for run in self._runs:
            run.close()

    def _put_aside(self) -> None:
        run = tempfile.TemporaryFile(dir=self._directory)  # noqa: SIM115 - open until the index is written
        try:
            run.writelines(sorted(self._lines))
            run.flush()
        except OSError:
            run.close()
            raise
        self._runs.append(run)
        self._lines = []
