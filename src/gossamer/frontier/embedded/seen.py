"""Was this key seen before? Asked for every link of every page, so the cheap answers come first.

Recent keys in memory, then the Bloom filter, then the slots and the sheets. The filter only ever spares a read; the entry
decides, and the text of its key is compared. A URL stands in the slot of its fingerprint, or, when another key holds that, in
the next free one of its home. Slots are never given up, so those from a fingerprint to its key are never interrupted; and the
filter holds the slots that are taken, so a slot it does not know is free.
"""

from collections.abc import Sequence
from errno import ENOSPC
from itertools import islice
from pathlib import Path

from gossamer.errors import DiskFull, StoreError
from gossamer.frontier.bloom import GrowingBloom, dump, load, new_bloom
from gossamer.frontier.layout.keys import HOSTS, host_name, url_key
from gossamer.frontier.layout.rows import Meta, decode_url
from gossamer.frontier.layout.sheets import Sheets
from gossamer.frontier.layout.slots import Slots
from gossamer.frontier.layout.store import Store
from gossamer.records.entry import Entry
from gossamer.seal import tell_rebuilt
from gossamer.url.fingerprint import fingerprint, hashed, next_of_home

SPELLED = 2  # a known key whose URL is not spelled like it: another spelling may be another URL
REFUSED = 2  # a bit of a reference in a slot: its URL was refused when it was found, and its row says what it is now
_AT_ONCE = 256


class SeenUrls:
    """Finds the entry of a key."""

    __slots__ = (
        "_ahead",
        "_bloom",
        "_bound",
        "_fresh",
        "_older",
        "_recent",
        "bloom_misses",
        "lacks_hosts",
        "recent_hits",
        "sheets",
        "slots",
        "store_reads",
    )

    def __init__(self, sheets: Sheets, slots: Slots, bloom: GrowingBloom, recent_keys: int, lacks_hosts: bool = False) -> None:
        self.lacks_hosts = lacks_hosts  # the filter was built anew: hosts with work are still to be added (`recovery.py`)
        self.sheets = sheets
        self.slots = slots
        self._bloom = bloom
        self._bound = (recent_keys + 1) // 2
        self._recent: dict[str, int] = {}  # key: True: it may still be queued; False: it may not; SPELLED: neither
        self._older: dict[str, int] = {}
        self._fresh: dict[int, tuple[str, int, str]] = {}  # key, reference if refused, URL: of this call, not yet in the store
        self._ahead: dict[int, tuple[str, int, str]] = {}  # key, reference, URL: read before they were asked for
        self.recent_hits = self.bloom_misses = self.store_reads = 0

    @property
    def filter(self) -> GrowingBloom:
        """Return what holds all slots that are taken, and the names of all hosts."""
        return self._bloom

    def slot_of(self, key: str) -> int:
        """Return the slot that a key has, unless another key holds it."""
        return fingerprint(key)

    def not_remembered(self, entries: Sequence[Entry]) -> list[tuple[Entry, int]]:
        """Return the entries that memory does not know for good, with the slots of their keys.

        What the store may know of them is read here, all at once: half the cost of one by one.
        """
        recent, older, bloom = self._recent.get, self._older.get, self._bloom
        unsure, wanted, name = [], [], fingerprint
        for entry in entries:
            key = entry.key
            open_to = recent(key)
            if open_to is None:
                open_to = older(key)
            if open_to is not None:
                self.recent_hits += 1
                if entry.refused is not None or (open_to is False and entry.url == key):
                    continue
            slot = name(key)
            if slot in bloom:
                wanted.append(slot)
            unsure.append((entry, slot))
        self._ahead = {}
        if wanted:
            self.look_ahead(wanted)
        return unsure

    def remember(self, key: str, open_to: int) -> None:
        """Keep a key at hand. Two generations bound the memory: when one is full, the other is forgotten."""
        recent = self._recent
        if len(recent) >= self._bound:
            if not self._bound:
                return
            self._older, self._recent = recent, {}
            recent = self._recent
        recent[key] = open_to

    def take_slot(self, slot: int) -> bool:
        """Take a slot if its key was certainly never seen; False: ask further."""
        if self._bloom.add(slot):
            self.bloom_misses += 1
            return True
        return False

    def look_ahead(self, slots: list[int]) -> None:
        """Read the entries in slots that will be asked for, all at once."""
        places = {slot: place for slot in slots if slot not in self._fresh and (place := self.slots.find(slot)) is not None}
        for (slot, place), each in zip(places.items(), self.sheets.read(list(places.values())), strict=True):
            if each.slot != slot:
                wrong = f"the frontier is damaged: another URL than that of slot {slot:016x} stands in its sheet"
                raise StoreError(f"{wrong}; restore a checkpoint")
            self._ahead[slot] = each.entry.key, place, each.entry.url

    def find(self, key: str) -> tuple[int, int | None]:
        """Return the slot of a key and where its entry stands, or the free slot it would get and None."""
        slot = fingerprint(key)
        while slot in self._bloom:
            fresh = self._fresh.get(slot)
            if fresh is not None:
                text, reference, _ = fresh
            else:
                self.store_reads += 1
                if slot not in self._ahead:
                    self.look_ahead([slot])
                if slot not in self._ahead:
                    return slot, None
                text, reference, _ = self._ahead[slot]
            if text == key:
                return slot, reference
            slot = next_of_home(slot)
        self.bloom_misses += 1
        return slot, None

    def url_in(self, slot: int) -> str:
        """Return the URL in a slot that `find` has just found."""
        return (self._fresh.get(slot) or self._ahead[slot])[2]

    def occupy(self, slot: int) -> None:
        """Take a slot that `find` gave as free."""
        if not self._bloom.add(slot):
            self._bloom.count += 1  # the filter claimed to hold it before it did

    def accept(self, slot: int, entry: Entry, reference: int) -> None:
        """Note where the entry of a taken slot is written by this call."""
        key, url, refused = entry.key, entry.url, reference & REFUSED
        self._fresh[slot] = key, reference if refused else 0, url
        self.slots.gathered.add(slot, reference)
        self.remember(key, True if refused else SPELLED if url != key else False)

    def may_know(self, host: str) -> bool:
        """Tell whether a host of that name may stand in the store; the filter holds their names, too."""
        return hashed(host) in self._bloom

    def is_first_of(self, host: str) -> bool:
        """Note a host and tell whether its name was certainly never met."""
        return self._bloom.add(hashed(host))

    def meet_again(self, host: str) -> None:
        """Add a host that is known to a filter that was built anew, which counts what is known already."""
        bloom = self._bloom
        count = bloom.count
        bloom.add(hashed(host))
        bloom.count = count

    def add_host(self) -> None:
        """Note that a host is new although the filter claimed to hold its name."""
        self._bloom.count += 1

    def written(self, sequence: int) -> None:
        """Note that everything up to that sequence is in the store."""
        self._fresh.clear()
        self._ahead.clear()
        self.slots.written(sequence)

    def save(self, path: Path) -> None:
        """Write the filter, whole or not at all."""
        partial = path.with_suffix(".part")
        try:
            partial.write_bytes(dump(self._bloom))
            partial.replace(path)
        except OSError as problem:
            kind = DiskFull if problem.errno == ENOSPC else StoreError
            raise kind(f"cannot write {path}: {problem.strerror}") from problem


def _catch_up(slots: Slots, store: Store) -> None:
    """Read from the sheets what no file of slots tells."""
    entries = Sheets(store).slots(slots.next_sequence)
    while some := list(islice(entries, _AT_ONCE)):
        rows = store.url([url_key(reference) for _, reference in some])
        for (slot, reference), row in zip(some, rows, strict=True):
            if not reference >> 3 & 31:  # the first of a sheet: files end with a whole one
                slots.written((reference >> 8) - 1)
            slots.gathered.add(slot, reference | REFUSED if row and decode_url(row).refused else reference)


def open_seen(path: Path, store: Store, meta: Meta, recent_keys: int, before: SeenUrls | None = None) -> SeenUrls:
    """Return what was seen by the crawl in a directory; of what was open `before` only the filter counts, which spares reads.

    It may hold what was never written. That is a key it claims to know, and the store knows better.
    """
    if before is not None:
        before.slots.close()
    slots = Slots(path / "slots", meta.sequence, store.sync)
    try:
        _catch_up(slots, store)
        count = meta.known + meta.number
        bloom = saved_bloom(path / "seen.bloom", count) if before is None else before.filter
        is_new = bloom is None
        if bloom is None:
            bloom = rebuilt_bloom(store, slots, count)
        bloom.count = count
        return SeenUrls(Sheets(store), slots, bloom, recent_keys, is_new)
    except BaseException:
        slots.close()
        raise


def saved_bloom(path: Path, count: int) -> GrowingBloom | None:
    """Return the filter saved at the last clean end if it covers all that is known."""
    if not path.is_file():
        return None
    bloom = load(path.read_bytes(), GrowingBloom)
    if bloom is None:
        tell_rebuilt(path, "is damaged, or of another build", "the sheets of the frontier")
    return bloom if bloom is not None and bloom.count == count else None


def rebuilt_bloom(store: Store, slots: Slots, count: int) -> GrowingBloom:
    """Return a filter of all slots and of the hosts without work; those with work are added when the journal is read.

    The files of slots are read in a tenth of the time that the sheets would take: 0.1 us a URL.
    """
    bloom = new_bloom(count)
    for pairs in slots.pairs():
        bloom.add_pairs(pairs)
    for key, _ in store.scan(HOSTS):
        bloom.add(hashed(host_name(key)))
    return bloom
