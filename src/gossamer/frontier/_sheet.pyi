from collections.abc import Callable

from gossamer.records.entry import Entry

class Sheet:
    count: int
    first: int
    def __init__(self, encode: Callable[[object], bytes]) -> None: ...
    def add(self, sequence: int, slot: int, entry: Entry, now: float, /) -> int: ...
    def take(self) -> bytes: ...
