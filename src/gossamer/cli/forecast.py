"""What a crawl waits for, and when it will be over, as far as anybody can tell. Pure: numbers in, words out.

What waits, at the pace of the last minute; but no sooner than the slowest host allows, which is what really limits a crawl of
few hosts. Links that are still to be found are not counted, and the words say so.
"""

from collections.abc import Sequence

from msgspec import Struct

from gossamer.records.standing import Outlook

SOON = 0.05  # seconds: a shorter wait is none
FEWEST_SECONDS = 3.0  # of a pace that anything can be told from
NEARLY = 0.5  # of the time that the pace so far asks for: then the slowest host is what limits it


class Standing(Struct, frozen=True):
    """How far a crawl was at some moment."""

    at: float
    pages: int
    finished: int  # URLs, in this run
    waiting: int


class CrawlSpeed(Struct, frozen=True):
    """How fast a crawl is, a second; 0: nobody can tell."""

    pages: float = 0.0
    finished: float = 0.0
    is_growing: bool = False  # more is found than finished


def pace_of(history: Sequence[Standing]) -> CrawlSpeed:
    """Return the pace over some time, the oldest standing first."""
    if not history or history[-1].at - history[0].at < FEWEST_SECONDS:
        return CrawlSpeed()
    first, last = history[0], history[-1]
    seconds = last.at - first.at
    pages, finished = (last.pages - first.pages) / seconds, (last.finished - first.finished) / seconds
    return CrawlSpeed(pages, finished, last.waiting > history[len(history) // 2].waiting)  # at first it always does


def forecast(waiting: int, pace: CrawlSpeed, outlook: Outlook, pages_left: int | None, seconds_left: float | None) -> str:
    """Say when the crawl will be over; an empty text: nobody can tell."""
    by_pace = waiting / pace.finished if pace.finished else 0.0
    seconds = max(by_pace, outlook.seconds)
    if not waiting or not seconds:
        return ""
    if pages_left is not None and pace.pages and pages_left / pace.pages < seconds:
        return f"about {roughly(pages_left / pace.pages)} at this pace: then the budget of pages is spent"
    if seconds_left is not None and seconds_left < seconds:
        return f"{roughly(seconds_left)}: then the time is spent"
    is_limit = outlook.delay and outlook.seconds >= NEARLY * by_pace
    how = f", {outlook.delay:g} s apart at {outlook.slowest}" if is_limit else " at this pace"
    if pace.is_growing:
        return f"at least {roughly(seconds)}{how}: more links are found than fetched"
    return f"about {roughly(seconds)}{how}, and more as links are found"


def wait_for(outlook: Outlook, now: float) -> str:
    """Say how long the next turn is away, and what is in its way; an empty text: it is not."""
    seconds = outlook.next_time - now
    if not outlook.next_host or seconds < SOON:
        return ""
    long = f"{seconds:.1f} s" if seconds < 10 else roughly(seconds)
    return f"{long} for {outlook.next_host}: {outlook.reason}" if outlook.reason else f"{long} for {outlook.next_host}'s turn"


def roughly(seconds: float) -> str:
    """Write a duration that nobody knows exactly."""
    for unit, length, most in (("s", 1, 90), ("min", 60, 90 * 60), ("h", 3600, 36 * 3600)):
        if seconds < most:
            return f"{max(round(seconds / length), 1)} {unit}"
    return f"{round(seconds / 86400):,} days"
