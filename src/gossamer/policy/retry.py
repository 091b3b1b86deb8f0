"""Retry: what an answer means, whether failing was passing, and when to try again.

A transient failure is tried again after a wait that grows with every attempt, a fixed number of times, so a finite crawl
ends. Waits are counted in delays of the host: a site that is asked slowly is also bothered slowly. Status codes and
Retry-After are those of RFC 9110 (sections 15 and 10.2.3), 429 that of RFC 6585.
"""

import re
from email.utils import mktime_tz, parsedate_tz

from gossamer.config.sections import Retry
from gossamer.records.outcome import Outcome

TRANSIENT = frozenset(
    (
        Outcome.SERVER_ERROR,
        Outcome.THROTTLED,
        Outcome.TIMED_OUT,
        Outcome.CONNECT_FAILED,
        Outcome.DNS_FAILED,
        Outcome.PROTOCOL_ERROR,
    )
)
SHORTEST_DELAY = 0.1  # a host with no delay is not asked again at once
LONGEST_RETRY_AFTER = 365 * 86400.0  # a number of any length may stand in a header
SECONDS = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def is_transient(outcome: Outcome) -> bool:
    """Tell whether the same request may end differently later."""
    return outcome in TRANSIENT


def next_try(outcome: Outcome, attempts: int, delay: float, settings: Retry, now: float) -> float | None:
    """Return when to try again after `attempts` earlier failures, or None: not any more."""
    if outcome not in TRANSIENT or attempts >= settings.times:
        return None
    return now + settings.wait * settings.growth**attempts * max(delay, SHORTEST_DELAY)


def retry_after(header: str, now: float) -> float | None:
    """Return when a Retry-After header allows the next request (never before `now`), or None when it says nothing."""
    text = header.strip()
    if SECONDS.fullmatch(text):
        wait = float(text)
    else:
        date = parsedate_tz(text)
        if date is None:
            return None
        try:
            wait = mktime_tz((*date[:9], date[9] or 0)) - now  # without a zone it is GMT, never our own
        except (ValueError, OverflowError):
            return None
    return now + min(max(wait, 0.0), LONGEST_RETRY_AFTER)


def outcome_of(status: int, has_retry_after: bool = False) -> Outcome:
    """Return what a status means; a 503 that says when to come back is a request to slow down."""
    if 200 <= status < 300:
        return Outcome.OK
    if status == 304:
        return Outcome.NOT_MODIFIED
    if 300 <= status < 400:
        return Outcome.REDIRECTED
    if status in (404, 410):
        return Outcome.GONE
    if status == 429 or (status == 503 and has_retry_after):
        return Outcome.THROTTLED
    if 400 <= status < 500:
        return Outcome.CLIENT_ERROR
    return Outcome.SERVER_ERROR if 500 <= status < 600 else Outcome.PROTOCOL_ERROR
