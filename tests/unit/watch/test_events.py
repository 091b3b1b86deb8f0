"""What a run has done so far is counted by commits, and is what their visits were."""

import asyncio

from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Visit
from gossamer.watch.events import Event, Events, Resumed, RunTally, Trouble, VisitsEnded, tell_of_calls

NOW = 1_700_000_000.0


def ended(host: str, outcome: Outcome | None, fate: Fate = Fate.DONE, *, asked: bool = True, at: float = 0.0) -> Visit:
    """Make up a visit that received 100 bytes; without an outcome its URL is not finished."""
    entry = Entry(f"http://{host}/", f"http://{host}/", host)
    lease = Lease(token=1, worker="w", entry=entry, leased_at=NOW + at, until=NOW + 300, delay=1.0)
    answer = Answer(at=NOW + at) if asked else None
    settlement = Settlement(lease=lease, fate=fate, outcome=outcome or Outcome.DEFERRED, answer=answer)
    page = None if outcome is None else Page(url=entry.url, key=entry.key, host=host, outcome=outcome)
    return Visit(settlement=settlement, page=page, received=100)


VISITS = [
    ended("a", Outcome.OK),
    ended("b", Outcome.DUPLICATE),
    ended("a", Outcome.OK, at=0.5),  # too soon
    ended("c", Outcome.GONE, asked=False),
    ended("d", None, Fate.RETRY),
    ended("e", None, Fate.DEFERRED, asked=False),
]


def counted(*commits: list[Visit]) -> tuple[dict[str, int], int, int, int, int, int]:
    """Return what is counted after some commits: outcomes, pages, visits, bytes, retries, requests that left too soon."""
    tally, events = RunTally(), Events()
    events.subscribe(tally)
    for visits in commits:
        events.publish(VisitsEnded(visits))
        events.publish(Resumed())
    return dict(tally.outcomes), tally.pages, tally.visits, tally.bytes, tally.retries, tally.politeness.count


def test_every_visit_of_a_commit_is_counted() -> None:
    assert counted(VISITS) == ({"ok": 2, "duplicate": 1, "gone": 1}, 3, 4, 600, 1, 1)


def test_it_makes_no_difference_which_visits_share_a_commit() -> None:
    assert counted(VISITS[:2], [], VISITS[2:]) == counted(*([visit] for visit in VISITS)) == counted(VISITS)


def test_a_listener_that_raises_is_told_of_once_and_keeps_nobody_else_from_hearing() -> None:
    events, heard = Events(), list[Event]()

    def broken(event: Event) -> None:
        raise ZeroDivisionError("a bug")

    events.subscribe(broken)
    events.subscribe(heard.append)
    events.publish(Resumed())
    events.publish(Resumed())
    trouble, first, second = heard
    assert isinstance(trouble, Trouble) and "ZeroDivisionError: a bug while telling of Resumed" in trouble.what
    assert first == second == Resumed()


async def test_what_a_timer_raises_is_told_like_any_other_bug() -> None:
    events, heard = Events(), list[Event]()
    events.subscribe(heard.append)
    tell_of_calls(events)

    def broken() -> None:
        raise ZeroDivisionError("a bug")

    asyncio.get_running_loop().call_soon(broken)
    await asyncio.sleep(0)
    (trouble,) = heard
    assert isinstance(trouble, Trouble) and "ZeroDivisionError: a bug" in trouble.what and "in broken" in trouble.trace
