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
from gossamer.frontier.keys import HOSTS, URLS, host_name, number_in, url_key
from gossamer.frontier.rows import Meta, UrlRow, decode_page, decode_url
from gossamer.frontier.store import Store
from gossamer.records import State
from gossamer.url.fingerprint import fingerprint

_SLOTS = 1 << 64


_WAITING, _DEAD = State.WAITING, State.DEAD


class Seen:
    """Finds the row of a key."""

    __slots__ = (
        "_bloom",
        "_bound",
        "_fresh",
        "_older",
        "_recent",
        "_store",
        "bloom_misses",
        "recent_hits",
        "store_reads",
    )

    def __init__(self, store: Store, bloom: GrowingBloom, recent_keys: int) -> None:
        self._store = store
        self._bloom = bloom
        self._bound = (recent_keys + 1) // 2
        self._recent: dict[str, bool] = {}  # key: may it still be queued?
        self._older: dict[str, bool] = {}
        self._fresh: dict[int, UrlRow] = {}  # accepted by this call, not yet in the store
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

    def free_slot(self, key: str) -> int | None:
        """Return the slot of a key that was certainly never seen; None: ask further."""
        slot = fingerprint(key)
        if slot in self._bloom:
            return None
        self.bloom_misses += 1
        return slot

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
            if row.key == key:
                return slot, row
            slot = (slot + 1) % _SLOTS
        self.bloom_misses += 1
        return slot, None

    def accept(self, slot: int, key: str, is_new: bool, refused: bool) -> None:
        """Note what is written in a slot by this call; a new one is taken from now on."""
        if is_new:
            self._bloom.add(slot)
        self._fresh[slot] = UrlRow(0, key, _DEAD if refused else _WAITING, 0, refused)
        self.remember(key, refused)

    def may_know(self, host: str) -> bool:
        """Tell whether a host of that name may stand in the store; the filter holds their names, too."""
        return fingerprint(host) in self._bloom

    def add_host(self, host: str) -> None:
        """Note a new host."""
        self._bloom.add(fingerprint(host))

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


def load_bloom(path: Path, store: Store, meta: Meta) -> GrowingBloom:
    """Return the filter saved at the last clean end if it covers all that is known, else build it from what is there."""
    bloom = None
    if path.is_file():
        bloom = GrowingBloom.load(path.read_bytes())
    if bloom is not None and bloom.count == meta.known + meta.number:
        return bloom
    bloom = GrowingBloom()
    for key, _ in store.scan(URLS):
        bloom.add(number_in(key))
    for key, _ in store.scan(HOSTS):
        bloom.add(fingerprint(host_name(key)))
    for _, raw in store.pages_backwards():
        for row in decode_page(raw).hosts:
            bloom.add(fingerprint(row.name))
    bloom.count = meta.known + meta.number  # a host may have been met twice
    return bloom
