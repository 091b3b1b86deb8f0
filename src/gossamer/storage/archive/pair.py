"""An answer and its request: two records that are written at once, and a line of the index."""

import os

from gossamer.records.fetch import Fetched
from gossamer.records.page import Original, Place
from gossamer.storage.archive import cdxj, warc

Packed = tuple[bytes, int, bytes]  # both records, how many bytes belong to what is kept, and its line


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
    kept = b"".join(warc.pack(warc.kept(fetched, digest, original, ids.of(number)), level))
    request = pack_request(fetched, ids, number, level)
    line = cdxj.line(fetched, digest, Place(file, offset, len(kept)), original is not None)
    return kept + request, len(kept), line


def pack_request(fetched: Fetched, ids: Ids, number: int, level: int) -> bytes:
    """Pack the request that led to the record of that number; nothing when it was none of HTTP."""
    if not fetched.request_head:
        return b""
    return b"".join(warc.pack(warc.request(fetched, ids.of(number + 1), ids.of(number)), level))
