"""Page ranks as a table beside the graph: whoever scores a URL looks its fingerprint up.

Fingerprints in order, then as many ranks; a rank of 1 is the average. The file is replaced whole, so it can be read at any
time, also while another one is computed. What has a rank is what was linked when it was computed.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.durability import sync_directory
from gossamer.errors import StoreError
from gossamer.storage.archive.segment import failure

NAME = "ranks"

_MARK = b"GRK1"
_HEAD = 16


class PageRanks:
    """The ranks as they were last computed."""

    def __init__(self, fingerprints: NDArray[np.uint64], ranks: NDArray[np.float32]) -> None:
        self._fingerprints = fingerprints
        self._ranks = ranks

    def __len__(self) -> int:
        return len(self._fingerprints)

    @classmethod
    def read_at(cls, directory: Path) -> "PageRanks":
        """Open the table of a graph; an empty one when there is none yet."""
        path = directory / NAME
        if not path.exists():
            return cls(np.zeros(0, "<u8"), np.zeros(0, "<f4"))
        raw = np.memmap(path, "u1", "r")
        count = int.from_bytes(raw[8:_HEAD].tobytes(), "little")
        if raw[:4].tobytes() != _MARK or len(raw) != _HEAD + 12 * count:
            raise StoreError(f"{path} is no table of ranks; remove it and compute them with `gossamer graph`")
        middle = _HEAD + 8 * count
        return cls(raw[_HEAD:middle].view("<u8"), raw[middle:].view("<f4"))

    def of(self, fingerprints: Sequence[int]) -> list[float]:
        """Return the rank of each; 0 for what was not linked."""
        if not len(self):
            return [0.0] * len(fingerprints)
        wanted = np.array(fingerprints, "<u8")
        places = np.minimum(np.searchsorted(self._fingerprints, wanted), len(self) - 1)
        found: list[float] = np.where(self._fingerprints[places] == wanted, self._ranks[places], 0.0).tolist()
        return found


def write_ranks(directory: Path, fingerprints: NDArray[np.uint64], ranks: NDArray[np.float64]) -> None:
    """Replace the table; the fingerprints are in order, each once."""
    path = directory / NAME
    draft = path.with_suffix(".new")
    head = _MARK + bytes(4) + len(fingerprints).to_bytes(8, "little")
    try:
        with draft.open("wb") as file:
            file.write(head + fingerprints.astype("<u8").tobytes() + ranks.astype("<f4").tobytes())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_directory(directory)
    except OSError as error:
        raise failure(error, path) from error
