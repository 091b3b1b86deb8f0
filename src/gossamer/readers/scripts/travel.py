"""What travels between a crawl and the children that run readers."""

from msgspec import Struct

from gossamer.records.item import Harvest


class ReaderMark(Struct, frozen=True, array_like=True):
    """The pages that a reader wants."""

    mime: str
    pattern: str = ""  # found in path and query (RE2); empty: in all


class ReaderSource(Struct, frozen=True, array_like=True):
    """Where readers come from: the text of a script, or a plugin."""

    path: str = ""  # of a script
    text: bytes = b""  # of it, so that all children of a run have the same one, whoever edits the file meanwhile
    point: str = ""  # of a plugin: module:function


class ReaderRule(Struct, frozen=True, array_like=True):
    """A reader as a crawl knows it."""

    name: str
    source: str  # file name of its script, or the plugin's module:function
    line: int
    marks: tuple[ReaderMark, ...]

    def __str__(self) -> str:
        wanted = ", ".join(" ".join(part for part in (mark.mime, mark.pattern) if part) for mark in self.marks)
        return f"{self.name} of {self.source} ({wanted})"


class Gathered(Struct, frozen=True, array_like=True):
    """What readers yielded for a page."""

    harvest: Harvest = Harvest()
    links: tuple[str, ...] = ()
    is_late: bool = False  # there was not time enough
