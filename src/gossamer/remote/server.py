"""The node's end of the wire: answers the calls of one worker, and knows what is lost when it dies.

A session remembers what its worker holds and has not ended: leases, claims of content, a robots.txt that it fetches. When
the worker is gone, `abandon` gives all of it back, so that somebody else can go on at once.

Calls of a frame that need no waiting are answered one after the other by one task; those that wait get their own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from msgspec import Raw
from msgspec.structs import replace

from gossamer.errors import GossamerError
from gossamer.joints.commits import Commits
from gossamer.joints.frontier import Frontier
from gossamer.joints.lessons import Teaching
from gossamer.joints.robots import Robots
from gossamer.joints.sameness import Claims
from gossamer.records.consultation import Consultation, Learned
from gossamer.records.entry import Discovered
from gossamer.records.lease import Fate, Lease, Leases, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original
from gossamer.records.visit import Earlier, Lesson
from gossamer.remote import wire
from gossamer.remote.underway import VisitsUnderWay
from gossamer.remote.wire import STOP, Calls, Line, Reply, decode_calls, encode, rebuilt, visit_of

_Result = TypeVar("_Result")
_NOTHING = Raw(b"\xc0")
_KNOWN = ("allowed", "denied")  # verdicts of a robots.txt that was read, or of there being none


@dataclass(frozen=True, slots=True)
class NodeService:
    """The stores and rules that the sessions of a node answer from."""

    frontier: Frontier
    robots: Robots
    claims: Claims
    lessons: Teaching
    commits: Commits
    lease: Callable[[str, int, float], Awaitable[Leases]]  # waits until there is something to do
    visitor: Callable[[str], str]  # of a host: the worker that has leases of it
    told: Callable[[str, bytes], None]  # an event, and the worker that tells it
    met: Callable[[str, Exception], None]  # a bug of ours, while this worker was answered
    user_agent: str  # of hosts without one of their own
    arrivals: Sequence[str] = ()  # of seeds, in the order in which they came to be known


class Session:
    """One worker, as its node sees it."""

    def __init__(self, worker: str, service: NodeService) -> None:
        self.worker = worker
        self.out = VisitsUnderWay()  # whoever grants leases adds them
        self.failure: BaseException | None = None  # why nobody can go on
        self.is_ready = False  # it has asked for work
        self.has_worked = False  # and was given some; whoever grants leases says so
        self.gone = asyncio.Event()
        self._service = service
        self._claims: dict[tuple[str, str], Original] = {}  # not yet committed, by digest and key
        self._texts: dict[str, tuple[Likeness, Original]] = {}  # claims of a text, likewise, by key
        self._asked: set[str] = set()  # URLs for whose sake it fetches a robots.txt
        self._learned: set[str] = set()  # and those for which it did, and what came of it is not committed yet
        self._tasks: set[asyncio.Task[None]] = set()
        self._heard = 0  # arrivals that it was told of
        self._heard_at = monotonic()
        self.line: Line[Calls] = Line(decode_calls, self._received, self.gone.set)

    @property
    def silence(self) -> float:
        """Seconds since the worker was last heard of."""
        return monotonic() - self._heard_at

    def stop(self) -> None:
        """Tell the worker to drop what it does and end."""
        self.line.send(STOP)

    async def abandon(self, now: float) -> int:
        """Give back what a worker that is gone has held; return how many visits it leaves undone."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        for (digest, _), page in self._claims.items():
            self._service.claims.release(page, digest, None)
        for likeness, page in self._texts.values():
            self._service.claims.release(page, "", likeness)
        for url in self._asked:
            self._service.robots.release(url)
        for url in self._learned:
            self._service.robots.forget(url)  # its delay and its sitemaps died with the worker
        left = self.out.end_all()
        await self._service.frontier.abandon(self.worker, now)
        return left

    # --- calls in, answers out ---------------------------------------------------------------------------------------

    def _received(self, calls: list[Calls]) -> None:
        self._heard_at = monotonic()
        quick: list[wire.Call] = []
        for call in calls:
            match call:
                case wire.ConsultCall() | wire.ClaimCall() | wire.OwnerCall():
                    quick.append(call)
                case wire.Call():
                    self._begin(self._answer(call))
                case wire.Unask():
                    self._asked.discard(call.url)
                    self._service.robots.release(call.url)
                case wire.Unclaim():
                    self._claims.pop((call.digest, call.page.key), None)
                    if call.likeness is not None:
                        self._texts.pop(call.page.key, None)
                    self._service.claims.release(call.page, call.digest, call.likeness)
                case wire.Tell():
                    self._service.told(self.worker, call.event)
                case wire.Fail():
                    self.failure = rebuilt(call.kind, call.text)
        if quick:
            self._begin(self._answer_all(quick))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.failure = task.exception()
            self.line.close()

    async def _answer_all(self, calls: list[wire.Call]) -> None:
        for call in calls:
            await self._answer(call)

    async def _answer(self, call: wire.Call) -> None:
        try:
            value = await _ANSWERS[type(call)](self, call)
            self.line.send(Reply(call.number, _NOTHING if value is None else Raw(encode(value))))
        except GossamerError as error:
            self.line.send(Reply(call.number, _NOTHING, type(error).__name__, str(error)))
        except Exception as error:  # noqa: BLE001 - what a bug may cost: an answer, and its worker ends a visit for it
            self._service.met(self.worker, error)
            self.line.send(Reply(call.number, _NOTHING, type(error).__name__, f"{type(error).__name__}: {error}"))

    async def _sparing(self, step: Awaitable[_Result]) -> _Result | None:
        """Return what a step comes to; None: it met a bug."""
        try:
            return await step
        except GossamerError:
            raise
        except Exception as error:  # noqa: BLE001 - what a bug may cost: what is told of one lease in advance
            self._service.met(self.worker, error)
            return None

    async def _lease(self, call: wire.LeaseCall) -> wire.Granted:
        self.is_ready = True
        granted = await self._service.lease(call.worker, call.limit, call.now)
        advice, lessons = await self._advise(granted.leases), await self._lessons(granted.leases)
        news = tuple(self._service.arrivals[self._heard :])
        self._heard += len(news)
        return wire.Granted(tuple(map(_light, granted.leases)), granted.next_time, tuple(advice), tuple(lessons), news)

    async def _lessons(self, leases: Sequence[Lease]) -> Sequence[Lesson | None]:
        """Say what was learned about each; should a bug strike, of each alone, None for whom it strikes."""
        lessons: Sequence[Lesson | None] | None = await self._sparing(self._service.lessons.consult(leases))
        if lessons is not None:
            return lessons
        if len(leases) == 1:
            return [None]
        return [lesson for lease in leases for lesson in await self._lessons([lease])]

    async def _advise(self, leases: Sequence[Lease]) -> list[Consultation | None]:
        """Consult robots.txt in advance; None: it has to be fetched first, and the worker shall see to that itself."""
        robots, agent, told = self._service.robots, self._service.user_agent, list[Consultation | None]()
        for lease in leases:
            url = lease.entry.url
            advice = await self._sparing(robots.consult(url, lease.policy.user_agent or agent, lease.leased_at))
            if advice is not None and advice.verdict == "ask":
                robots.release(url)
            told.append(advice if advice is not None and advice.verdict in _KNOWN else None)
        return told

    async def _consult(self, call: wire.ConsultCall) -> Consultation:
        consultation = await self._service.robots.consult(call.url, call.agent, call.now)
        if consultation.verdict == "ask":
            self._asked.add(call.url)
        return consultation

    async def _learn(self, call: wire.LearnCall) -> Learned:
        learned = await self._service.robots.learn(call.url, call.fetched, call.agent, call.delay, call.now)
        self._asked.discard(call.url)
        self._learned.add(call.url)
        return learned

    async def _claim(self, call: wire.ClaimCall) -> Earlier:
        page, digest, likeness = call.page, call.digest, call.likeness
        first, twin = earlier = await self._service.claims.claim(page, digest, likeness)
        if first is None:
            if digest:
                self._claims[(digest, page.key)] = page
            if likeness is not None and twin is None:
                self._texts[page.key] = (likeness, page)
        return earlier

    async def _owner(self, call: wire.OwnerCall) -> Original | None:
        return await self._service.claims.owner(call.digest)

    async def _commit(self, call: wire.CommitCall) -> bool:
        leases = [self.out.get(ended.token) for ended in call.visits]
        pairs = list(zip(call.visits, leases, strict=True))
        visits = [visit_of(ended, lease) for ended, lease in pairs if lease is not None]
        ours = await self._service.commits.commit(visits)
        for ended, lease in pairs:
            self.out.end(ended.token)
            if ended.learned:
                self._learned.discard(ended.learned)
                if lease is None:
                    self._service.robots.forget(ended.learned)
            if ended.claim is not None:
                self._claims.pop((ended.claim[0], ended.claim[1].key), None)
                self._texts.pop(ended.claim[1].key, None)
        return ours and len(visits) == len(call.visits)

    async def _discover(self, call: wire.DiscoverCall) -> Discovered:
        return await self._service.frontier.discover(call.entries, call.now)

    async def _reserve(self, call: wire.ReserveCall) -> Lease | None:
        turn = await self._service.frontier.reserve(call.worker, call.host, call.now)
        if turn is None:
            return None
        if turn.max_connections > 1 and turn.delay and self._service.visitor(call.host) not in ("", self.worker):
            unused = Settlement(lease=turn, fate=Fate.DEFERRED, outcome=Outcome.DEFERRED)
            await self._service.frontier.settle([unused], call.now)  # the pace of its host is kept by another worker
            return None
        self.out.add(turn)
        return _light(turn)

    async def _settle(self, call: wire.SettleCall) -> int:
        for settlement in call.settlements:
            self.out.end(settlement.lease.token)
        return await self._service.frontier.settle(call.settlements, call.now)

    async def _pace(self, call: wire.PaceCall) -> None:
        await self._service.frontier.pace(call.host, call.seconds)

    async def _block(self, call: wire.BlockCall) -> None:
        await self._service.frontier.block(call.host, call.until, call.reason)


_ANSWERS: dict[type[wire.Call], Callable[[Session, Any], Coroutine[Any, Any, Any]]] = {
    wire.LeaseCall: Session._lease,
    wire.ConsultCall: Session._consult,
    wire.ClaimCall: Session._claim,
    wire.OwnerCall: Session._owner,
    wire.CommitCall: Session._commit,
    wire.LearnCall: Session._learn,
    wire.DiscoverCall: Session._discover,
    wire.ReserveCall: Session._reserve,
    wire.SettleCall: Session._settle,
    wire.PaceCall: Session._pace,
    wire.BlockCall: Session._block,
}


def _light(lease: Lease) -> Lease:
    """Leave out what no visit reads and MessagePack has no room for: a hundred bits of the host's past."""
    return replace(lease, clock=replace(lease.clock, recent=0)) if lease.clock.recent else lease
