"""The worker's end of the wire: the halves of the joints that a visit needs, answered by the node.

Each object looks like its joint and keeps nothing. Calls made in one turn of the event loop travel in one frame. When the node
is gone, every call fails: there is nobody to work for.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Sequence
from itertools import count
from typing import Any

import msgspec

from gossamer.errors import GossamerError, StoreError
from gossamer.records.consultation import Consultation, Learned
from gossamer.records.entry import Discovered, Entry
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease, Leases, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original
from gossamer.records.reason import Reason
from gossamer.records.visit import Earlier, Lesson, Visit
from gossamer.remote import wire
from gossamer.remote.wire import Line, Reply, decode_replies, rebuilt

Decode = Callable[[Any], Any]


def _decoder(kind: Any) -> Decode:
    return msgspec.msgpack.Decoder(kind).decode


_DISCOVERED = _decoder(Discovered)
_GRANTED = _decoder(wire.Granted)
_LEASE = _decoder(Lease | None)
_COUNT = _decoder(int)
_DONE = _decoder(None)
_CONSULTATION = _decoder(Consultation)
_LEARNED = _decoder(Learned)
_EARLIER = _decoder(Earlier)
_OWNER = _decoder(Original | None)
_WHETHER = _decoder(bool)


class NodeConnection:
    """A worker's connection to its node."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._line: Line[Reply] = Line(decode_replies, self._received, self._lost)
        self._numbers = count(1)
        self._open: dict[int, tuple[asyncio.Future[Any], Decode]] = {}
        self._over = asyncio.Event()
        self.advice: dict[str, Consultation] = {}  # by URL; came with its lease and was not asked for yet
        self.lessons: dict[int, Lesson] = {}  # by the token of a lease that was not used yet
        self.told_to_stop: Callable[[], None] = lambda: None
        self.told_of_arrivals: Callable[[Sequence[str]], None] = lambda urls: None

    @classmethod
    async def over(cls, connected: socket.socket) -> "NodeConnection":
        """Connect over a socket."""
        made = cls()
        await made._loop.create_unix_connection(lambda: made._line, sock=connected)
        return made

    async def ask(self, kind: Callable[..., wire.Call], decode: Decode, *arguments: Any) -> Any:
        """Make a call and return the answer, or raise the error it came to."""
        if self._over.is_set():
            raise _gone()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._open[number] = (answer, decode)
        self._line.send(kind(number, *arguments))
        return await answer

    def tell(self, message: object) -> None:
        """Say something that is not answered."""
        self._line.send(message)

    def fail(self, error: GossamerError) -> None:
        """Say why this worker ends."""
        self.tell(wire.Fail(type(error).__name__, str(error)))

    async def aclose(self) -> None:
        """Hang up, when everything said so far is on its way."""
        self._line.close()
        await self._over.wait()

    def _received(self, replies: list[Reply]) -> None:
        for reply in replies:
            if reply.number == 0:
                self.told_to_stop()
                continue
            answer, decode = self._open.pop(reply.number)
            if answer.done():
                continue  # who asked was cancelled
            if reply.kind:
                answer.set_exception(rebuilt(reply.kind, reply.text))
            else:
                answer.set_result(decode(reply.value))

    def _lost(self) -> None:
        self._over.set()
        for answer, _ in self._open.values():
            if not answer.done():
                answer.set_exception(_gone())
        self._open.clear()


def _gone() -> StoreError:
    return StoreError("the node of the crawl is gone; resume the crawl to go on")


class RemoteFrontier:
    """The worker's half of a frontier (`joints.frontier.Leasing`)."""

    def __init__(self, connection: NodeConnection) -> None:
        self._ask = connection.ask
        self._advice = connection.advice
        self._lessons = connection.lessons
        self._connection = connection

    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        """Queue the new ones; known ones keep their place."""
        found: Discovered = await self._ask(wire.DiscoverCall, _DISCOVERED, tuple(entries), now)
        return found

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        """Wait until there is something to do, or nothing ever again (no leases, no next time)."""
        granted: wire.Granted = await self._ask(wire.LeaseCall, _GRANTED, worker, limit, now)
        if granted.arrivals:
            self._connection.told_of_arrivals(granted.arrivals)
        for lease, advice in zip(granted.leases, granted.advice, strict=True):
            if advice is not None:
                self._advice[lease.entry.url] = advice
        for lease, lesson in zip(granted.leases, granted.lessons, strict=True):
            if lesson is not None:
                self._lessons[lease.token] = lesson
        return Leases(granted.leases, granted.next_time)

    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        """Give a bare turn at a host; None: not now."""
        turn: Lease | None = await self._ask(wire.ReserveCall, _LEASE, worker, host, now)
        return turn

    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        """End leases; return how many were still the caller's."""
        settled: int = await self._ask(wire.SettleCall, _COUNT, tuple(settlements), now)
        return settled

    async def block(self, host: str, until: float, reason: Reason | None) -> None:
        """Give no lease of that host before `until`."""
        await self._ask(wire.BlockCall, _DONE, host, until, reason)

    async def pace(self, host: str, seconds: float) -> None:
        """Keep at least that long between two requests."""
        await self._ask(wire.PaceCall, _DONE, host, seconds)


class RemoteRobots:
    """The worker's half of robots.txt (`joints.robots.Advice`)."""

    def __init__(self, connection: NodeConnection) -> None:
        self._ask = connection.ask
        self._tell = connection.tell
        self._advice = connection.advice

    async def consult(self, url: str, agent: str, now: float) -> Consultation:
        """Say whether `agent` may fetch a URL."""
        advice = self._advice.pop(url, None)
        if advice is not None:
            return advice
        consultation: Consultation = await self._ask(wire.ConsultCall, _CONSULTATION, url, agent, now)
        return consultation

    async def learn(self, url: str, fetched: Fetched, agent: str, delay: float, now: float) -> Learned:
        """Take the answer to what `consult` of that URL asked for."""
        learned: Learned = await self._ask(wire.LearnCall, _LEARNED, url, fetched, agent, delay, now)
        return learned

    def release(self, url: str) -> None:
        """Give back an "ask" that could not be sent now."""
        self._tell(wire.Unask(url))


class RemoteClaims:
    """The worker's half of sameness (`joints.sameness.Claims`)."""

    def __init__(self, connection: NodeConnection) -> None:
        self._ask = connection.ask
        self._tell = connection.tell

    def claim(self, page: Original, digest: str, likeness: Likeness | None) -> Coroutine[Any, Any, Earlier]:
        """Claim content and text for a page; say who has them and counts."""
        return self._ask(wire.ClaimCall, _EARLIER, page, digest, likeness)  # no coroutine around it: it is asked once a page

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content."""
        owner: Original | None = await self._ask(wire.OwnerCall, _OWNER, digest)
        return owner

    def release(self, page: Original, digest: str, likeness: Likeness | None) -> None:
        """Give back what was claimed for a page that was not kept."""
        self._tell(wire.Unclaim(page, digest, likeness))


class RemoteLessons:
    """The worker's half of the lessons (`joints.lessons.Teaching`): told with every lease."""

    def __init__(self, connection: NodeConnection) -> None:
        self._lessons = connection.lessons

    async def consult(self, leases: Sequence[Lease]) -> list[Lesson]:
        """Say what was learned about each of some leased URLs."""
        try:
            return [self._lessons.pop(lease.token) for lease in leases]
        except KeyError:
            raise GossamerError("what was learned could not be told: the trace is in crawl.log") from None


class RemoteCommits:
    """Finished visits on their way to the node (`joints.commits.Commits`)."""

    def __init__(self, connection: NodeConnection) -> None:
        self._ask = connection.ask
        self._advice = connection.advice

    async def commit(self, visits: Sequence[Visit]) -> bool:
        """Return when the node has made them durable."""
        for visit in visits:
            self._advice.pop(visit.settlement.lease.entry.url, None)  # a visit that ended before it asked
        ours: bool = await self._ask(wire.CommitCall, _WHETHER, tuple(map(wire.ended, visits)))
        return ours
