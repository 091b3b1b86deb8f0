"""Read a chronicle: events up to the last mark, without those that were struck out. Needs no lock.

An id is `node-block-line`; lines are counted from one, so that line 0 is the place before a block.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from gossamer.errors import StoreError, UsageError
from gossamer.records.event import Event
from gossamer.records.line import ChainHead
from gossamer.storage.chronicle.block import BlockHead
from gossamer.storage.chronicle.segment import SegmentView, segments_in

READERS = "readers"  # the directory of their notes
_VIEWS = 3  # segments that a reader remembers


class Position(NamedTuple):
    """The place of an event."""

    block: int
    line: int

    def id(self, node: str) -> str:
        """Return what it is called."""
        return f"{node}-{self.block:08}-{self.line:04}"

    @classmethod
    def of(cls, text: str) -> "Position":
        """Return the place of an id; an empty one is the beginning."""
        if not text:
            return cls(0, 0)
        try:
            _, block, line = text.rsplit("-", 2)
            return cls(int(block), int(line))
        except ValueError:
            raise UsageError(f"{text!r} is no id of an event; such are like 1a2b3c4d-00000001-0001") from None


class ChronicleReader:
    """Reads the events of a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._views: dict[int, SegmentView] = {}
        self._fresh: set[int] = set()  # those that were looked at by this call

    def after(self, position: str, limit: int) -> list[Event]:
        """Return the next events after an id."""
        begin, found = Position.of(position), list[Event]()
        firsts = self._begin()
        mark = self._last_head(firsts).mark
        if not mark:
            return []
        node = self._view(firsts[0]).heads[0].node
        if begin.block < firsts[0] - 1:
            found.append(self._gap(position, firsts[0] - 1 - begin.block, firsts[0], node))
            begin = Position(firsts[0], 0)
        for view, index in self._blocks(firsts, begin.block):
            head = view.heads[index]
            if head.block > mark or len(found) >= limit:
                break
            found += self._told(view, index, node, begin if head.block == begin.block else Position(0, 0), firsts)
        return found[:limit]

    def head(self) -> str:
        """Return the id of the last event that may be seen."""
        firsts = self._begin()
        mark = self._last_head(firsts).mark
        for first in reversed(firsts):
            view = self._view(first)
            for index in reversed(range(view.index_of(mark + 1))):
                lines = self._visible(view, index, firsts)
                if lines:
                    return Position(view.heads[index].block, lines[-1]).id(view.heads[0].node)
        return ""

    def lag(self, position: str) -> int:
        """Return how many events come after an id."""
        firsts = self._begin()
        if not firsts:
            return 0
        begin = max(Position.of(position), Position(firsts[0], 0))
        heads = (view.heads[index] for view, index in self._blocks(firsts, begin.block))
        counted = next((head for head in heads if head.mark >= begin.block), None)
        if counted is None:
            return 0
        beyond = 0  # the id, in what that head counts
        for view, index in self._blocks(firsts, begin.block):
            head = view.heads[index]
            if head.block > counted.mark:
                break
            since = begin.line if head.block == begin.block else 0
            beyond += sum(line > since for line in self._visible(view, index, firsts))
        return self._last_head(firsts).told - counted.told + beyond

    def chain_head(self) -> ChainHead | None:
        """Return the last block."""
        firsts = self._begin()
        head = self._last_head(firsts)
        return ChainHead(self._view(firsts[0]).heads[0].node, head.block, head.hash, head.at) if head.block else None

    def keep_from(self, reader: str, position: str) -> None:
        """Note how far a reader is; on a chronicle that cannot be written nothing is removed either."""
        with suppress(PermissionError):
            place = self._directory / READERS / quote(reader, safe="")
            draft = place.with_name(f"{place.name}.new")
            try:
                place.parent.mkdir(exist_ok=True)
                draft.write_text(position, "ascii")
                draft.replace(place)
            except PermissionError:
                raise
            except OSError as error:
                raise StoreError(f"{place} cannot be written ({error.strerror}); look at the disk") from error

    # --- blocks ------------------------------------------------------------------------------------------------------

    def _begin(self) -> list[int]:
        """Return the segments there are; each is looked at anew once."""
        self._fresh.clear()
        return segments_in(self._directory)

    def _view(self, first: int) -> SegmentView:
        view = self._views.pop(first, None) or SegmentView(self._directory, first)
        if first not in self._fresh:
            view.refresh()
            self._fresh.add(first)
        self._views[first] = view  # the last one used stands last
        while len(self._views) > _VIEWS:
            self._fresh.discard(oldest := next(iter(self._views)))
            del self._views[oldest]
        return view

    def _last_head(self, firsts: list[int]) -> BlockHead:
        for first in reversed(firsts):
            view = self._view(first)
            if view.heads:
                return view.heads[-1]
        return BlockHead(block=0, at=0.0, lines=0, bytes=0, mark=0, told=0)

    def _blocks(self, firsts: list[int], block: int) -> Iterator[tuple[SegmentView, int]]:
        """Walk over the blocks from one on."""
        begin = max(0, sum(first <= block for first in firsts) - 1)
        for first in firsts[begin:]:
            view = self._view(first)
            for index in range(view.index_of(block), len(view.heads)):
                yield view, index

    def _visible(self, view: SegmentView, index: int, firsts: list[int]) -> list[int]:
        """Return the numbers of the lines of a block that were not struck out; the head that has its mark says which were."""
        head = view.heads[index]
        if not head.lines:
            return []
        for other, place in self._blocks(firsts, head.block + 1):
            later = other.heads[place]
            if later.mark >= head.block:
                struck = {line for block, line in later.struck if block == head.block}
                return [line for line in range(1, head.lines + 1) if line not in struck]
        return []

    def _told(self, view: SegmentView, index: int, node: str, since: Position, firsts: list[int]) -> list[Event]:
        _, body = view.block(index)
        head, lines = view.heads[index], body.split(b"\n")
        visible = [number for number in self._visible(view, index, firsts) if number > since.line]
        return [event_of(lines[number - 1], Position(head.block, number).id(node), head.at) for number in visible]

    def _gap(self, position: str, blocks: int, first: int, node: str) -> Event:
        head = self._view(first).heads[0]
        return Event(id=Position(first, 0).id(node), kind="gap", at=head.at, said={"after": position, "blocks": blocks})


def event_of(line: bytes, id: str, at: float) -> Event:
    """Return the event that a line tells."""
    said = msgspec.json.decode(line)
    return Event(id=id, kind=said.pop("kind"), at=at, host=said.pop("host", ""), said=said)
