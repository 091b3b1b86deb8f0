"""An answer and its request: two records that are written at once, and a line of the index.

A module in C (`_pair.c`, where it was compiled) puts together what nearly every page needs, a response that came over HTTP.
What it passes over, and everything where nothing was compiled, is put together by `warc.py`, `member.py` and `cdxj.py`. Both
ways write the same bytes.
"""

import os
from collections.abc import Callable
from hashlib import sha1

from isal import isal_zlib

from gossamer.document.digest import digest_text
from gossamer.records.fetch import Fetched
from gossamer.records.page import Original, Place
from gossamer.storage.archive import cdxj, member, warc

Packed = tuple[bytes, int, bytes]  # both records, how many bytes belong to what is kept, and its line

_compiled: Callable[..., tuple[bytes, int, bytes | None] | None] | None = None
try:
    from gossamer.storage.archive import _pair
except ImportError:
    pass  # nothing was compiled
else:
    _compiled = _pair.pack


class Ids:
    """Numbers records from a random beginning: UUIDs (version 4 by their form) as URNs, unlike those of any other archive.

    A record and its request differ in a digit, which compresses better than two random numbers, and is made sooner.
    """

    def __init__(self) -> None:
        base = os.urandom(12).hex()
        self.start = f"urn:uuid:{base[:8]}-{base[8:12]}-4{base[12:15]}-a{base[15:18]}-"
        self._next = int(base[12:], 16) & ~1

    def draw(self) -> int:
        """Return the number of a record; the next one is its request's."""
        number = self._next & 0xFFFF_FFFF_FFFF
        self._next += 2
        return number

    def of(self, number: int) -> str:
        """Spell an id."""
        return f"{self.start}{number:012x}"


def pack(fetched: Fetched, digest: str, original: Original | None, ids: Ids, file: str, offset: int, level: int) -> Packed:
    """Pack an answer that is not long (a revisit when there is an `original`) and its request, for a place in a file."""
    number = ids.draw()
    if _compiled is None or original is not None or fetched.truncated or level != member.FAST:
        return _pack(fetched, digest, original, ids, number, file, offset, level)
    head, body = fetched.response_head, fetched.body.read()
    block = sha1(head)
    block.update(body)
    packed = _compiled(
        fetched,
        body,
        digest_text(sha1(body)) if fetched.chunked else digest,
        digest,
        block.digest(),
        sha1(fetched.request_head).digest(),
        round(fetched.started * 1_000_000),
        ids.start,
        number,
        offset,
        file,
        isal_zlib.crc32,
        member.compress,
    )
    if packed is None:
        return _pack(fetched, digest, original, ids, number, file, offset, level)
    both, length, line = packed
    return both, length, cdxj.line(fetched, digest, Place(file, offset, length), False) if line is None else line


def _pack(
    fetched: Fetched, digest: str, original: Original | None, ids: Ids, number: int, file: str, offset: int, level: int
) -> Packed:
    kept = b"".join(warc.pack(warc.kept(fetched, digest, original, ids.of(number)), level))
    request = pack_request(fetched, ids, number, level)
    line = cdxj.line(fetched, digest, Place(file, offset, len(kept)), original is not None)
    return kept + request, len(kept), line


def pack_request(fetched: Fetched, ids: Ids, number: int, level: int) -> bytes:
    """Pack the request that led to the record of that number; nothing when it was none of HTTP."""
    if not fetched.request_head:
        return b""
    return b"".join(warc.pack(warc.request(fetched, ids.of(number + 1), ids.of(number)), level))
