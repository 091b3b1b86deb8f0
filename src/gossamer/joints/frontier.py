"""The joint of the frontier: every known URL, and every host's next turn.

Politeness is grouped (`Entry.group`; each host is a group of its own), and everything that belongs to a group tells its *home*,
16 bits of the group's name: entries and hosts by their text, fingerprints (`promote`, `names`) and tokens of leases by their
first bits. So a frontier that is divided into partitions by homes knows for every call which of them to ask.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol, Self, runtime_checkable

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.joints.shelving import Shelving
from gossamer.records.entry import Discovered, Entry, Priority
from gossamer.records.host import HostMark, HostOrder, HostPage, HostPolicy, HostState, HostStatus
from gossamer.records.lease import KnownUrl, Lease, Leases, Settlement
from gossamer.records.location import Location
from gossamer.records.outcome import State
from gossamer.records.reason import Reason
from gossamer.records.standing import FrontierStatistics, Outlook, Pending


@runtime_checkable
class Leasing(Protocol):
    """The worker's half of the frontier: what a visit needs of it. Time is always an argument."""

    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        """Queue the new ones; known ones keep their place."""

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        """Give up to `limit` due URLs of ready hosts; the hosts' clocks move with it."""

    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        """Give a bare turn at a host, without a URL (a robots.txt that another host redirects to); None: not now."""

    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        """End leases; return how many were still the caller's. The others change nothing.

        A settlement's clock becomes the host's if the host's is still the one of its lease; otherwise the rules are asked again
        (`policy/turn.py`).
        """

    async def block(self, host: str, until: float, reason: Reason | None) -> None:
        """Give no lease of that host before `until`; only ever later, never sooner. An `until` of 0 lifts the block."""

    async def pace(self, host: str, seconds: float) -> None:
        """Keep at least that long between two requests (Crawl-delay)."""


@runtime_checkable
class Frontier(Leasing, Protocol):
    """The brain: every known URL in exactly one state, and every host's next turn. Time is always an argument."""

    @classmethod
    async def open(
        cls,
        location: Location,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        now: float,
        durable: bool,
        opic: bool,
    ) -> Self:
        """Open the frontier of a crawl, or make it; live leases come back, and every host waits one delay.

        `lease`: seconds for which a lease is given. `durable`: what a call acknowledged outlives a power loss. `opic`: pages
        have credit, and the richest of a host is next.
        """

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a frontier at a location, without making one."""

    async def lease(self, worker: str | Callable[[str, int, float], str], limit: int, now: float) -> Leases:
        """Give leases to a worker, or each to whom `worker` names for a host with so many connections and such a delay.

        A backend far away may own its leases by itself, and name the workers of what came back: `worker` is asked where the
        call is made, once for each lease, and `abandon` gives back what it named.
        """

    async def time(self) -> float | None:
        """Return the time by which clocks are kept where that is not this machine's; None: it is."""

    async def abandon(self, worker: str, now: float) -> int:
        """Take back every lease of a worker that is gone, as if it had run out; return how many."""

    async def revisit(self, dates: Sequence[tuple[str, float]], now: float) -> int:
        """Let finished URLs, by key, be due again at a date; one that is due later comes sooner. Return how many changed."""

    async def promote(self, worth: Sequence[tuple[int, float, Priority]]) -> int:
        """Raise score and class of URLs, by fingerprint, that wait and were never fetched; none falls. Return how many rise."""

    async def set_policy(self, host: str, policy: HostPolicy) -> None:
        """Replace the operator's policy of a host; a paused or blocked one gives no lease."""

    async def remove(self, key: str) -> bool:
        """Take a URL out for good: removed, never queued again. False: not known."""

    async def drop(self, host: str) -> int:
        """Remove every waiting URL of a host; return how many."""

    async def lookup(self, key: str) -> KnownUrl | None:
        """Return all that is known of a URL."""

    async def host(self, host: str) -> HostStatus | None:
        """Return one host, None when nothing was ever queued for it or decided about it."""

    def hosts(self) -> AsyncIterator[HostStatus]:
        """Walk over every host with a record."""

    async def list_hosts(
        self, order: HostOrder, after: HostMark | None, limit: int, now: float, state: HostState | None = None, prefix: str = ""
    ) -> HostPage:
        """Return some hosts in an order, those behind `after`, whose names begin so, and which stand so at a time.

        By waiting URLs, by their next turn, or by name; ties go by name. Never long at a time on the loop, however many hosts
        there are: one that changes meanwhile may be told as it was, twice or not at all.
        """

    async def waiting_of(self, host: str, limit: int) -> list[KnownUrl]:
        """Return the next URLs of a host in the order of its leases, as if its classes began to take turns now.

        Those that wait for a date come last, in the order of their dates.
        """

    async def pending(self) -> Pending:
        """Count what waits, by class. Never long at a time on the loop."""

    async def sample(self, count: int, seed: int) -> list[KnownUrl]:
        """Return some known URLs, each as likely as any other, none twice; all there are if they are fewer.

        The same seed draws the same ones from the same frontier. Never long at a time on the loop.
        """

    async def known_by(self, fingerprints: Sequence[int]) -> list[KnownUrl | None]:
        """Return all that is known of the URLs whose keys have these fingerprints; None where no known URL has."""

    async def names(self, fingerprints: Sequence[int]) -> list[str]:
        """Return the URLs, as they are requested, whose keys have these fingerprints; an empty text where no known URL has."""

    def known(self, state: State | None = None) -> AsyncIterator[KnownUrl]:
        """Walk over every known URL, or those in one state."""

    async def statistics(self) -> FrontierStatistics: ...
    async def outlook(self, most: int) -> Outlook: ...  # who will be last only if no more than `most` hosts have work

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy of the state."""

    async def aclose(self) -> None: ...
