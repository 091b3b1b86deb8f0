"""Again: what a visit says of how often its page changes, and when the next one is due.

A page that was visited before is compared with what it was then. Conditional requests save the bytes of one that has not
changed; an answer of 304, or of the same bytes, leaves the page as it was kept and only moves its date.
"""

from email.utils import mktime_tz, parsedate_tz

from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.policy import change, recrawl
from gossamer.policy.priority import due_again
from gossamer.records.fetch import Fetched
from gossamer.records.freshness import Freshness
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Lesson

LEAST_IMPORTANCE = 0.01


def conditions(previous: Page | None) -> tuple[tuple[str, str], ...]:
    """Return the headers by which a host need not send a page that has not changed."""
    if previous is None or previous.freshness is None or previous.place is None:
        return ()
    freshness = previous.freshness
    headers = (("If-None-Match", freshness.etag), ("If-Modified-Since", freshness.last_modified))
    return tuple((name, value) for name, value in headers if value)


def observed(lease: Lease, lesson: Lesson, fetched: Fetched, page: Page, settings: Settings, now: float) -> Freshness:
    """Return what is known of a page's changes after a visit of which `page` is the row."""
    previous = lesson.previous
    etag, last_modified = fetched.header("etag"), fetched.header("last-modified")
    if previous is None or previous.freshness is None:
        found_at, priority = lease.discovered_at, int(lease.entry.priority)
        if not settings.crawl.forever:  # a crawl that ends need not guess how often a page changes
            return Freshness(1, 0, now, now, 0.0, b"", etag, last_modified, found_at, priority)
        freshness = change.begun(page.mime, now, _moment(last_modified), lesson.claimed_interval)
    else:
        changed = page.outcome is not Outcome.NOT_MODIFIED and change.is_changed(
            (previous.simhash, page.simhash),
            (previous.digest, page.digest),
            (previous.outlinks, page.outlinks),
            (previous.length, page.length),
        )
        since, modified_at = page.fetched_at - previous.fetched_at, _moment(last_modified)
        freshness = change.observed(previous.freshness, since, changed, modified_at, now)
        freshness = recrawl.adapted(freshness, changed, settings.recrawl)
        found_at, priority = freshness.found_at, freshness.priority
    if page.outcome is Outcome.NOT_MODIFIED:  # which need not repeat them
        etag, last_modified = etag or freshness.etag, last_modified or freshness.last_modified
    return replace(freshness, etag=etag, last_modified=last_modified, found_at=found_at, priority=priority)


def appointment(
    page: Page, lesson: Lesson, settings: Settings, now: float, interval: float | None = None
) -> recrawl.Appointment:
    """Return when a page is to be visited again, and what its score will be then; `interval` is its host's own."""
    if interval is not None:
        return recrawl.Appointment(now + interval, due_again(1.0, settings.score))
    importance = max(lesson.importance, LEAST_IMPORTANCE)
    due, worth = recrawl.due(page.freshness or Freshness(), importance, now, settings.recrawl, lesson.threshold)
    return recrawl.Appointment(due, due_again(worth, settings.score))


def _moment(header: str) -> float | None:
    parsed = parsedate_tz(header) if header else None
    if parsed is None:
        return None
    try:
        return float(mktime_tz((*parsed[:9], parsed[9] or 0)))
    except (ValueError, OverflowError):
        return None
