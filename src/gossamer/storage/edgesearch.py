"""Look for one page in the files of a link graph: where it links, and who links to it; beside a crawl that writes them.

Nothing is sorted by page, so blocks are gone through one by one. Of a large graph that takes longer than somebody who asked
should wait: then it ends with an error that says so, and nothing was lost by it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

import numpy as np
import zstandard

from gossamer.errors import TookTooLong
from gossamer.storage.edgeblocks import blocks, longest
from gossamer.storage.edgetable import Columns, columns_of


class _Deadline:
    """The time that a search has."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds

    def check(self) -> None:
        """Raise when it is over."""
        if monotonic() > self._end:
            raise TookTooLong(
                f"the link graph is too large to be looked through in {self._seconds:g} s; `gossamer export` writes all of it"
            )


def links_from(files: Sequence[Path], page: int, seconds: float) -> bytes | None:
    """Return the edges that a page was last read with."""
    deadline = _Deadline(seconds)
    for path in reversed(files):
        found = None
        for pages, counts, _, targets, ways in _blocks(path, deadline):
            hits = np.flatnonzero(pages == np.uint64(page))
            if len(hits):
                start = int(counts[: hits[-1]].sum())
                end = start + int(counts[hits[-1]])
                found = targets[start:end].tobytes() + ways[start:end].tobytes()
        if found is not None:
            return found
    return None


def links_to(files: Sequence[Path], page: int, seconds: float) -> list[tuple[int, int]]:
    """Return the pages that link to one, and how; a page that was read again counts as it was read last."""
    deadline, found = _Deadline(seconds), dict[int, list[int]]()
    for path in files:
        for pages, counts, _, targets, ways in _blocks(path, deadline):
            hits = np.flatnonzero(targets == np.uint64(page))
            ends = np.cumsum(counts, dtype=np.int64)
            at = np.searchsorted(ends, hits, "right")
            if found:
                for source in pages[np.isin(pages, np.fromiter(found, np.uint64, len(found)))].tolist():
                    found.pop(source, None)  # it was read anew
            last = dict(zip(pages.tolist(), range(len(pages)), strict=True)) if len(hits) else {}
            for where, hit in zip(at.tolist(), hits.tolist(), strict=True):
                source = int(pages[where])
                if last[source] == where:  # a block may hold a page twice
                    found.setdefault(source, []).append(int(ways[hit]))
    return [(source, way) for source in sorted(found) for way in found[source]]


def _blocks(path: Path, deadline: _Deadline) -> Iterator[Columns]:
    unpack = zstandard.ZstdDecompressor().decompress
    for _, payload, pages, edges in blocks(path):
        deadline.check()
        yield columns_of(unpack(payload, max_output_size=longest(pages, edges)), pages, edges)
