"""Probes: one request for something that cannot exist, to see how a host says so. Once a directory at most, at its turn."""

from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.joints.archive import Archive
from gossamer.joints.robots import Advice
from gossamer.policy import soft404
from gossamer.readers.reading import Reader
from gossamer.records.evidence import Probe
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Cookie, Visit
from gossamer.url.parse import split
from gossamer.visit.request import Requests
from gossamer.visit.settle import Kept, answer_of, outcome_of, put_off, redirect_of, used


class Prober:
    """Spends a turn of a host on a probe; the URL keeps its place and its turn comes again."""

    def __init__(
        self,
        settings: Settings,
        requests: Requests,
        robots: Advice,
        archive: Archive,
        reader: Reader,
        until_room: Callable[..., Awaitable[Any]],
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._requests = requests
        self._robots = robots
        self._archive = archive
        self._reader = reader
        self._until_room = until_room
        self._clock = clock

    async def send(self, lease: Lease, url: str, jar: tuple[Cookie, ...] = ()) -> Visit:
        """Probe, if robots.txt allows it."""
        now = self._clock.now()
        directory = soft404.directory_of(split(url))
        consultation = await self._robots.consult(url, self._requests.agent(lease), now)
        if consultation.verdict == "denied":
            return _deferred(lease, because(Rule.PROBE_DENIED), (directory, Probe(url=url, at=now)), None, 0)
        if consultation.verdict != "allowed":
            if consultation.verdict == "ask":
                self._robots.release(url)
            return _deferred(lease, because(Rule.PROBE_WAITS), None, None, 0)
        fetched = await self._requests.send(url, lease, jar=jar)
        try:
            if fetched.outcome is Outcome.DEFERRED:
                return _deferred(lease, put_off(fetched), None, used(fetched), 0)
            probe = Probe(url=url, at=fetched.started, status=fetched.status)
            if fetched.outcome is Outcome.OK:
                await self._until_room(self._archive.append, fetched, "", None)
                reading = await self._reader.read(fetched)
                probe = Probe(
                    url=url,
                    at=fetched.started,
                    status=fetched.status,
                    location=redirect_of(fetched),
                    simhash=reading.likeness.simhash if reading.likeness else None,
                    words=reading.likeness.words if reading.likeness else 0,
                    title=reading.extract.title,
                    length=fetched.body.size,
                )
            kept = Kept(fetched=fetched, outcome=outcome_of(fetched))
            answer = answer_of(lease, kept, self._settings, self._clock.now())
            return _deferred(lease, because(Rule.PROBE_SENT), (directory, probe), answer, fetched.body.size)
        finally:
            fetched.body.close()


def _deferred(
    lease: Lease, reason: Reason | None, probe: tuple[str, Probe] | None, answer: Answer | None, received: int
) -> Visit:
    settlement = Settlement(lease=lease, fate=Fate.DEFERRED, outcome=Outcome.DEFERRED, reason=reason, answer=answer)
    return Visit(settlement=settlement, probe=probe, received=received)
