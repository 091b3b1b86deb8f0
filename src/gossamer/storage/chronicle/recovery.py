"""Take up a chronicle where its last writer left it: find the end of the chain, cut what is torn, tidy what was half done.

After a clean end the seal has the sizes of all files, and nothing is read but heads. After a crash the blocks of the last
segment are looked at one by one: what follows the last whole one was torn, unless another whole one follows, which is damage.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from gossamer import faults
from gossamer.errors import StoreError
from gossamer.records.line import Unsettled
from gossamer.seal import RESTORE, Seal
from gossamer.storage.chronicle.block import BEGINNING, FIRST, bytes_of, head_of, recomputed
from gossamer.storage.chronicle.marks import Watermark
from gossamer.storage.chronicle.segment import SegmentView, compress, compressed_path, plain_path, segments_in

VISIT = "visit"


class Tail(Struct):
    """The end of a chronicle: all that its writer has to know of it."""

    node: str
    first: int = 0  # block of the segment that grows; 0: there is none
    size: int = 0  # of that segment
    number: int = 0  # of the last block
    hash: bytes = BEGINNING
    at: float = 0.0
    mark: Watermark = Watermark()
    left: tuple[Unsettled, ...] = ()  # blocks above the mark


def take_up(directory: Path, seal: Seal) -> Tail:
    """Return the end of a chronicle that nobody else writes, mended."""
    seal.check()
    firsts = segments_in(directory)
    if not firsts and seal.is_closed:
        raise StoreError(f"{directory} has no segment any more; {RESTORE}")
    if not seal.is_closed:
        _tidy(directory, firsts)
    views = [_whole(directory, first, seal.is_closed) for first in firsts[-1:]]
    if views and not views[0].heads:  # a name and nothing in it
        plain_path(directory, firsts.pop()).unlink()
        views = [_whole(directory, first, seal.is_closed) for first in firsts[-1:]]
    if not views:
        return Tail(node=os.urandom(4).hex())
    last = views[0]
    while views[0].heads[0].block > last.heads[-1].mark + 1 and views[0].first != firsts[0]:
        views.insert(0, _whole(directory, firsts[-len(views) - 1], is_sealed=True))
    tail = _tail(views)
    for first in firsts:
        if plain_path(directory, first).exists() and first != last.first:
            compress(directory, first)
    if not plain_path(directory, last.first).exists():
        tail.first = tail.size = 0
    return tail


def _tail(views: list[SegmentView]) -> Tail:
    """Return the end of a chronicle by its last segments."""
    last, head = views[-1], views[-1].heads[-1]
    return Tail(
        node=last.heads[0].node,
        first=last.first,
        size=last.end,
        number=head.block,
        hash=bytes_of(head.hash),
        at=head.at,
        mark=Watermark(head.mark, head.told),
        left=tuple(_left(view, index) for view in views for index in range(view.index_of(head.mark + 1), len(view.heads))),
    )


def _left(view: SegmentView, index: int) -> Unsettled:
    """Return a block above the mark: its visits, by the number of their line."""
    head, (_, body) = view.heads[index], view.block(index)
    said = [msgspec.json.decode(line) for line in body.splitlines()]
    keys = {number: line.get("key") or line["url"] for number, line in enumerate(said, 1) if line["kind"] == VISIT}
    return Unsettled(head.block, head.at, head.lines, keys)


def _tidy(directory: Path, firsts: list[int]) -> None:
    """Remove what a crash has left over: drafts, and of two copies of a segment the one that is compressed already."""
    for draft in directory.glob("*.new"):
        draft.unlink()
    for first in firsts:
        if compressed_path(directory, first).exists():
            plain_path(directory, first).unlink(missing_ok=True)


def _whole(directory: Path, first: int, is_sealed: bool) -> SegmentView:
    """Return a segment, cut behind its last whole block if its writer was killed."""
    view, path = SegmentView(directory, first), plain_path(directory, first)
    view.refresh()
    if is_sealed or not path.exists():
        return view
    good = _sound(view)
    if good == path.stat().st_size:
        return view
    _refuse_damage(path, good)
    os.truncate(path, good)
    faults.reach("during-recovery")
    return _whole(directory, first, is_sealed=True)


def _sound(view: SegmentView) -> int:
    """Return where the blocks end whose hashes are right."""
    previous = bytes_of(view.heads[0].previous) if view.heads else BEGINNING
    for index, head in enumerate(view.heads):
        line, body = view.block(index)
        digest = recomputed(previous, line, head.salt, body)
        if digest.hex() != head.hash:
            return view.offsets[index]
        previous = digest
    return view.end


def _refuse_damage(path: Path, good: int) -> None:
    """Refuse a segment of which more than the last block is wrong: that was no crash."""
    rest = path.read_bytes()[good:]
    at = rest.find(b"\n" + FIRST)
    while at >= 0:
        stop = rest.find(b"\n", at + 1) + 1
        head = head_of(rest[at + 1 : stop]) if stop else None
        if head is not None and len(rest) >= stop + head.bytes:
            raise StoreError(f"{path} is damaged at byte {good:,}; {RESTORE}")
        at = rest.find(b"\n" + FIRST, at + 1)
