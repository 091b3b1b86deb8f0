"""The lines of an index that is not written yet: some in memory, the rest in sorted runs that have no name on disk.

A file of a gigabyte may hold a million small records, whose lines would take 300 MB of memory. When there is no room for a run
its lines stay in memory: an index is derived, and nothing that is kept may fail because of it.

Whoever wants to know them meanwhile, in another process, finds them in a journal, in the order in which they came.
"""

import heapq
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

MOST = 25_000  # lines in memory: 8 MB, and sorting and writing them takes 20 ms


class SortedLines:
    """Collects lines in any order."""

    def __init__(self, directory: Path, journal: Path | None = None) -> None:
        self._directory = directory  # of the index
        self._lines: list[bytes] = []
        self._runs: list[IO[bytes]] = []
        self._journal = journal
        self._file: IO[bytes] | None = None  # the journal, when there was something to tell
        self._untold: list[bytes] = []  # not in the journal yet

    def append(self, line: bytes) -> None:
        """Take a line."""
        self._lines.append(line)
        if self._journal is not None:
            self._untold.append(line)
        if len(self._lines) % MOST == 0:
            with suppress(OSError):
                self._put_aside()

    def tell(self) -> None:
        """Write new lines into the journal."""
        if not self._untold or self._journal is None:
            return
        try:
            if self._file is None:
                self._file = self._journal.open("wb", buffering=0)
            self._file.write(b"".join(self._untold))
        except OSError:  # without a journal the file that is indexed is read instead
            self.forget()
        self._untold = []

    def forget(self) -> None:
        """Take the journal away: the index is written, or the journal cannot be."""
        if self._file is not None:
            self._file.close()
        if self._journal is not None:
            with suppress(OSError):
                self._journal.unlink(missing_ok=True)
        self._file = self._journal = None

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
