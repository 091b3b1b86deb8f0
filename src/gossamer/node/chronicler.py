"""Tell the chronicle of visits, and judge by the frontier what of it is true.

A block is written before its visits are settled, so it may tell of some that never were: the process died between the two, or a
lease was no longer its worker's. The frontier knows: a visit was settled if its URL says so of that very moment. What was is
confirmed, what was not is struck out, and nobody ever sees it.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from gossamer.joints.chronicle import Chronicle
from gossamer.joints.frontier import Frontier
from gossamer.records.lease import Fate
from gossamer.records.line import Unsettled, VisitLine
from gossamer.records.outcome import Outcome, State
from gossamer.records.page import Page
from gossamer.records.visit import Visit
from gossamer.visit.admit import rules_of

_DONE = Fate.DONE
_KEPT = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED})  # the page is there


class ToldBlock(Struct, frozen=True):
    """Visits that are written down, and when they are to be settled: by that moment the frontier is asked about them."""

    block: int
    at: float
    visits: Sequence[Visit]


class Chronicler:
    """Writes what a commit has to tell."""

    def __init__(self, chronicle: Chronicle, frontier: Frontier, is_off: bool = False) -> None:
        self._chronicle = chronicle
        self._frontier = frontier
        self._is_off = is_off
        self._doubtful: list[Unsettled] = []  # blocks of which the frontier has to be asked what was settled

    async def tell(self, visits: Sequence[Visit], now: float) -> ToldBlock:
        """Write down visits that are to be settled as of now."""
        if self._is_off:
            return ToldBlock(0, now, visits)
        lines = [line_of(visit) for visit in visits]
        return ToldBlock(await self._chronicle.add(lines, now, refused_in(visits)), now, visits)

    def settled(self, told: ToldBlock, accepted: int) -> None:
        """Say that a block is settled; where the frontier did not accept all of it, it is asked which (`clear_doubts`)."""
        if self._is_off:
            return
        if accepted == len(told.visits):
            self._chronicle.settle(told.block)
        else:
            keys = {number: visit.settlement.lease.entry.key for number, visit in enumerate(told.visits, 1)}
            self._doubtful.append(Unsettled(told.block, told.at, len(told.visits), keys))

    async def clear_doubts(self) -> None:
        """Ask the frontier about blocks of which not all visits were settled."""
        while self._doubtful:
            block = self._doubtful.pop()
            try:
                self._chronicle.settle(block.block, await _never_settled(self._frontier, block))
            except BaseException:
                self._doubtful.append(block)
                raise


async def judge(chronicle: Chronicle, frontier: Frontier, now: float) -> None:
    """Confirm or strike out what the writer of a chronicle left unsettled, and let readers know at once."""
    left = await chronicle.unsettled()
    for block in left:
        chronicle.settle(block.block, await _never_settled(frontier, block))
    if left:
        await chronicle.add((), now, {})


async def _never_settled(frontier: Frontier, block: Unsettled) -> list[int]:
    """Return the lines of a block whose visits were not settled when it says; what was removed meanwhile is never repeated."""
    struck = []
    for line, key in block.keys.items():
        known = await frontier.lookup(key)
        if known is None or (known.settled_at != block.at and known.state is not State.REMOVED):
            struck.append(line)
    return struck


def line_of(visit: Visit) -> VisitLine:
    """Return what is told of a visit."""
    settlement, page = visit.settlement, visit.page
    lease, reason = settlement.lease, settlement.reason
    entry = lease.entry
    line = VisitLine(
        host=entry.host,
        url=entry.url,
        outcome=settlement.outcome.value,
        status=visit.status,
        bytes=visit.received,
        address=visit.address,
        worker=lease.worker,
        token=lease.token,
    )
    if entry.key != entry.url:
        line.key = entry.key
    if settlement.fate is not _DONE:
        line.fate = settlement.fate.value
    if reason is not None:
        line.rule, line.facts = reason.rule, reason.facts
    if page is not None:
        line.version = version_of(visit, page)
        line.digest = page.digest
        if page.place is not None and page.captured_at == page.fetched_at:
            line.file, line.offset, line.length = page.place.file, page.place.offset, page.place.length
    return line


def version_of(visit: Visit, page: Page) -> str:
    """Say what a visit means for the versions of its page; nothing: there was never one."""
    is_there = page.outcome in _KEPT
    if not visit.settlement.lease.again:
        return "new" if is_there else ""
    if not is_there:
        return "gone"
    return "same" if page.outcome is Outcome.NOT_MODIFIED or page.captured_at != page.fetched_at else "changed"


def refused_in(visits: Sequence[Visit]) -> Counter[str]:
    """Count the links of visits that were refused at admission, by rule."""
    counts = rules_of([entry for visit in visits for entry in visit.settlement.discovered])
    for visit in visits:
        if visit.refused:
            counts.update(visit.refused)
    return counts
