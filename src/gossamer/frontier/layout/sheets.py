"""The entries of all known URLs, up to 8 of them a row, in the order in which they were found.

An entry is written once and never changed, so it need not be carried along when its URL's state does: what moves through the
store's levels are small rows. Sheets are written in the order of their keys, into a family of their own, so the store never
sorts them again. A whole row a URL and a copy of it in its queue cost twice as much. A key that is the text of its URL, as most
are, is not written a second time.

A *reference* says where an entry stands: sequence of its discovery << 8 | place in its sheet << 3 | tried. The sheet's key is
the sequence of its first entry.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from struct import Struct as Packed
from struct import error as UnpackError

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from gossamer.errors import StoreError
from gossamer.frontier.layout.keys import number_in, number_key
from gossamer.frontier.layout.store import Batch, Store
from gossamer.records.entry import Entry

FULL = 8  # at 16 a random read costs a third more; at 4 the sheets take a tenth more room
TRIED = 1
_head = Packed(">dB")
_line = Packed(">QI")  # slot, end of the entry
_span = Packed(">IQI")  # end of the entry before it, slot, end
_heads = [Packed(">dB" + count * "QI").pack for count in range(FULL + 1)]
_encode = Encoder().encode
_decode = Decoder(Entry).decode


class SheetEntry(Struct, frozen=True, gc=False):
    """An entry as it was accepted."""

    entry: Entry
    slot: int
    discovered_at: float


class Sheets:
    """Writes the entries a call accepts and finds those of earlier calls."""

    __slots__ = ("_entries", "_first", "_now", "_slots", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._first = 0  # sequence of the first entry of the sheet that is being filled
        self._now = 0.0  # when that was found
        self._slots: list[int] = []
        self._entries: list[Entry] = []

    def add(self, batch: Batch, sequence: int, slot: int, entry: Entry, now: float) -> int:
        """Note an accepted entry and return its reference; sequences of one call follow each other."""
        entries = self._entries
        place = len(entries)
        if place == FULL:
            self.finish(batch)
            place = 0
        if not place:
            self._first, self._now = sequence, now
        entries.append(entry)
        self._slots.append(slot)
        return sequence << 8 | place << 3

    def finish(self, batch: Batch) -> None:
        """Write the sheet that was begun."""
        if entries := self._entries:
            bodies = [_encode(replace(each, key="") if each.key == each.url else each) for each in entries]
            lines = chain.from_iterable(zip(self._slots, accumulate(map(len, bodies)), strict=True))
            head = _heads[len(bodies)](self._now, len(bodies), *lines)
            batch.put(number_key(self._first), b"".join((head, *bodies)), self._store.sheets)
            entries.clear()
            self._slots.clear()

    def read(self, references: Sequence[int]) -> list[SheetEntry]:
        """Return the entries that stand there; a sheet that several need is read once."""
        keys = [number_key((reference >> 8) - (reference >> 3 & 31)) for reference in references]
        needed = list(dict.fromkeys(keys))
        sheets = self._store.sheet(needed)
        if len(needed) < len(keys):
            found = dict(zip(needed, sheets, strict=True))
            sheets = [found[key] for key in keys]
        return list(map(written_in, sheets, references))

    def walk(self, sequence: int = 1) -> Iterator[tuple[int, SheetEntry]]:
        """Give every entry from a sequence on, which is the first of its sheet, with its reference."""
        for key, sheet in self._store.sheets_from(number_key(sequence)):
            first = number_in(key)
            for place in range(sheet[8]):
                reference = first + place << 8 | place << 3
                yield reference, written_in(sheet, reference)

    def slots(self, sequence: int) -> Iterator[tuple[int, int]]:
        """Give the slot and the reference of every entry from a sequence on, which is the first of its sheet."""
        for key, sheet in self._store.sheets_from(number_key(sequence)):
            first = number_in(key)
            for place, (slot, _) in enumerate(_line.iter_unpack(sheet[9 : 9 + _line.size * sheet[8]])):
                yield slot, first + place << 8 | place << 3


def written_in(sheet: bytes | None, reference: int) -> SheetEntry:
    """Return an entry of a sheet."""
    if sheet is None:
        raise StoreError(f"the frontier's store is damaged: there is no sheet for entry {reference >> 8}; restore a checkpoint")
    place = reference >> 3 & 31
    try:
        discovered_at, count = _head.unpack_from(sheet)
        start, slot, end = _span.unpack_from(sheet, 5 + 12 * place)
        body = 9 + 12 * count
        entry = _decode(sheet[body + start if place else body : body + end])
    except (DecodeError, UnicodeDecodeError, UnpackError) as problem:
        raise StoreError(f"the frontier's store is damaged: {problem}; restore a checkpoint") from problem
    return SheetEntry(entry if entry.key else replace(entry, key=entry.url), slot, discovered_at)


def at_sequence(sequence: int, found: tuple[bytes, bytes]) -> tuple[int, bytes, bytes]:
    """Return the reference of the entry with a sequence, the key of what became of it, and the sheet it stands in."""
    key, sheet = found
    place = sequence - number_in(key)
    if not 0 <= place < sheet[8]:
        raise StoreError(f"the frontier's store is damaged: there is no sheet for entry {sequence}; restore a checkpoint")
    return sequence << 8 | place << 3, number_key(sequence), sheet
