"""The blocks of a link graph's files: a head (mark, length, checksum, pages, edges), then the compressed columns of some pages.

Without numpy, which a crawl that only writes has no use for: it takes as long to import as all the rest.
"""

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct as Packed

from gossamer.edges import WIDTH

_MARK = b"GEB1"
_head = Packed("<4sIIII")
HEAD = _head.size


def block(payload: bytes, pages: int, edges: int) -> bytes:
    """Return compressed columns with their head."""
    return _head.pack(_MARK, len(payload), zlib.crc32(payload), pages, edges) + payload


def columns(pages: Sequence[tuple[int, bytes]]) -> bytes:
    """Lay out pages by columns: those of a site share many targets, which compress the better for standing together."""
    names = b"".join([page.to_bytes(8, "little") for page, _ in pages])
    counts = b"".join([(len(packed) // WIDTH).to_bytes(4, "little") for _, packed in pages])
    targets = [packed[: len(packed) // WIDTH * 8] for _, packed in pages]
    ways = [packed[len(packed) // WIDTH * 8 :] for _, packed in pages]
    return b"".join([names, counts, *targets, *ways])


def blocks(path: Path) -> Iterator[tuple[int, bytes, int, int]]:
    """Walk over the whole blocks of a file: offset, payload, pages, edges."""
    with path.open("rb") as file:
        offset = 0
        while len(head := file.read(_head.size)) == _head.size:
            mark, length, checksum, pages, edges = _head.unpack(head)
            payload = file.read(length)
            if mark != _MARK or len(payload) < length or zlib.crc32(payload) != checksum:
                return
            yield offset, payload, pages, edges
            offset += _head.size + length
