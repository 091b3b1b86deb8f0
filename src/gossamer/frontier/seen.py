"""Was this key seen before? Asked for every link of every page, so the cheap answers come first.

Recent keys in memory, then the Bloom filter, then the store. The filter only ever spares a read; the store decides, and it
compares the text of the key. A URL stands in the slot of its fingerprint, or, when another key holds that, in the next free
one. Rows are never deleted, so the slots from a fingerprint to its key are never interrupted; and the filter holds the slots
that are taken, so a slot it does not know is free.
"""

from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path

from gossamer.errors import DiskFull, StoreError
from gossamer.frontier.bloom import GrowingBloom, dump, load, new_bloom
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
        self._fresh: dict[int, tuple[str, bool]] = {}  # key and refused: accepted by this call, not yet in the store
        self.recent_hits = self.bloom_misses = self.store_reads = 0

    @property
    def fingerprint(self) -> Callable[[str], int]:
        """Return what names keys and hosts here."""
        return fingerprint

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

    def take_slot(self, key: str) -> int | None:
        """Take the slot of a key that was certainly never seen; None: ask further."""
        slot = fingerprint(key)
        if self._bloom.add(slot):
            self.bloom_misses += 1
            return slot
        return None

    def find(self, key: str) -> tuple[int, UrlRow | None]:
        """Return the slot of a key and its row, or the free slot it would get and None."""
        slot = fingerprint(key)
        while slot in self._bloom:
            fresh = self._fresh.get(slot)
            if fresh is not None:
                row = UrlRow(0, fresh[0], _DEAD if fresh[1] else _WAITING, 0, fresh[1])
            else:
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

    def occupy(self, slot: int) -> None:
        """Take a slot that `find` gave as free."""
        if not self._bloom.add(slot):
            self._bloom.count += 1  # the filter claimed to hold it before it did

    def accept(self, slot: int, key: str, refused: bool) -> None:
        """Note what is written in a taken slot by this call."""
        self._fresh[slot] = key, refused
        self.remember(key, refused)

    def may_know(self, host: str) -> bool:
        """Tell whether a host of that name may stand in the store; the filter holds their names, too."""
        return fingerprint(host) in self._bloom

    def is_first_of(self, host: str) -> bool:
        """Note a host and tell whether its name was certainly never met."""
        return self._bloom.add(fingerprint(host))

    def add_host(self) -> None:
        """Note that a host is new although the filter claimed to hold its name."""
        self._bloom.count += 1

    def written(self) -> None:
        """Note that everything so far is in the store."""
        self._fresh.clear()

    def save(self, path: Path) -> None:
        """Write the filter, whole or not at all."""
        partial = path.with_suffix(".part")
        try:
            partial.write_bytes(dump(self._bloom))
            partial.replace(path)
        except OSError as problem:
            kind = DiskFull if problem.errno == ENOSPC else StoreError
            raise kind(f"cannot write {path}: {problem.strerror}") from problem


def load_bloom(path: Path, store: Store, meta: Meta) -> GrowingBloom:
    """Return the filter saved at the last clean end if it covers all that is known, else build it from what is there."""
    bloom = None
    if path.is_file():
        bloom = load(path.read_bytes(), GrowingBloom)
    if bloom is not None and bloom.count == meta.known + meta.number:
        return bloom
    bloom = new_bloom()
    for key, _ in store.scan(URLS):
        bloom.add(number_in(key))
    for key, _ in store.scan(HOSTS):
        bloom.add(fingerprint(host_name(key)))
    for _, raw in store.pages_backwards():
        for row in decode_page(raw).hosts:
            bloom.add(fingerprint(row.name))
    bloom.count = meta.known + meta.number  # a host may have been met twice
    return bloom
