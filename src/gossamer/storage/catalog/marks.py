"""Finds a page by the fingerprint of its key, without an index over fingerprints.

Fingerprints are spread evenly, so every page would be put into another leaf of such an index, and a commit would write that
leaf: an eighth of what a page costs. Here pages are marked in blocks of their numbers instead, when a block is full: four bytes
a page, two of the fingerprint and two of its number within the block, in one of BUCKETS rows by six more bits of the
fingerprint. To find a page, one bucket is searched, a quarter of a kilobyte for 4,096 pages, and the pages of the block that is
not full yet are looked at; its key then says whether it is the one.
"""

import sqlite3

from gossamer.url.fingerprint import fingerprint, hashed_bytes

BLOCK = 4_096  # pages; whoever fills it needs some milliseconds
BUCKETS = 64
_KEYS = "SELECT id, key FROM pages WHERE id > ? AND id <= ? ORDER BY id"
_KEY = "SELECT key FROM pages WHERE id = ?"
_FULL = "SELECT coalesce(max(block) + 1, 0) FROM marks WHERE bucket = 0"
_INSERT = "INSERT OR IGNORE INTO marks (bucket, block, marks) VALUES (?, ?, ?)"
_BUCKET = "SELECT block, marks FROM marks WHERE bucket = ? ORDER BY block DESC"


class Marks:
    """The marks of a catalog, for its writer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._full: int | None = None  # blocks, as far as is known

    def note(self, last: int) -> None:
        """Mark the pages of blocks that are full, in a transaction; `last` is a number that a page has, or 0."""
        if self._full is not None and last < (self._full + 1) * BLOCK:
            return
        (self._full,) = self._connection.execute(_FULL).fetchone()
        while last >= (self._full + 1) * BLOCK:
            self._mark(self._full)
            self._full += 1

    def forget(self) -> None:
        """Forget what is known, after a transaction that failed."""
        self._full = None

    def _mark(self, block: int) -> None:
        first = block * BLOCK
        buckets = [bytearray() for _ in range(BUCKETS)]
        for number, key in self._connection.execute(_KEYS, (first, first + BLOCK)):
            end = hashed_bytes(key)[5:]  # of the bits that a fingerprint has from its key
            buckets[end[0] % BUCKETS] += end[1:] + (number - first - 1).to_bytes(2, "big")
        self._connection.executemany(_INSERT, [(bucket, block, bytes(marks)) for bucket, marks in enumerate(buckets)])


def find(connection: sqlite3.Connection, name: int) -> str | None:
    """Return the key of the page with a fingerprint; of two the one that came later."""
    (full,) = connection.execute(_FULL).fetchone()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()
    end = (name & 0xFF_FFFF).to_bytes(3, "big")
    found = [key for _, key in connection.execute(_KEYS, (full * BLOCK, last)) if hashed_bytes(key)[5:] == end]
    for key in reversed(found):
        if fingerprint(key) == name:
            return str(key)
    for block, marks in connection.execute(_BUCKET, (end[0] % BUCKETS,)):
        place = marks.find(end[1:])
        while place >= 0:
            if place % 4 == 0:
                number = block * BLOCK + int.from_bytes(marks[place + 2 : place + 4], "big") + 1
                (key,) = connection.execute(_KEY, (number,)).fetchone() or ("",)
                if key and fingerprint(key) == name:
                    return str(key)
            place = marks.find(end[1:], place + 1)
    return None
