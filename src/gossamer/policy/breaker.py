"""When a failing host is left alone, when it is tried again, and when it is given up.

The breaker is closed, open, or probing. `breaker.failures` failures in a row open it for `open_for`; then exactly one request
goes out (`probing` makes the frontier allow one connection), whose answer closes it or opens it again. After `openings`
openings in a row the host is given up for `give_up_for`: nothing blocks it then, so that its URLs can end as `breaker_open`
without a request. Apart from that, more than `error_share` failures among the last 100 requests pause the host for `pause`
and start the window anew.

An answer that arrives while the breaker is open belongs to a request sent before it opened: it fills the window but is no
probe. An answer whose `failed` is None says nothing.
"""

from msgspec.structs import replace

from gossamer.config.sections import Breaker
from gossamer.policy.politeness import block
from gossamer.records.host import HostClock
from gossamer.records.lease import Answer
from gossamer.records.reason import because
from gossamer.records.rules import Rule

WINDOW = 100
_WINDOW_BITS = (1 << WINDOW) - 1


def after_answer(clock: HostClock, answer: Answer, settings: Breaker, now: float) -> HostClock:
    """Count the answer and open, close or leave the breaker."""
    if answer.failed is None:
        return clock
    counted = _count(clock, answer.failed, settings, now)
    if is_open(clock, now):
        return counted
    if not answer.failed:
        if not (clock.failures or clock.openings or clock.probing or clock.given_up_until):
            return counted  # all is well and was before: nearly always
        return replace(counted, failures=0, openings=0, probing=False, given_up_until=0.0)
    counted = replace(counted, failures=clock.failures + 1)
    if clock.probing or counted.failures >= settings.failures:
        return _open(counted, settings, now)
    return counted


def is_open(clock: HostClock, now: float) -> bool:
    """Tell whether the breaker holds every request back."""
    return clock.probing and (clock.blocked_until > now or clock.given_up_until > now)


def _open(clock: HostClock, settings: Breaker, now: float) -> HostClock:
    opened = replace(clock, openings=clock.openings + 1, probing=True)
    if opened.openings >= settings.openings:
        return replace(opened, given_up_until=now + settings.give_up_for)
    return block(opened, now + settings.open_for, because(Rule.BREAKER_FAILURES, failures=clock.failures))


def _count(clock: HostClock, failed: bool, settings: Breaker, now: float) -> HostClock:
    recent = (clock.recent << 1 | failed) & _WINDOW_BITS
    count = clock.recent_count + 1 if clock.recent_count < WINDOW else WINDOW
    if count < WINDOW or recent.bit_count() <= settings.error_share * WINDOW:
        return replace(clock, recent=recent, recent_count=count)
    failures = recent.bit_count()
    paused = block(clock, now + settings.pause, because(Rule.BREAKER_ERROR_SHARE, failures=failures, window=WINDOW))
    return replace(paused, recent=0, recent_count=0)
