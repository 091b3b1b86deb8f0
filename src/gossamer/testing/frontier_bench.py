"""What the rules of a frontier are checked with: a way to open one, and short spellings of entries and settlements."""

from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Entry, Priority
from gossamer.records.host import HostStatus
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome

NOW = 1_700_000_000.0
LEASE = 300.0
EAGER = Politeness(delay=0)


class FrontierBench(Protocol):
    """Opens frontiers of one backend. A rule opens one, and may ask for it again as after a restart."""

    folder: Path  # of this bench alone

    async def open(
        self,
        *,
        settings: FrontierSettings = FrontierSettings(),
        politeness: Politeness = Politeness(),
        breaker: Breaker = Breaker(),
        opic: bool = False,
    ) -> Frontier:
        """Open a new frontier at `NOW` whose leases last `LEASE`."""
        ...

    async def reopen(self, now: float) -> Frontier:
        """Take the frontier opened last away, cleanly or not, and open what it kept, with the same settings."""
        ...

    async def restore(self, source: Path, now: float) -> Frontier:
        """Open a checkpoint beside the frontier opened last, with the same settings."""
        ...


def entry(path: str = "1", host: str = "a.example", **fields: Any) -> Entry:
    """Return a URL of a host."""
    url = f"http://{host}/{path}"
    return Entry(url, url, host, **fields)


def key(path: str = "1", host: str = "a.example") -> str:
    """Return the key of the entry of that path."""
    return f"http://{host}/{path}"


def end(lease: Lease, fate: Fate = Fate.DONE, **fields: Any) -> Settlement:
    """Return the settlement of a lease whose answer came at once, unless `answer` says something else."""
    answer = {"answer": Answer(at=lease.leased_at, seconds=1.0)}
    outcome = {Fate.DEAD: Outcome.GONE, Fate.RETRY: Outcome.TIMED_OUT, Fate.DEFERRED: Outcome.DEFERRED}
    return Settlement(lease=lease, fate=fate, **{"outcome": outcome.get(fate, Outcome.OK)} | answer | fields)


def failure(lease: Lease, now: float) -> Settlement:
    """Return the settlement of a lease whose host failed."""
    return end(lease, Fate.RETRY, answer=Answer(at=now, seconds=1.0, failed=True))


async def many(frontier: Frontier, count: int, host: str = "a.example", priority: Priority = Priority.MEDIUM) -> None:
    """Let a host have so many URLs."""
    await frontier.discover([entry(str(number), host, priority=priority) for number in range(count)], NOW)


async def leased(frontier: Frontier, now: float, limit: int = 100, worker: str = "worker") -> tuple[Lease, ...]:
    """Lease."""
    return (await frontier.lease(worker, limit, now)).leases


async def only(frontier: Frontier, now: float, worker: str = "worker") -> Lease:
    """Lease and expect exactly one."""
    (lease,) = await leased(frontier, now, worker=worker)
    return lease


async def status(frontier: Frontier, host: str = "a.example") -> HostStatus:
    """Return a host that is known."""
    known = await frontier.host(host)
    assert known is not None
    return known


def by(lease: Lease, worker: str) -> Lease:
    """Return the lease as a stranger would show it."""
    return replace(lease, worker=worker)
