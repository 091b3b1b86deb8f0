from collections.abc import Callable, Sequence

from gossamer.records.entry import Entry

def admit(
    admission: object, entries: Sequence[Entry], now: float, fingerprint: Callable[[str], int], policy: object
) -> list[int]: ...
