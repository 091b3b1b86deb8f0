"""URLs that are not there: other spellings of them, as they were found, are asked for instead. The same for every backend."""

from msgspec.structs import replace

from gossamer.records.entry import Entry
from gossamer.records.lease import Fate
from gossamer.records.outcome import Outcome
from gossamer.url.spelling import spelled


def is_gone(fate: Fate, outcome: Outcome) -> bool:
    """Tell whether the host says that a URL is not there."""
    return fate is Fate.DEAD and outcome is Outcome.GONE


def spelled_otherwise(entry: Entry, wires: tuple[str, ...]) -> list[Entry]:
    """Return other spellings of a URL as URLs of their own, found where it was."""
    return [replace(entry, url=wire, key=spelled(wire)) for wire in wires]
