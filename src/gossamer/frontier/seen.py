"""Was this key seen before? Asked for every link of every page, so the cheap answers come first.

Recent keys in memory, then the Bloom filter, then the store. The filter only ever spares a read; the store decides, and it
compares the text of the key. A URL stands in the slot of its fingerprint, or, when another key holds that, in the next free
one. Rows are never deleted, so the slots from a fingerprint to its key are never interrupted; and the filter holds the slots
that are taken, so a slot it does not know is free.
"""

from errno import ENOSPC
from pathlib import Path

from gossamer.errors import DiskFull, StoreError
from gossamer.frontier.bloom import GrowingBloom
from gossamer.frontier.keys import URLS, slot_of, url_key
from gossamer.frontier.rows import UrlRow, decode_url
from gossamer.frontier.store import Store
from gossamer.url.fingerprint import fingerprint

_SLOTS = 1 << 64


class Seen:
    """Finds the row of a key."""

    __slots__ = ("_bloom", "_bound", "_fresh", "_older", "_recent", "_store", "bloom_misses", "recent_hits", "store_reads")

    def __init__(self, store: Store, bloom: GrowingBloom, recent_keys: int) -> None:
        self._store = store
        self._bloom = bloom
        self._bound = (recent_keys + 1) // 2
        self._recent: dict[str, bool] = {}  # key: may it still be queued?
        self._older: dict[str, bool] = {}
        self._fresh: dict[int, UrlRow] = {}  # written by this call, not yet in the store
        self.recent_hits = self.bloom_misses = self.store_reads = 0

    def recall(self, key: str) -> bool | None:
        """Tell from memory whether a known key may still be queued (it is known as refused only); None: not remembered."""
        open_to = self._recent.get(key)
        if open_to is None:
            open_to = self._older.get(key)
        if open_to is not None:
            self.recent_hits += 1
        return open_to

    def remember(self, key: str, open_to: bool) -> None:
        """Keep a key at hand. Two generations bound the memory: when one is full, the other is forgotten."""
        if not self._bound:
            return
        if len(self._recent) >= self._bound:
            self._older, self._recent = self._recent, {}
        self._recent[key] = open_to

    def find(self, key: str) -> tuple[int, UrlRow | None]:
        """Return the slot of a key and its row, or the free slot it would get and None."""
        slot = fingerprint(key)
        while slot in self._bloom:
            row = self._fresh.get(slot)
            if row is None:
                self.store_reads += 1
                raw = self._store.get(url_key(slot))
                if raw is None:
                    return slot, None
                row = decode_url(raw)
            if row.entry.key == key:
                return slot, row
            slot = (slot + 1) % _SLOTS
        self.bloom_misses += 1
        return slot, None

    def add(self, row: UrlRow) -> None:
        """Take the free slot in which a row is written now."""
        self._bloom.add(row.slot)
        self._fresh[row.slot] = row

    def change(self, row: UrlRow) -> None:
        """Note a row that is written anew."""
        self._fresh[row.slot] = row

    def written(self) -> None:
        """Note that everything so far is in the store."""
        self._fresh.clear()

    def save(self, path: Path) -> None:
        """Write the filter, whole or not at all."""
        partial = path.with_suffix(".part")
        try:
            partial.write_bytes(self._bloom.dump())
            partial.replace(path)
        except OSError as problem:
            kind = DiskFull if problem.errno == ENOSPC else StoreError
            raise kind(f"cannot write {path}: {problem.strerror}") from problem


def load_bloom(path: Path, store: Store, known: int) -> GrowingBloom:
    """Return the filter saved at the last clean end if it covers every known URL, else build it from the slots."""
    bloom = None
    if path.is_file():
        bloom = GrowingBloom.load(path.read_bytes())
    if bloom is not None and bloom.count == known:
        return bloom
    bloom = GrowingBloom()
    for key, _ in store.scan(URLS):
        bloom.add(slot_of(key))
    return bloom
