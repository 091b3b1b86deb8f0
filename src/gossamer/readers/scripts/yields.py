"""Running readers over a page: what they yield is items, links, or a problem that costs this one thing and nothing else.

Whatever they do, it ends: at a number of things, at a size, at a time. An alarm interrupts Python code that takes too long, so
that the trace shows where it was; what cannot be interrupted is killed with the child by the parent.
"""

import json
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gossamer.readers.scripts.loading import ScriptReader, line_in
from gossamer.readers.scripts.page import ScriptPage
from gossamer.readers.scripts.travel import Gathered
from gossamer.records.entry import Link
from gossamer.records.item import Harvest, Item, ReaderProblem

MOST_ITEMS = 100  # of a page
LONGEST_ITEM = 64 * 1024  # bytes of JSON
MOST_PROBLEMS = 10  # of a page
LONGEST_TRACE = 8 * 1024  # characters
LONGEST_ERROR = 500


class Overdue(BaseException):
    """The time of a page's readers is over; no `except Exception` of theirs stops it."""


class Gatherer:
    """Takes what the readers of one page yield, until there is enough of it."""

    def __init__(self, page: ScriptPage, most_links: int) -> None:
        self._page = page
        self._most_links = most_links
        self._taken = 0
        self._items: list[Item] = []
        self._problems: list[ReaderProblem] = []
        self._links: dict[str, None] = {}

    def run(self, readers: Iterable[ScriptReader], seconds: float) -> Gathered:
        """Run readers one after the other, all of them together for so long."""
        waiting = list(readers)
        try:
            with _alarm(seconds):
                while waiting:
                    self._read(waiting[0])
                    waiting.pop(0)
        except Overdue as error:
            for reader in waiting[:1]:  # none: the last one ended in the same moment
                self._note(reader, error, f"did not end within {seconds:g} s")
            for reader in waiting[1:]:
                self._note(reader, None, "was not asked: the readers before it took all the time there is")
        harvest = Harvest(tuple(self._items), tuple(self._problems))
        return Gathered(harvest, tuple(self._links), is_late=bool(waiting))

    def _read(self, reader: ScriptReader) -> None:
        try:
            for thing in _each(reader.function(self._page)):
                if isinstance(thing, Link):
                    if len(self._links) < self._most_links:
                        self._links[self._page.join(thing.url)] = None
                elif self._taken == MOST_ITEMS:
                    self._note(reader, None, f"yields more than {MOST_ITEMS} items for a page; the others are not kept")
                    break
                else:
                    self._taken += 1
                    self._take(reader, thing)
        except Overdue:
            raise
        except BaseException as error:  # noqa: BLE001 - what a reader's exception may cost: what it had not yielded yet
            self._note(reader, error, f"{type(error).__name__}: {error}")

    def _take(self, reader: ScriptReader, thing: Any) -> None:
        if not isinstance(thing, dict):
            self._note(reader, None, f"yielded a {type(thing).__name__}; an item is a dict, a link is page.follow(url)")
            return
        try:
            content = json.dumps(thing, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError) as error:
            self._note(reader, None, f"yielded what is no JSON: {error}")
            return
        if len(content) > LONGEST_ITEM:
            self._note(reader, None, f"yielded an item of {len(content):,} bytes; {LONGEST_ITEM:,} are kept at most")
            return
        self._items.append(Item(reader.rule.name, content))

    def _note(self, reader: ScriptReader, error: BaseException | None, told: str) -> None:
        if len(self._problems) >= MOST_PROBLEMS:
            return
        line = (line_in(reader.file, error) if error is not None else 0) or reader.rule.line
        trace = "".join(traceback.format_exception(error)) if error is not None else ""
        where = f"{reader.rule.source.partition(':')[0]}:{line}"
        self._problems.append(ReaderProblem(reader.rule.name, _text(told, LONGEST_ERROR), where, _text(trace[-LONGEST_TRACE:])))


def _each(result: Any) -> Iterator[Any]:
    """Walk over what a reader returned: nothing, one thing, or several."""
    if result is None:
        return
    if isinstance(result, dict | Link | str | bytes) or not isinstance(result, Iterable):
        yield result
        return
    yield from result


def _text(text: str, most: int | None = None) -> str:
    """Return a text that can be written down."""
    return text.encode("utf-8", "replace").decode()[:most]


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise Overdue

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
