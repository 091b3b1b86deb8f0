"""How long a host is left in peace, and how many requests it may get at once.

Every rule takes a `HostClock` and returns the next one; nothing here reads a clock or keeps a state. What stays true:

- The delay is never under the operator's floor (`1 / max_qps`, or `politeness.delay`) nor under the host's Crawl-delay;
  slow answers only stretch it.
- `next_time` and `blocked_until` move later, never sooner, with two exceptions that no request contradicts: a turn that was
  given back unused (the frontier restores the clock it had) and an operator who lifts a block.
- A lease moves `next_time` one delay on. The answer moves it to one delay after its first byte: the host had seen the request
  by then, so from start to start, as the host sees it, there is at least the delay.

Crawl-delay is no part of RFC 9309; hosts that ask for it are obeyed up to `politeness.max_robots_delay`.
"""

from msgspec.structs import replace

from gossamer.config.sections import Politeness
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.lease import Answer
from gossamer.records.reason import Reason


def delay_of(policy: HostPolicy, clock: HostClock, settings: Politeness) -> float:
    """Return the seconds between two requests to the host, start to start."""
    if not clock.robots_delay and policy.max_qps is None:  # nearly always, and asked three times a page
        return settings.delay * clock.slowdown
    return _delay(policy, clock.robots_delay, clock.slowdown, settings)


def _delay(policy: HostPolicy, robots_delay: float, slowdown: float, settings: Politeness) -> float:
    floor = 1.0 / policy.max_qps if policy.max_qps else settings.delay
    if not robots_delay:
        return floor * slowdown
    return max(floor, min(robots_delay, settings.max_robots_delay)) * slowdown


def connections_of(policy: HostPolicy, clock: HostClock, settings: Politeness) -> int:
    """Return how many requests the host may get at once; while the breaker probes, exactly one."""
    if clock.probing:
        return 1
    return policy.max_connections or settings.connections


def after_lease(clock: HostClock, delay: float, now: float) -> HostClock:
    """Move the clock because a request may be sent from now on."""
    next_time = now + delay
    return replace(clock, next_time=next_time) if next_time > clock.next_time else clock


def after_answer(clock: HostClock, answer: Answer, policy: HostPolicy, settings: Politeness) -> HostClock:
    """Move the clock because the host answered, or failed to."""
    slowdown = clock.slowdown if answer.failed is None else _slowdown(clock.slowdown, answer.seconds, settings)
    robots_delay = clock.robots_delay if answer.robots_delay is None else answer.robots_delay
    next_time = answer.at + _delay(policy, robots_delay, slowdown, settings)
    if next_time < clock.next_time:
        next_time = clock.next_time
    learned = replace(clock, slowdown=slowdown, robots_delay=robots_delay, next_time=next_time)
    return block(learned, answer.block_until, answer.block_reason) if answer.block_until else learned


def after_restart(clock: HostClock, delay: float, now: float) -> HostClock:
    """Wait one delay from now: what was sent just before is not known, and a wall clock set back must not stretch the wait."""
    return replace(clock, next_time=now + delay)


def block(clock: HostClock, until: float, reason: Reason | None) -> HostClock:
    """Leave the host alone until then, unless it is left alone for longer already."""
    if until <= clock.blocked_until:
        return clock
    return replace(clock, blocked_until=until, block_reason=reason)


def lift(clock: HostClock) -> HostClock:
    """Forget that the host is blocked or given up; a probing breaker still sends one request first."""
    return replace(clock, blocked_until=0.0, block_reason=None, given_up_until=0.0)


def pace(clock: HostClock, seconds: float, policy: HostPolicy, settings: Politeness) -> HostClock:
    """Take up a Crawl-delay; it counts from the request before already."""
    paced = replace(clock, robots_delay=seconds)
    return stretch(paced, delay_of(policy, clock, settings), delay_of(policy, paced, settings))


def stretch(clock: HostClock, before: float, after: float) -> HostClock:
    """Move the next turn on when the delay grew between two turns; a shorter delay holds from the next turn on."""
    return replace(clock, next_time=clock.next_time + after - before) if after > before else clock


def _slowdown(slowdown: float, seconds: float, settings: Politeness) -> float:
    if seconds > settings.slow_answer:
        return min(slowdown * 2, settings.max_slowdown)
    if seconds < settings.quick_answer and slowdown > 1.0:
        return max(slowdown / 2, 1.0)
    return slowdown
