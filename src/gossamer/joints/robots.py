"""The joint of robots.txt, and the half of it that a worker needs."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gossamer.records.consultation import Consultation, Learned, RobotsCopy
from gossamer.records.fetch import Fetched


@runtime_checkable
class Advice(Protocol):
    """The worker's half of robots.txt: may a URL be fetched, and what did a robots.txt say."""

    async def consult(self, url: str, agent: str, now: float) -> Consultation:
        """Say whether `agent` may fetch a URL; "ask" makes the caller the one who fetches robots.txt, others "wait"."""

    async def learn(self, url: str, fetched: Fetched, agent: str, delay: float, now: float) -> Learned:
        """Take the answer to what `consult` of that URL asked for; waits are counted in delays. It is durable after `keep`."""

    def release(self, url: str) -> None:
        """Give back an "ask" that could not be sent now; the next `consult` may ask."""


@runtime_checkable
class Robots(Advice, Protocol):
    """robots.txt of every origin, cached and durable. Sends nothing itself: the caller spends a turn on what it asks for."""

    async def keep(self, urls: Sequence[str]) -> None:
        """Make durable what was learned for these URLs; what came of it (delay, sitemaps, blocks) is durable already."""

    def forget(self, url: str) -> None:
        """Drop what was learned for a URL and not kept: what came of it is lost, so it has to be asked for again."""

    async def reopen(self, urls: Sequence[str]) -> None:
        """Forget that a robots.txt of these URLs was out of reach, so that it is asked for again; rules that were read stay."""

    async def files(self, host: str) -> list[RobotsCopy]:
        """Return what is known of every origin of a host, by origin; asks nobody."""

    async def peek(self, url: str, agent: str, now: float) -> Consultation:
        """Like `consult`, but makes nobody ask: for explaining."""
