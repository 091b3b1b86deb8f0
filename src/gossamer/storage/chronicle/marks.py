"""The mark of a chronicle: up to which block all visits are settled, how many events that makes, and what is struck out."""

from collections.abc import Sequence

from msgspec import Struct


class Watermark(Struct, frozen=True):
    """A mark as a head carries it."""

    block: int = 0  # all visits up to this one are settled
    told: int = 0  # events up to there, but for what was struck out
    struck: tuple[tuple[int, int], ...] = ()  # block and line of what was never settled, since the last mark


class Watermarks:
    """Knows which of the last blocks are settled."""

    def __init__(self, mark: Watermark) -> None:
        self._lines: dict[int, int] = {}  # of the blocks above the mark
        self._settled: dict[int, tuple[int, ...]] = {}  # of these, and which lines were not
        self.written = mark

    def add(self, block: int, lines: int) -> None:
        """Note a block that was written."""
        self._lines[block] = lines

    def settle(self, block: int, struck: Sequence[int]) -> None:
        """Note that a block is settled, but for some lines."""
        self._settled[block] = tuple(struck)

    @property
    def next(self) -> Watermark:
        """The mark that can be written now: up to the first block that is not settled."""
        block, told, struck = self.written.block, self.written.told, list[tuple[int, int]]()
        while (lines := self._lines.get(block + 1)) is not None:
            lost = self._settled.get(block + 1)
            if lost is None and lines:
                break
            block += 1
            told += lines - len(lost or ())
            struck += [(block, line) for line in lost or ()]
        return Watermark(block, told, tuple(struck))

    @property
    def is_due(self) -> bool:
        """Tell whether something is settled that no mark says yet."""
        return self.next.told > self.written.told or bool(self.next.struck)

    def advance(self, mark: Watermark) -> None:
        """Note that a mark was written."""
        for block in range(self.written.block + 1, mark.block + 1):
            del self._lines[block]
            self._settled.pop(block, None)
        self.written = mark
