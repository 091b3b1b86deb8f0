"""The gate: may this lease be used for its URL at all? If not, the visit ends here, before any request for the URL.

One lease is one request. A worker that finds no fresh robots.txt spends the lease on robots.txt instead; the URL is deferred
and keeps its place. A robots.txt that redirects to another host needs a turn at that host, like any other request.
"""

from contextlib import closing

from msgspec.structs import replace

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.joints.archive import Archive
from gossamer.joints.frontier import Leasing
from gossamer.joints.robots import Advice
from gossamer.policy import priority
from gossamer.records.consultation import Consultation, Learned
from gossamer.records.entry import Entry, Link, LinkKind, Verdict
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Cookie, Lesson, Visit
from gossamer.url.parse import parse
from gossamer.visit.admit import LinkJudge
from gossamer.visit.probe import Prober
from gossamer.visit.request import Requests
from gossamer.visit.settle import Settler, put_off, unvisited, used

UNUSED = Verdict(False, because(Rule.DOCUMENTS_SITEMAPS))
SHORT_WAIT = 0.05  # until somebody else has fetched robots.txt, or another host has a turn to spare


class Gate:
    """Turns leases away that may not be used for their URL now."""

    def __init__(
        self,
        settings: Settings,
        frontier: Leasing,
        robots: Advice,
        archive: Archive,
        admission: LinkJudge,
        requests: Requests,
        settler: Settler,
        prober: Prober,
        clock: Clock,
    ) -> None:
        self._returns = settings.crawl.returns
        self._forever = settings.crawl.forever
        self._uses_sitemaps = settings.documents.sitemaps
        self._frontier = frontier
        self._robots = robots
        self._archive = archive
        self._admission = admission
        self._requests = requests
        self._until_room = settler.until_room
        self._prober = prober
        self._clock = clock

    async def turn_away(self, lease: Lease, lesson: Lesson) -> Visit | None:
        """Return how the visit ends at the gate, or None when the URL may be fetched now."""
        now = self._clock.now()
        entry = lease.entry
        if lease.returns >= self._returns:
            return _ended(lease, Outcome.BUG, because(Rule.CRAWL_RETURNS, returns=lease.returns))
        if lease.clock.given_up_until > now:
            reason = because(Rule.BREAKER_OPENINGS, host=entry.host, last=str(lease.clock.block_reason or ""))
            return self._put_off(lease, lesson, Outcome.BREAKER_OPEN, reason, lease.clock.given_up_until)
        depth = lease.policy.crawl_depth
        if depth is not None and entry.depth > depth:
            reason = because(Rule.POLICY_CRAWL_DEPTH, depth=entry.depth, host=entry.host, limit=depth)
            return _ended(lease, Outcome.OUT_OF_SCOPE, reason)
        if lesson.behind is not None:
            return _deferred(lease, lesson.behind, score=priority.VIEW)
        if lesson.refused is not None:
            return _ended(lease, lesson.refused.outcome, lesson.refused.reason)
        if lesson.wait is not None:
            return _deferred(lease, lesson.wait[1], due=now + lesson.wait[0])
        consultation = await self._robots.consult(entry.url, self._requests.agent(lease), now)
        match consultation.verdict:
            case "allowed":
                is_probed = lesson.probe_url and not self._admission.is_checked(entry)  # of other sites one answer is enough
                return await self._prober.send(lease, lesson.probe_url, lesson.jar) if is_probed else None
            case "denied":
                return self._put_off(lease, lesson, consultation.outcome, consultation.reason, consultation.due)
            case "wait":
                return _deferred(lease, consultation.reason, due=consultation.due or now + SHORT_WAIT)
            case "ask":
                return await self._ask(lease, consultation, lesson.jar)

    def _put_off(self, lease: Lease, lesson: Lesson, outcome: Outcome, reason: Reason | None, due: float | None) -> Visit:
        """End a URL without a request; a page that is kept stays as it is, and is due again when that may have passed."""
        if due is None or lesson.previous is None or not self._forever:
            return _ended(lease, outcome, reason, due)
        settlement = Settlement(lease=lease, fate=Fate.AGAIN, outcome=outcome, reason=reason, due=due)
        return Visit(settlement=settlement, page=replace(lesson.previous, reason=reason))

    async def _ask(self, lease: Lease, consultation: Consultation, jar: tuple[Cookie, ...]) -> Visit:
        """Spend the turn on robots.txt, or a turn of the host it redirects to."""
        host = parse(consultation.ask).host
        if host == lease.entry.host:
            return await self._ask_here(lease, consultation.ask, jar)
        now = self._clock.now()
        turn = await self._frontier.reserve(lease.worker, host, now)
        if turn is None:
            self._robots.release(lease.entry.url)
            return _deferred(lease, because(Rule.ROBOTS_ELSEWHERE, host=host), due=now + max(lease.delay, SHORT_WAIT))
        return await self._ask_elsewhere(lease, turn, consultation.ask)

    async def _ask_here(self, lease: Lease, url: str, jar: tuple[Cookie, ...]) -> Visit:
        fetched = await self._fetch(lease, url, jar=jar)
        with closing(fetched.body):
            learned = await self._learn(lease, fetched)
            if learned is None:
                return _deferred(lease, put_off(fetched), answer=used(fetched))
            return self._learned(lease, fetched, learned, _answer(fetched, learned))

    async def _ask_elsewhere(self, lease: Lease, turn: Lease, url: str) -> Visit:
        fetched = await self._fetch(lease, url, turn)
        with closing(fetched.body):
            learned = await self._learn(lease, fetched)
            ended = Settlement(lease=turn, fate=Fate.DONE, outcome=Outcome.OK, answer=used(fetched))
            await self._frontier.settle([ended], self._clock.now())
            if learned is None:
                return _deferred(lease, put_off(fetched))
            if learned.delay is not None:
                await self._frontier.pace(lease.entry.host, learned.delay)
            if learned.block_until:
                await self._frontier.block(lease.entry.host, learned.block_until, learned.reason)
            return self._learned(lease, fetched, learned, None)

    def _learned(self, lease: Lease, fetched: Fetched, learned: Learned, answer: Answer | None) -> Visit:
        """End the turn that was spent on robots.txt."""
        return _deferred(
            lease,
            learned.reason or because(Rule.ROBOTS_FETCHED),
            due=learned.block_until or None,
            answer=answer,
            entries=self._sitemaps(lease, learned),
            received=fetched.body.size,
            learned=lease.entry.url,
        )

    async def _fetch(self, lease: Lease, url: str, turn: Lease | None = None, jar: tuple[Cookie, ...] = ()) -> Fetched:
        try:
            return await self._requests.send(url, lease, bare=turn, jar=jar)
        except BaseException:
            self._robots.release(lease.entry.url)  # the next one may ask
            raise

    async def _learn(self, lease: Lease, fetched: Fetched) -> Learned | None:
        """Keep the answer like any other, and hand it to the rules; None: it has to be asked for again."""
        if fetched.outcome is Outcome.DEFERRED:
            self._robots.release(lease.entry.url)
            return None
        if fetched.outcome is Outcome.OK:
            await self._until_room(self._archive.append, fetched, "", None)
        now = self._clock.now()
        return await self._robots.learn(lease.entry.url, fetched, self._requests.agent(lease), lease.delay, now)

    def _sitemaps(self, lease: Lease, learned: Learned) -> tuple[Entry, ...]:
        links = [Link(url, LinkKind.SITEMAP) for url in learned.sitemaps]
        entries = self._admission.admit(links, lease.entry)
        if self._uses_sitemaps:
            return entries
        return tuple([replace(entry, refused=entry.refused or UNUSED) for entry in entries])


def _answer(fetched: Fetched, learned: Learned) -> Answer | None:
    """Say how the host behaved; robots.txt out of reach has its own patience, so it is no failure for the breaker."""
    if fetched.outcome is Outcome.ADDRESS_REFUSED:
        return None  # nothing was sent, and nothing will be
    return Answer(
        at=fetched.answered,
        seconds=fetched.answered - fetched.started,
        failed=None,
        robots_delay=learned.delay,
        block_until=learned.block_until,
        block_reason=learned.reason,
    )


def _ended(lease: Lease, outcome: Outcome, reason: Reason | None, due: float | None = None) -> Visit:
    """End a URL for good without a request."""
    settlement = Settlement(lease=lease, fate=Fate.DEAD, outcome=outcome, reason=reason, due=due)
    return Visit(settlement=settlement, page=unvisited(lease.entry, outcome, reason))


def _deferred(
    lease: Lease,
    reason: Reason | None,
    due: float | None = None,
    answer: Answer | None = None,
    entries: tuple[Entry, ...] = (),
    received: int = 0,
    learned: str = "",
    score: float | None = None,
) -> Visit:
    settlement = Settlement(
        lease=lease,
        fate=Fate.DEFERRED,
        outcome=Outcome.DEFERRED,
        reason=reason,
        due=due,
        answer=answer,
        discovered=entries,
        score=score,
    )
    return Visit(settlement=settlement, received=received, learned=learned)
