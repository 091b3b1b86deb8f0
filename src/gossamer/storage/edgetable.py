"""A whole link graph in memory, as columns: read from its files, each page with its latest edges; and written as blocks."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import zstandard
from msgspec import Struct
from numpy.typing import NDArray

from gossamer.errors import StoreError
from gossamer.seal import RESTORE
from gossamer.storage.edgeblocks import HEAD, HOST, block, blocks, longest

Columns = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint8]]


class Edges(Struct, frozen=True):
    """A whole graph, each page once, in the order in which pages were last read."""

    pages: NDArray[np.uint64]  # fingerprints
    counts: NDArray[np.uint32]  # edges of each
    hosts: NDArray[np.uint32]  # of each; 0: not known
    targets: NDArray[np.uint64]
    ways: NDArray[np.uint8]

    @property
    def sources(self) -> NDArray[np.uint64]:
        """Return the page of every edge."""
        return np.repeat(self.pages, self.counts)

    def each(self) -> Iterator[tuple[int, bytes]]:
        """Walk over every page with its edges."""
        ends = np.cumsum(self.counts, dtype=np.int64).tolist()
        start = 0
        for page, end in zip(self.pages.tolist(), ends, strict=True):
            yield page, self.targets[start:end].tobytes() + self.ways[start:end].tobytes()
            start = end


def read_all(files: Sequence[Path], is_whole: bool) -> Edges:
    """Read a graph from its files; the last one may still grow, unless it `is_whole`."""
    last = None if is_whole else files[-1] if files else None
    return latest([columns for path in files for columns in _read(path, may_be_torn=path == last)])


def _read(path: Path, may_be_torn: bool) -> Iterator[Columns]:
    """Walk over the columns of each block; only a file that may still grow can end within one."""
    unpack = zstandard.ZstdDecompressor().decompress
    end = 0
    for offset, payload, pages, edges in blocks(path):
        end = offset + HEAD + len(payload)
        yield columns_of(unpack(payload, max_output_size=longest(pages, edges)), pages, edges)
    if not may_be_torn and path.stat().st_size > end:
        raise StoreError(f"{path} is damaged at byte {end:,}; {RESTORE}")


def columns_of(content: bytes, pages: int, edges: int) -> Columns:
    """Return the columns of a block; one without hosts has those that are not known."""
    has_hosts = len(content) == longest(pages, edges)
    targets = (12 + HOST if has_hosts else 12) * pages
    return (
        np.frombuffer(content, "<u8", pages),
        np.frombuffer(content, "<u4", pages, 8 * pages),
        np.frombuffer(content, "<u4", pages, 12 * pages) if has_hosts else np.zeros(pages, "<u4"),
        np.frombuffer(content, "<u8", edges, targets),
        np.frombuffer(content, "u1", edges, targets + 8 * edges),
    )


def latest(blocks: Sequence[Columns]) -> Edges:
    """Join blocks, of each page only the last edges."""
    if not blocks:
        return Edges(np.zeros(0, "<u8"), np.zeros(0, "<u4"), np.zeros(0, "<u4"), np.zeros(0, "<u8"), np.zeros(0, "u1"))
    pages, counts, hosts, targets, ways = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    _, from_behind = np.unique(pages[::-1], return_index=True)
    if len(from_behind) == len(pages):
        return Edges(pages, counts, hosts, targets, ways)
    is_last = np.zeros(len(pages), bool)
    is_last[len(pages) - 1 - from_behind] = True
    of_last = np.repeat(is_last, counts)
    return Edges(pages[is_last], counts[is_last], hosts[is_last], targets[of_last], ways[of_last])


def blocks_of(graph: Edges, at_once: int = 4096) -> Iterator[bytes]:
    """Write a graph as blocks of so many pages."""
    compress = zstandard.ZstdCompressor(level=3).compress
    ends = np.concatenate([[0], np.cumsum(graph.counts, dtype=np.int64)])
    for start in range(0, len(graph.pages), at_once):
        pages, counts, hosts = (column[start : start + at_once] for column in (graph.pages, graph.counts, graph.hosts))
        some = slice(int(ends[start]), int(ends[start + len(pages)]))
        columns = (pages, counts, hosts, graph.targets[some], graph.ways[some])
        payload = compress(b"".join(column.tobytes() for column in columns))
        yield block(payload, len(pages), some.stop - some.start)
