"""Stores behind a real socket: what a worker in a process of its own reaches, for contract tests in one process.

The worker's verbs go over the wire, the operator's go straight to the store behind it.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from gossamer.config.sections import RobotsTxt, Traps
from gossamer.dedupe.claims import StoredClaims
from gossamer.dedupe.near import NearIndex
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original
from gossamer.records.visit import Visit
from gossamer.remote.client import NodeConnection, RemoteClaims
from gossamer.remote.server import NodeService, Session
from gossamer.robots.cache import RobotsCache


class Committed:
    """Commits that are only written down."""

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.times = 0

    async def commit(self, visits: Sequence[Visit]) -> bool:
        self.times += 1
        self.visits += visits
        return True


@dataclass
class Wire:
    """Both ends of one socket."""

    session: Session
    connection: NodeConnection
    told: list[tuple[str, bytes]]
    committed: Committed
    bugs: list[Exception] = field(default_factory=list)

    def serve(
        self,
        *,
        frontier: Any = None,
        robots: Any = None,
        deduper: Any = None,
        near: Any = None,
        lessons: Any = None,
        lease: Any = None,
    ) -> None:
        """Answer from these stores from now on."""
        robots = robots or RobotsCache(RobotsTxt(), MemoryKeyValue())
        lease = lease or (lambda worker, limit, now: frontier.lease(worker, limit, now))
        told = lambda worker, event: self.told.append((worker, event))  # noqa: E731
        near = near or NearIndex(MemoryKeyValue())
        book = lessons or LessonBook(MemoryKeyValue(), Traps(), 50)
        met = lambda worker, error: self.bugs.append(error)  # noqa: E731
        claims = StoredClaims(deduper, near)
        self.session._service = NodeService(
            frontier, robots, claims, book, self.committed, lease, lambda host: "", told, met, "gossamer"
        )


@asynccontextmanager
async def wired(worker: str = "worker") -> AsyncIterator[Wire]:
    """Lay a wire; it serves nothing yet."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    session = Session(worker, None)  # type: ignore[arg-type]
    await asyncio.get_running_loop().create_unix_connection(lambda: session.line, sock=ours)
    connection = await NodeConnection.over(theirs)
    try:
        yield Wire(session, connection, [], Committed())
    finally:
        await connection.aclose()
        await session.gone.wait()


class Exact:
    """The worker's half of a deduper, over the wire."""

    def __init__(self, claims: RemoteClaims) -> None:
        self._claims = claims

    async def claim(self, digest: str, page: Original) -> Original | None:
        return (await self._claims.claim(page, digest, None))[0]

    def release(self, digest: str, page: Original) -> None:
        self._claims.release(page, digest, None)


class Near:
    """The worker's half of near sameness, over the wire."""

    def __init__(self, claims: RemoteClaims) -> None:
        self._claims = claims

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        return (await self._claims.claim(page, "", likeness))[1]

    def release(self, likeness: Likeness, page: Original) -> None:
        self._claims.release(page, "", likeness)


class Halves:
    """One joint of two halves: the worker's over the wire, the rest straight from the store."""

    def __init__(self, remote: object, local: object) -> None:
        self._halves = (remote, local)

    def __getattr__(self, name: str) -> Any:
        return next(getattr(half, name) for half in self._halves if hasattr(half, name))
