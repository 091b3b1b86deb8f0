"""How a host stands, in one word: what an operator sees, and picks hosts by."""

from gossamer.policy.breaker import is_open
from gossamer.records.host import HostClock, HostPolicy, HostState


def state_of(policy: HostPolicy, clock: HostClock, waiting: int, now: float) -> HostState:
    """Return how a host stands; what an operator decided comes first."""
    if policy.blocked:
        return HostState.BLOCKED
    if policy.paused:
        return HostState.PAUSED
    if is_open(clock, now):
        return HostState.OPEN
    if clock.blocked_until > now:
        return HostState.BLOCKED
    return HostState.READY if waiting else HostState.IDLE
