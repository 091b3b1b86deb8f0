"""The chronicle held against the frontier: every visit that was settled is told, and no other.

The frontier knows when a URL was settled last, and the chronicle tells it of the very same moment. What was settled before the
chronicle began, or while it was off, is not looked at, nor is what was removed by an operator.
"""

from collections.abc import AsyncIterator, Callable
from math import inf
from typing import Any

from gossamer.assemble import Stores
from gossamer.jobs.chronicle import SILENCE, events_of
from gossamer.jobs.ledger import Collector
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import State


class _Told:
    """The last visit of each URL, as the chronicle tells it, and when it told nothing."""

    def __init__(self) -> None:
        self.last: dict[str, float] = {}  # by key
        self.silences: list[tuple[float, float]] = []
        self._silent_since: float | None = -inf  # it has not begun

    async def read(self, stores: Stores) -> None:
        """Read all of it."""
        async for event in events_of(stores.chronicle):
            if event.kind == "word" and event.said["what"] == SILENCE:
                self._silent_since = event.at
            elif self._silent_since is not None:
                self.silences.append((self._silent_since, event.at))
                self._silent_since = None
            if event.kind == "visit":
                self.last[event.said.get("key") or event.said["url"]] = event.at
        if self._silent_since is not None:
            self.silences.append((self._silent_since, inf))

    def was_silent(self, moment: float) -> bool:
        """Tell whether nothing could be told of a moment."""
        return any(since < moment < until for since, until in self.silences)


async def check_told(stores: Stores, finding: Callable[[str, str], Collector]) -> AsyncIterator[Any]:
    """Check P22; what stands above the last mark was judged when the crawl was opened."""
    chain = finding("P22", "the chronicle is as it was written: its chain holds, line by line")
    async for block in stores.chronicle.audit():
        for _ in range(block.lines - bool(block.problem)):
            chain.look()
        if block.problem:
            chain.look(f"{block.place}: {block.problem}")
    yield chain.check()
    settled = finding("P22", "every visit that was settled is told, and none that was not")
    told = _Told()
    await told.read(stores)
    async for known in stores.frontier.known():
        if known.state is not State.REMOVED:
            _look_at(settled, known, told)
    yield settled.check()


def _look_at(finding: Collector, known: KnownUrl, told: _Told) -> None:
    at, said = known.settled_at, told.last.get(known.entry.key)
    if at is None:
        if said is not None:
            finding.look(f"{known.entry.url} is told, but was never settled")
    elif said == at:
        finding.look()
    elif not told.was_silent(at):
        when = "is not told" if said is None else f"the last one told is of {said!r}"
        finding.look(f"{known.entry.url} was settled at {at!r}, {when}")
