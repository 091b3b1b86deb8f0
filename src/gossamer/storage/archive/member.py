"""One gzip member (RFC 1952): what a record is on disk.

A body that a server compressed is not compressed again: it is stored behind the deflated head, as deflate has it (RFC 1951,
section 3.2.4). To try takes three times as long as all the rest of a record and gains nothing; the head alone becomes smaller
than together with bytes that look like noise. What is small is compressed by a module of ours where that was compiled
(`_deflate.c`), and asked for (`FAST`); by ISA-L otherwise.
"""

from collections.abc import Callable, Iterable, Iterator
from struct import Struct as Packed

from isal import igzip_lib, isal_zlib

from gossamer.compiled import optional
from gossamer.document.body import Body

LARGE = 1024 * 1024  # a longer body is compressed piece by piece

FAST = 1  # the level of who does not ask for another
SMALL = 2048  # bytes of a text; of a longer one a code of its own is worth its time

_TOP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # deflate, no time, no name, an unknown system
_END = b"\r\n\r\n"
_MOST = 0xFFFF  # bytes of a stored block
_block = Packed("<BHH").pack
_check = Packed("<II").pack

_quick = optional("gossamer.storage.archive._deflate")
_deflate: Callable[[bytes, bool], bytes] | None = _quick.deflate if _quick else None


def pack(head: bytes, body: Body | None, level: int) -> Iterable[bytes]:
    """Compress a record: one piece when it is small, else pieces."""
    if body is not None and body.size > LARGE:
        return _pack_long(head, body, level)
    text = head + (_END if body is None else body.read() + _END)
    if _deflate is not None and level == FAST and len(text) <= SMALL and text.isascii():
        return (_TOP + _deflate(text, True) + _check(isal_zlib.crc32(text), len(text)),)
    return (compress(text, level),)


def _pack_long(head: bytes, body: Body, level: int) -> Iterator[bytes]:
    deflate = isal_zlib.compressobj(level, isal_zlib.DEFLATED, 31)
    yield deflate.compress(head)
    for piece in body.pieces():
        yield deflate.compress(piece)
    yield deflate.compress(_END) + deflate.flush()


def compress(text: bytes, level: int = FAST) -> bytes:
    """Make a member of a text that is at hand."""
    return igzip_lib.compress(text, level, igzip_lib.COMP_GZIP)


def store(head: bytes, body: Body, level: int) -> Iterable[bytes]:
    """Compress the head of a record and leave its body as it is: one piece when it is small, else pieces."""
    if body.size > _MOST - len(_END):
        return _store_long(head, body, level)
    content, size = body.read(), body.size + len(_END)
    checksum = isal_zlib.crc32(_END, isal_zlib.crc32(content, isal_zlib.crc32(head)))
    last = _check(checksum, len(head) + size)
    return (b"".join((_TOP, _begun(head, level), _block(True, size, size ^ _MOST), content, _END, last)),)


def _store_long(head: bytes, body: Body, level: int) -> Iterator[bytes]:
    yield _TOP + _begun(head, level)
    checksum = isal_zlib.crc32(head)
    length = len(head) + body.size + len(_END)
    for piece in body.pieces():
        checksum = isal_zlib.crc32(piece, checksum)
        for start in range(0, len(piece), _MOST):
            yield _stored(piece[start : start + _MOST], False)
    yield _stored(_END, True) + _check(isal_zlib.crc32(_END, checksum), length & 0xFFFF_FFFF)


def _begun(head: bytes, level: int) -> bytes:
    """Compress a text so that a stored block can follow."""
    if _deflate is not None and level == FAST and len(head) <= SMALL and head.isascii():
        return _deflate(head, False)
    deflate = isal_zlib.compressobj(level, isal_zlib.DEFLATED, -15)
    return deflate.compress(head) + deflate.flush(isal_zlib.Z_SYNC_FLUSH)


def _stored(content: bytes, is_last: bool) -> bytes:
    return _block(is_last, len(content), len(content) ^ 0xFFFF) + content
