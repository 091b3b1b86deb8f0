"""Page ranks as a table beside the graph: whoever scores a URL looks its fingerprint up.

A mark, how many pages had been read, how many have a rank, a checksum of the numbers and rows (4, 4, 8 and 8 bytes); then their
fingerprints in order, then as many ranks; a rank of 1 is the average. The file is replaced whole, so it can be read at any
time, also while another one is computed. What has a rank is what was linked when it was computed. Read without numpy, which a
crawl has no other use for.
"""

import mmap
import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from xxhash import xxh3_64

from gossamer.durability import sync_directory
from gossamer.errors import StoreError
from gossamer.storage.archive.segment import failure

NAME = "ranks"

_MARK = b"GRK2"
_HEAD = 24


class PageRanks:
    """The ranks as they were last computed."""

    def __init__(self, fingerprints: Sequence[int], ranks: Sequence[float], pages: int = 0) -> None:
        self._fingerprints = fingerprints
        self._ranks = ranks
        self.pages = pages  # that had been read when a crawl computed them; 0: it did not

    def __len__(self) -> int:
        return len(self._fingerprints)

    @classmethod
    def read_at(cls, directory: Path) -> "PageRanks":
        """Open the table of a graph; an empty one when there is none yet."""
        path = directory / NAME
        try:
            with path.open("rb") as file:
                raw = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except FileNotFoundError:
            return cls((), ())
        except OSError as error:
            raise failure(error, path) from error
        except ValueError:  # an empty file cannot be mapped
            raw = memoryview(b"")
        count = int.from_bytes(raw[8:16], "little")
        if raw[:4] != _MARK or len(raw) != _HEAD + 12 * count or raw[16:_HEAD] != _checksum(raw[4:16], raw[_HEAD:]):
            raise StoreError(f"{path} is damaged or no table of ranks; remove it and compute them with `gossamer graph`")
        middle = _HEAD + 8 * count
        return cls(_numbers(raw[_HEAD:middle], "Q"), _numbers(raw[middle:], "f"), int.from_bytes(raw[4:8], "little"))

    def of(self, fingerprints: Sequence[int]) -> list[float]:
        """Return the rank of each; 0 for what was not linked."""
        return [self._of(each) for each in fingerprints]

    def _of(self, fingerprint: int) -> float:
        place = bisect_left(self._fingerprints, fingerprint)
        if place == len(self) or self._fingerprints[place] != fingerprint:
            return 0.0
        return self._ranks[place]


def _checksum(counts: bytes | memoryview, rows: bytes | memoryview) -> bytes:
    hasher = xxh3_64(counts)
    hasher.update(rows)
    return hasher.digest()


def _numbers(raw: memoryview, code: str) -> Sequence[int]:
    """Return numbers that were written with the lowest byte first."""
    if sys.byteorder == "little":
        return raw.cast(code)  # type: ignore[call-overload, no-any-return]
    numbers: array[int] = array(code, raw.tobytes())
    numbers.byteswap()
    return numbers


def write_ranks(directory: Path, fingerprints: Sequence[int], ranks: Sequence[float]) -> None:
    """Replace the table; the fingerprints are in order, each once."""
    import numpy as np

    rows = np.asarray(fingerprints, "<u8").tobytes() + np.asarray(ranks, "<f4").tobytes()
    replace_table(directory, len(fingerprints), rows)


def replace_table(directory: Path, count: int, rows: bytes, pages: int = 0) -> None:
    """Replace the table by so many fingerprints, in order and each once, and their ranks."""
    path = directory / NAME
    draft = path.with_suffix(f".{os.getpid()}.new")  # `gossamer graph` may do the same beside a crawl
    try:
        with draft.open("wb") as file:
            counts = pages.to_bytes(4, "little") + count.to_bytes(8, "little")
            file.write(_MARK + counts + _checksum(counts, rows) + rows)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_directory(directory)
    except OSError as error:
        with suppress(OSError):  # a file system that is read-only refuses this, too
            draft.unlink(missing_ok=True)  # on a full disk it is in the way
        raise failure(error, path) from error
