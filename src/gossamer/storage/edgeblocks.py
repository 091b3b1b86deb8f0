"""The blocks of a link graph's files: a head (mark, length, checksum, pages, edges), then the compressed columns of some pages.

The columns are the fingerprints of the pages (8 bytes each), how many edges each has (4), of which host each is (4, the lower
half of the fingerprint of its name; some blocks have no such column), then of all edges the targets (8) and the
ways (1). Without numpy, which a crawl that only writes has no use for: it takes as long to import as all the rest.
"""

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct as Packed
from struct import pack

from gossamer.edges import WIDTH

_MARK = b"GEB3"
_head = Packed("<4sIIII")
_counts = Packed("<II")
HEAD = _head.size
HOST = 4  # bytes
_LOW = (1 << 32) - 1


def block(payload: bytes, pages: int, edges: int) -> bytes:
    """Return compressed columns with their head."""
    return _head.pack(_MARK, len(payload), _checksum(payload, pages, edges), pages, edges) + payload


def columns(pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> bytes:
    """Lay out pages by columns: those of a site share many targets, which compress the better for standing together."""
    count = len(pages)
    sizes = [len(packed) // WIDTH for _, packed in pages]
    names = pack(f"<{count}Q", *[page for page, _ in pages])
    counts = pack(f"<{count}I", *sizes)
    homes = pack(f"<{len(hosts)}I", *[host & _LOW for host in hosts])
    targets = [packed[: size * 8] for (_, packed), size in zip(pages, sizes, strict=True)]
    ways = [packed[size * 8 :] for (_, packed), size in zip(pages, sizes, strict=True)]
    return b"".join([names, counts, homes, *targets, *ways])


def blocks(path: Path, offset: int = 0) -> Iterator[tuple[int, bytes, int, int]]:
    """Walk over the whole blocks of a file from an offset on: offset, payload, pages, edges."""
    with path.open("rb") as file:
        file.seek(offset)
        while len(head := file.read(_head.size)) == _head.size:
            mark, length, checksum, pages, edges = _head.unpack(head)
            payload = file.read(length) if mark == _MARK else b""
            if mark != _MARK or len(payload) < length or _checksum(payload, pages, edges) != checksum:
                return
            yield offset, payload, pages, edges
            offset += _head.size + length


def has_block(path: Path, offset: int) -> bool:
    """Tell whether there is a whole block anywhere from an offset on: then what stands before it was not torn off."""
    with path.open("rb") as file:
        file.seek(offset)
        rest = file.read()
    at = rest.find(_MARK)
    while at >= 0:
        if any(True for _ in blocks(path, offset + at)):
            return True
        at = rest.find(_MARK, at + 1)
    return False


def _checksum(payload: bytes, pages: int, edges: int) -> int:
    return zlib.crc32(_counts.pack(pages, edges), zlib.crc32(payload))


def longest(pages: int, edges: int) -> int:
    """Return how many bytes the columns of a block have at most."""
    return (8 + 4 + HOST) * pages + WIDTH * edges
