"""Other spellings of known URLs, as the embedded frontier keeps them: they are asked for should the first one not be there.

A row a URL that was found in several spellings, by its slot. What a call has noted is seen by the rest of the call, and so is
what has ended as gone: rows are in the store only when the call is over.
"""

from msgspec.msgpack import Decoder

from gossamer.frontier.layout.keys import spellings_key
from gossamer.frontier.layout.rows import encode
from gossamer.frontier.layout.store import Batch, Store
from gossamer.url.spelling import with_spelling

_decode = Decoder(tuple[str, ...]).decode


class Spellings:
    """Reads and writes the rows."""

    __slots__ = ("_fresh", "_gone", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fresh: dict[int, tuple[str, ...]] = {}  # noted by this call
        self._gone: set[int] = set()  # what this call found to be gone

    def of(self, slot: int) -> tuple[str, ...]:
        """Return the other spellings of the URL in a slot."""
        known = self._fresh.get(slot)
        if known is None:
            row = self._store.get(spellings_key(slot))
            known = () if row is None else _decode(row)
        return known

    def note(self, batch: Batch, slot: int, wire: str) -> None:
        """Remember another spelling."""
        known = self.of(slot)
        more = with_spelling(known, wire)
        if more != known:
            self._fresh[slot] = more
            batch.put(spellings_key(slot), encode(more))

    def note_gone(self, slot: int) -> None:
        """Remember for the rest of the call that the URL in a slot is gone."""
        self._gone.add(slot)

    def is_gone(self, slot: int) -> bool:
        """Tell whether this call found that."""
        return slot in self._gone

    def written(self) -> None:
        """Note that everything is in the store."""
        self._fresh.clear()
        self._gone.clear()
