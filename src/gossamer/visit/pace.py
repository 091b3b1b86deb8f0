"""Pace: the delay of a host that may get several requests at once, kept where a request leaves.

A lease says when a request may leave. Name, connection and other visits lie between that and its leaving, so two leases a delay
apart may become two requests close together; a host with one connection is safe from that, because its next lease counts from
the answer. Where there are several, each request waits here, when all else is ready, until a delay has passed since the last
one left, and since its answer if that is there: a request that is late makes the next one late.

A host that asks to be left alone, or fails too often, says so to all of them: what was leased before the frontier knew is not
sent but given back, and keeps its place.

All leases of such a host belong to one worker at a time (`allot.py`), so what one process knows of it is all there is.
"""

import asyncio
from math import inf

from gossamer.clock import Clock
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease
from gossamer.visit.settle import FAILURES, NEUTRAL, THROTTLED, outcome_of

RESOLUTION = 0.001  # seconds: no timer is better
GIVEN_AHEAD = 0.15  # seconds that a lease may at most be given before its turn (`node.py`)
MOST_HOSTS = 10_000  # after which those are forgotten whose delay has passed


class _Host:
    """The last request of a host."""

    __slots__ = ("delay", "door", "failures", "hushed_by", "last", "left", "void", "why")

    def __init__(self) -> None:
        self.door = asyncio.Lock()  # whose turn is next; let go when the request has left
        self.left = -inf  # when the last request left, or was answered
        self.last = 0  # token of its lease
        self.delay = 0.0  # of that lease
        self.failures = 0  # in a row
        self.void = -inf  # leases given until then are not used
        self.hushed_by = 0  # token of the lease whose answer said so, while it is not settled
        self.why = ""

    def refuses(self, lease: Lease) -> bool:
        """Tell whether a lease was given before the host asked to be left alone."""
        return lease.leased_at <= self.void


class PacedTurn:
    """The turn of one request: awaited by whoever sends it when it could leave."""

    __slots__ = ("_lease", "_pace", "refused")

    def __init__(self, pace: "Pacer", lease: Lease) -> None:
        self._pace = pace
        self._lease = lease
        self.refused = ""  # why the request may not leave any more

    async def __call__(self) -> str:
        """Return when the request may leave, which it then does at once, or why it may not."""
        self.refused = await self._pace.wait_until_turn(self._lease)
        return self.refused


class Pacer:
    """Spaces the requests to each host."""

    def __init__(self, clock: Clock, failures: int) -> None:
        """`failures`: so many in a row open the breaker of a host."""
        self._clock = clock
        self._failures = failures
        self._hosts: dict[str, _Host] = {}

    def turn(self, lease: Lease) -> PacedTurn | None:
        """Return the turn of a lease; None: its host gets one request at a time, or has no delay, and the lease is enough."""
        return PacedTurn(self, lease) if lease.max_connections > 1 and lease.delay else None

    async def wait_until_turn(self, lease: Lease) -> str:
        """Wait until a request may leave; return why it may not: the host wants to be left alone."""
        host = self._host(lease)
        await host.door.acquire()
        try:
            while not host.refuses(lease) and (wait := host.left + lease.delay - self._clock.now()) > 0:  # noqa: ASYNC110 - a time
                await asyncio.sleep(max(wait, RESOLUTION))
        except asyncio.CancelledError:
            host.door.release()
            raise
        if host.refuses(lease):
            host.door.release()
            return host.why
        host.last, host.delay = lease.token, lease.delay
        asyncio.get_running_loop().call_soon(self._has_left, host)  # a busy machine may stop us between here and there
        return ""

    def _has_left(self, host: _Host) -> None:
        host.left = self._clock.now()
        host.door.release()

    def hear(self, lease: Lease, fetched: Fetched) -> None:
        """Take note of an answer, or of there being none."""
        host, outcome = self._host(lease), outcome_of(fetched)
        if host.last == lease.token:
            host.left = max(host.left, fetched.answered)
        if outcome is THROTTLED:
            self._hush(host, lease, f"answered {fetched.status} to another request")
        elif outcome in FAILURES:
            host.failures += 1
            if host.failures == self._failures:
                self._hush(host, lease, f"breaker.failures: {host.failures} failures in a row")
        elif outcome not in NEUTRAL and fetched.sent:
            host.failures = 0

    def _hush(self, host: _Host, lease: Lease, why: str) -> None:
        host.void, host.hushed_by = lease.until, lease.token  # until it is settled, which is sooner
        host.why = f"{lease.entry.host} is left alone: {why}"

    def settle(self, lease: Lease, durable: "asyncio.Future[None]") -> None:
        """Take note that a visit ends: from when it is durable the frontier knows what the host wants."""
        host = self._hosts.get(lease.entry.host)
        if host is not None and host.hushed_by == lease.token:
            durable.add_done_callback(lambda _: self._settled(host))

    def _settled(self, host: _Host) -> None:
        host.hushed_by = host.failures = 0
        host.void = self._clock.now() + GIVEN_AHEAD

    def _host(self, lease: Lease) -> _Host:
        name = lease.entry.host
        host = self._hosts.get(name)
        if host is None:
            if len(self._hosts) >= MOST_HOSTS:
                self._forget(self._clock.now())
            host = self._hosts[name] = _Host()
        return host

    def _forget(self, now: float) -> None:
        """Forget the hosts that nobody asks anything and whose last request is long past."""
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.door.locked() or max(host.left + host.delay, host.void) > now
        }
