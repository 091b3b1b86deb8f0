"""The node gives evenly, and knows at once when the crawl is over. Its workers are in this process and do as they are told."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gossamer.assemble import make_admission, make_lookout
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Visit
from gossamer.remote.underway import VisitsUnderWay
from gossamer.run.node import Node
from gossamer.run.pool import RunEnd
from gossamer.watch.budget import Budget
from gossamer.watch.events import Events, VisitsEnded

SOON = 30.0  # seconds: the patience of a test that would otherwise hang
CLOCK = SystemClock()


class Staying:
    """A worker, as the node sees it, that stays until it is sent home."""

    pid = 1

    def __init__(self) -> None:
        self.out = VisitsUnderWay()
        self.failure: BaseException | None = None
        self.is_ready = True
        self.has_worked = False
        self.gone = asyncio.Event()
        self.buried = asyncio.Event()
        self.buried.set()

    @property
    def session(self) -> "Staying":
        return self

    def stop(self) -> None:
        self.gone.set()

    kill = stop

    async def abandon(self, now: float) -> int:
        await self.buried.wait()
        return 0

    async def reap(self, patience: float) -> int:
        return 0


class Crew:
    """A running node and its two workers, over a frontier with so many hosts of one URL each."""

    def __init__(self, directory: Path, hosts: int, delay: float = 1.0, concurrency: int = 256) -> None:
        crawl = {"workers": 2, "concurrency": concurrency}
        settings = Settings.model_validate({"crawl": crawl, "politeness": {"delay": delay}})
        self.hosts = hosts
        self.workers: list[Staying] = []
        self.frontier = MemoryFrontier(settings.frontier, settings.politeness, settings.breaker, 300, CLOCK.now())
        self.events = Events()
        self.node = Node(
            start=self._start,
            repair=self._repair,
            frontier=self.frontier,
            lookout=make_lookout(directory, settings, make_admission(settings, []), self.events),
            budget=Budget(settings.crawl.model_copy(update={"concurrency": 2 * concurrency}), 0, 0, CLOCK.now()),
            events=self.events,
            settings=settings.crawl,
            clock=CLOCK,
        )

    async def _start(self, worker: str) -> Staying:
        self.workers.append(Staying())
        return self.workers[-1]

    async def _repair(self, worker: str) -> None:
        pass

    @asynccontextmanager
    async def running(self) -> AsyncIterator["asyncio.Task[RunEnd]"]:
        """Run the node; when the crawl is over, the workers go."""
        names = (f"h{number}.example" for number in range(self.hosts))
        await self.frontier.discover([Entry(f"http://{name}/", f"http://{name}/", name) for name in names], CLOCK.now())
        run = asyncio.create_task(self.node.run())
        await asyncio.sleep(0)
        yield run
        for worker in self.workers:
            worker.stop()
        await run

    async def find_more(self) -> None:
        """Give every host one more URL."""
        names = (f"h{number}.example" for number in range(self.hosts))
        await self.frontier.discover([Entry(f"http://{name}/2", f"http://{name}/2", name) for name in names], CLOCK.now())

    async def end(self, leases: Iterator[Lease]) -> None:
        """End visits as a commit does."""
        for lease in leases:
            answer = Answer(at=CLOCK.now(), seconds=0.0, failed=False)
            settlement = Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=answer)
            await self.frontier.settle([settlement], CLOCK.now())
            self.events.publish(VisitsEnded([Visit(settlement=settlement)]))


def _hosts(leases: Iterable[Lease]) -> list[str]:
    return sorted(lease.entry.host for lease in leases)


async def test_the_crawl_is_over_when_its_last_visit_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.run.steering.LOOK_AROUND", 3600.0)  # nobody comes by and looks
    crew = Crew(tmp_path, hosts=1)
    async with crew.running() as run:
        granted = await asyncio.wait_for(crew.node.lease("w1", 5, CLOCK.now()), SOON)
        again = asyncio.create_task(crew.node.lease("w1", 5, CLOCK.now()))
        await asyncio.sleep(0)
        await crew.end(iter(granted.leases))
        nothing = await asyncio.wait_for(again, SOON)
        assert (nothing.leases, nothing.next_time) == ((), None)
    assert run.result() is RunEnd.FINISHED


async def test_whoever_asks_ahead_is_given_a_turn_for_each_visit_that_ends_and_none_before(tmp_path: Path) -> None:
    crew = Crew(tmp_path, hosts=9, concurrency=4)
    async with crew.running():
        first = (await asyncio.wait_for(crew.node.lease("w1", 4, CLOCK.now()), SOON)).leases
        assert len(first) == 4
        ahead = asyncio.create_task(crew.node.lease("w1", 4, CLOCK.now()))
        await asyncio.sleep(0.1)
        assert not ahead.done()
        await crew.end(iter(first[:3]))
        more = (await asyncio.wait_for(ahead, SOON)).leases
        while len(more) < 3:  # visits of this test end one by one
            more += (await asyncio.wait_for(crew.node.lease("w1", 4, CLOCK.now()), SOON)).leases
        assert len(more) == 3
        assert len(crew.workers[0].out) == 4
        crew.node.stop("enough")


@pytest.mark.parametrize("due", [16, 32, 64])
async def test_few_leases_are_given_evenly(tmp_path: Path, due: int) -> None:
    crew = Crew(tmp_path, hosts=due)
    async with crew.running():
        asked = [asyncio.create_task(crew.node.lease(worker, 200, CLOCK.now())) for worker in ("w1", "w2")]
        granted = [(await asyncio.wait_for(each, SOON)).leases for each in asked]
        assert [len(leases) for leases in granted] == [due // 2, due // 2]
        crew.node.stop("enough")


async def test_the_first_to_ask_does_not_get_everything_before_the_others_have_begun(tmp_path: Path) -> None:
    crew = Crew(tmp_path, hosts=64)
    async with crew.running():
        while len(crew.workers) < 2:
            await asyncio.sleep(0)
        crew.workers[1].is_ready = False
        few = await asyncio.wait_for(crew.node.lease("w1", 200, CLOCK.now()), SOON)
        crew.workers[1].is_ready = True
        asked = [asyncio.create_task(crew.node.lease(worker, 200, CLOCK.now())) for worker in ("w1", "w2")]
        granted = [(await asyncio.wait_for(each, SOON)).leases for each in asked]
        assert len(few.leases) + len(granted[0]) == len(granted[1]) == 32
        crew.node.stop("enough")


async def _given_and_ended(crew: Crew) -> list[Sequence[Lease]]:
    """Let both workers have leases, find more URLs and end these; return whose they were."""
    asked = [asyncio.create_task(crew.node.lease(worker, 200, CLOCK.now())) for worker in ("w1", "w2")]
    given: list[Sequence[Lease]] = [(await asyncio.wait_for(each, SOON)).leases for each in asked]
    await crew.find_more()
    await crew.end(iter((*given[0], *given[1])))
    return given


async def test_a_lease_may_be_given_ahead_of_its_turn_and_says_when_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.run.node.AHEAD", 100.0)
    crew = Crew(tmp_path, hosts=64, delay=50.0)
    async with crew.running():
        ours, _ = await _given_and_ended(crew)
        assert all(lease.leased_at <= CLOCK.now() for lease in ours), "what is ready does not wait"
        again = (await asyncio.wait_for(crew.node.lease("w1", 200, CLOCK.now()), SOON)).leases
        assert _hosts(again) == _hosts(ours)
        first = {lease.entry.host: lease.leased_at for lease in ours}
        late = [lease.leased_at - first[lease.entry.host] - 50.0 for lease in again]
        assert min(late) >= 0.0 and max(late) < 40.0, "not before its turn, and not at the end of the time it may be ahead"
        crew.node.stop("enough")


async def test_what_belongs_to_a_busy_worker_waits_for_it(tmp_path: Path) -> None:
    crew = Crew(tmp_path, hosts=64, delay=0.0)
    async with crew.running():
        ours, theirs = await _given_and_ended(crew)
        again = (await asyncio.wait_for(crew.node.lease("w1", 200, CLOCK.now()), SOON)).leases
        late = (await asyncio.wait_for(crew.node.lease("w2", 200, CLOCK.now()), SOON)).leases
        assert _hosts(again) == _hosts(ours) and _hosts(late) == _hosts(theirs)
        assert crew.node.under_way == 64
        crew.node.stop("enough")


async def test_what_waits_for_a_worker_is_handed_over_also_when_the_crawl_is_over(tmp_path: Path) -> None:
    crew = Crew(tmp_path, hosts=64, delay=0.0)
    async with crew.running() as run:
        _, theirs = await _given_and_ended(crew)
        await asyncio.wait_for(crew.node.lease("w1", 200, CLOCK.now()), SOON)
        crew.node.stop("enough")
        while not crew.node.is_over:
            await asyncio.sleep(0)
        late = await crew.node.lease("w2", 10, CLOCK.now())
        rest = await crew.node.lease("w2", 200, CLOCK.now())
        assert len(late.leases) == 10 and _hosts((*late.leases, *rest.leases)) == _hosts(theirs)
        assert late.next_time is None and not run.done()


async def test_nothing_is_given_to_a_worker_that_is_gone_and_not_buried_yet(tmp_path: Path) -> None:
    crew = Crew(tmp_path, hosts=64, delay=0.0)
    async with crew.running():
        ours, theirs = await _given_and_ended(crew)
        crew.workers[0].buried.clear()
        crew.workers[0].gone.set()
        again: list[Lease] = []
        while len(again) < 64:
            again += (await asyncio.wait_for(crew.node.lease("w2", 200, CLOCK.now()), SOON)).leases
        assert _hosts(again) == _hosts((*ours, *theirs))
        crew.node.stop("enough")
        crew.workers[0].buried.set()


async def test_many_leases_take_few_calls_of_the_frontier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crew, calls = Crew(tmp_path, hosts=400), []
    lease = crew.frontier.lease

    async def counted(worker: Callable[[str, int, float], str], limit: int, now: float):  # type: ignore[no-untyped-def]
        calls.append(limit)
        return await lease(worker, limit, now)

    monkeypatch.setattr(crew.frontier, "lease", counted)
    async with crew.running():
        asked = [asyncio.create_task(crew.node.lease(worker, 128, CLOCK.now())) for worker in ("w1", "w2")]
        granted = [(await asyncio.wait_for(each, SOON)).leases for each in asked]
        assert [len(leases) for leases in granted] == [128, 128]
        assert len(calls) < 256 / 8 / 2
        crew.node.stop("enough")
