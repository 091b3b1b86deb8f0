"""A frontier of the layout before this one is brought to this one when it is opened.

There every URL had a row by its slot, with the text of its key: 0, the reference and the queue before the key if it waited as
it was found, else an array with all there was to know. Here the entry says the former, and what became of the others stands by
the sequence of the entry. If that is interrupted it is begun again, and the old rows go only in the write that ends it.
"""

from itertools import islice
from struct import Struct as Packed

from msgspec.msgpack import Decoder

from gossamer.frontier.keys import VERSION_KEY, url_key
from gossamer.frontier.rows import ELSEWHERE, encode
from gossamer.frontier.sheets import Sheets, Written
from gossamer.frontier.store import VERSION, Store

_AT_ONCE = 256
_OLD, _AFTER_OLD = b"U", b"V"
_old_key = Packed(">cQ").pack
_short = Packed(">BQB")
_row = Decoder(list[object]).decode


def bring_up(store: Store) -> None:
    """Bring a store of the layout before this one to this one."""
    entries = Sheets(store).walk()
    while some := list(islice(entries, _AT_ONCE)):
        batch = store.batch()
        rows = store.get_all([_old_key(_OLD, written.slot) for _, written in some])
        for (reference, written), row in zip(some, rows, strict=True):
            made = _brought_up(reference, written, row)
            if made is not None:
                batch.put(url_key(reference), made, store.urls)
        store.write(batch)
    batch = store.batch()
    batch.delete_range(_OLD, _AFTER_OLD)
    batch.put(VERSION_KEY, bytes([VERSION]))
    store.write(batch)


def _brought_up(reference: int, written: Written, row: bytes | None) -> bytes | None:
    """Return what is to be said of an entry; None: nothing."""
    if row is None:
        return ELSEWHERE
    if row[0] == 0:
        _, stands, queue = _short.unpack_from(row)
        fields = [stands, "", "waiting", queue]
        is_plain = queue == written.entry.priority
    else:
        fields, is_plain = _row(row), False
    if fields[0] >> 8 != reference >> 8:  # it was found again when it was known as refused only
        return ELSEWHERE
    return None if is_plain else encode([fields[0], *fields[2:]])
