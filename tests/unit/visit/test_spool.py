"""The spool: a body without room puts its URL off, and is given up when there never is enough."""

from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.errors import SpoolError
from gossamer.records.entry import Entry
from gossamer.records.lease import Fate, Lease
from gossamer.records.outcome import Outcome
from gossamer.testing.clock import VirtualClock
from gossamer.visit.spool import MOST_TRIES, Spool

NOW = 1_700_000_000.0
LEASE = Lease(token=1, worker="w", entry=Entry("http://a/", "http://a/", "a"), leased_at=NOW, until=NOW + 300)


async def at_once(step: Callable[..., Awaitable[Any]], *arguments: object) -> Any:
    return await step(*arguments)


async def test_a_url_without_room_is_asked_for_again_a_few_times_and_then_given_up() -> None:
    spool = Spool(at_once, VirtualClock(NOW))
    for _ in range(MOST_TRIES):
        visit = await spool.put_off(LEASE, SpoolError("no space is left"))
        assert (visit.settlement.fate, visit.page) == (Fate.DEFERRED, None)
        assert visit.settlement.answer is not None and visit.settlement.answer.failed is None
    visit = await spool.put_off(LEASE, SpoolError("no space is left"))
    assert (visit.settlement.fate, visit.settlement.outcome) == (Fate.DEAD, Outcome.TOO_BIG)
    assert visit.page is not None and str(visit.page.reason) == "no space is left"
