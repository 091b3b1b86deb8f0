"""Every rule of the frontier's contract, over every backend; the embedded one is restarted cleanly and by a kill."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from killing import leave_as_killed
from wiring import Halves, wired

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.joints.frontier import Frontier
from gossamer.records.lease import Leases
from gossamer.remote.client import NodeConnection, RemoteFrontier
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier import INVARIANTS, ORDER
from gossamer.testing.frontier_bench import LEASE, NOW, FrontierBench


class _Bench(ABC):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.current: Frontier | None = None
        self.given: tuple[FrontierSettings, Politeness, Breaker] = (FrontierSettings(), Politeness(), Breaker())
        self.opic = False
        self.openings = 0

    async def open(
        self,
        *,
        settings: FrontierSettings = FrontierSettings(),
        politeness: Politeness = Politeness(),
        breaker: Breaker = Breaker(),
        opic: bool = False,
    ) -> Frontier:
        self.given, self.opic = (settings, politeness, breaker), opic
        self.current = self.start()
        return self.current

    async def reopen(self, now: float) -> Frontier:
        self.openings += 1
        self.current = await self.again(now)
        return self.current

    @abstractmethod
    def start(self) -> Frontier: ...

    @abstractmethod
    async def again(self, now: float) -> Frontier: ...


class MemoryBench(_Bench):
    def start(self) -> Frontier:
        return MemoryFrontier(*self.given, LEASE, NOW, self.opic)

    async def again(self, now: float) -> Frontier:
        assert self.current is not None
        dump = self.folder / f"dump-{self.openings}"
        await self.current.checkpoint(DirectoryShelving(dump))
        return await self.restore(dump, now)

    async def restore(self, source: Path, now: float) -> Frontier:
        return MemoryFrontier.restore(source, *self.given, LEASE, now, self.opic)


class EmbeddedBench(_Bench):
    def start(self) -> Frontier:
        return EmbeddedFrontier.open_at(self.folder / "frontier", *self.given, LEASE, NOW, opic=self.opic)

    async def again(self, now: float) -> Frontier:
        assert self.current is not None
        await self.current.aclose()
        return await self.restore(self.folder / "frontier", now)

    async def restore(self, source: Path, now: float) -> Frontier:
        return EmbeddedFrontier.open_at(source, *self.given, LEASE, now, opic=self.opic)


class Half(RemoteFrontier):
    """A worker leases for itself; only its node does for several."""

    def __init__(self, connection: NodeConnection, node: Frontier) -> None:
        super().__init__(connection)
        self._node = node

    async def lease(self, worker: str | Callable[[str, int, float], str], limit: int, now: float) -> Leases:
        return await (super().lease(worker, limit, now) if isinstance(worker, str) else self._node.lease(worker, limit, now))


class RemoteBench(MemoryBench):
    """The worker's half is reached over a socket."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        super().__init__(folder)
        self.stack = stack

    async def open(self, **settings: Any) -> Frontier:
        return await self.over_a_wire(await super().open(**settings))

    async def reopen(self, now: float) -> Frontier:
        return await self.over_a_wire(await super().reopen(now))

    async def over_a_wire(self, frontier: Frontier) -> Frontier:
        wire = await self.stack.enter_async_context(wired())
        wire.serve(frontier=frontier)
        return cast(Frontier, Halves(Half(wire.connection, frontier), frontier))


class KilledBench(EmbeddedBench):
    """Goes on with the files as they are at this instant, which is what a killed process leaves behind."""

    async def again(self, now: float) -> Frontier:
        assert isinstance(self.current, EmbeddedFrontier)
        left = self.folder / f"left-{self.openings}"
        await leave_as_killed(self.current, left)
        return await self.restore(left, now)


@pytest.fixture(params=[MemoryBench, EmbeddedBench, KilledBench, RemoteBench], ids=["memory", "embedded", "killed", "remote"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[_Bench]:
    async with AsyncExitStack() as stack:
        made = request.param(tmp_path, stack) if request.param is RemoteBench else request.param(tmp_path)
        yield made
        if made.current is not None:
            await made.current.aclose()


@pytest.mark.parametrize("rule", INVARIANTS + ORDER, ids=lambda rule: rule.__name__)
async def test_the_frontier_keeps(rule: Callable[[FrontierBench], Awaitable[None]], bench: Any) -> None:
    await rule(bench)
