"""Bytes as a source of choices: the same bytes make the same numbers, texts and choices, so a file of them is a test."""

from collections.abc import Sequence
from typing import TypeVar

_Choice = TypeVar("_Choice")


class Feed:
    """Reads choices from bytes; behind the end all of them are zero."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def take(self, count: int) -> bytes:
        """Return so many bytes, or what is left."""
        self._at += count
        return self._data[self._at - count : self._at]

    def rest(self) -> bytes:
        """Return all that is left."""
        return self.take(len(self._data))

    def number(self, width: int = 1) -> int:
        """Return a number of so many bytes."""
        return int.from_bytes(self.take(width), "little")

    def choice(self, among: Sequence[_Choice]) -> _Choice:
        """Choose one."""
        return among[self.number() % len(among)]

    def text(self, longest: int = 255) -> str:
        """Return a text, maybe with half a letter in it."""
        return self.take(self.number() % (longest + 1)).decode("utf-8", "surrogateescape")

    def wide(self) -> int:
        """Return a number of 64 bits: often one that comes again, or is nearly the largest."""
        kind = self.number()
        return kind % 16 if kind < 128 else (1 << 64) - 1 - kind % 16 if kind < 160 else self.number(8)
