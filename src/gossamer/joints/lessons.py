"""The joint of what is learned about hosts, and the half of it that a worker needs."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from gossamer.records.entry import Verdict
from gossamer.records.evidence import Ruling
from gossamer.records.lease import Lease
from gossamer.records.visit import Lesson, Studied, Visit
from gossamer.url.parse import Url


@runtime_checkable
class Teaching(Protocol):
    """The worker's half of the lessons."""

    async def consult(self, leases: Sequence[Lease]) -> Sequence[Lesson]:
        """Say what was learned about each of some leased URLs."""


@runtime_checkable
class Lessons(Teaching, Protocol):
    """Lessons about hosts, learned from their answers: durable, shown with its evidence, reversible."""

    async def study(self, visits: Sequence[Visit], now: float) -> Studied:
        """Learn from finished visits, and judge the links they found."""

    async def keep(self, studied: Studied) -> None:
        """Make durable what visits taught."""

    async def keys(self, key: str, url: str) -> list[str]:
        """Return every key that a URL may have been given, its own first."""

    async def evidence(self, url: Url) -> dict[str, Any]:
        """Return all that was learned and bears on a URL."""

    async def verdicts(self, url: Url, key: str, via: str = "") -> list[Verdict]:
        """Return what each rule in force says of a URL found on the page `via`, whether it is refused by it or not."""

    async def everything(self, host: str = "") -> list[tuple[str, str, str, Any]]:
        """List what was learned of one host or all: host, kind, name, record."""

    async def rule(self, host: str, kind: str, name: str, ruling: Ruling) -> bool:
        """Put an operator's word above the evidence; False: there is nothing of that name."""

    async def summary(self) -> dict[str, int]:
        """Return how much of it is in force."""
