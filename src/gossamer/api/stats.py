"""Numbers: how a crawl stands, from its last pulse, and how it went, from those that were kept."""

import asyncio
import math
from typing import Annotated, Any

from litestar import get
from litestar.params import Parameter

from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unfit
from gossamer.api.types import Stats, Throughput, TodayStatus
from gossamer.jobs.history import Columns, PulseCounts, PulseHistory, counted

MINUTE = 60.0
HOUR = 3_600.0
MOST = 2_000  # points
USUAL = 300  # points, where nobody says how many


@get("/stats", summary="A crawl in numbers", opt={"scope": "read"})
async def stats(reach: CrawlReach) -> Stats:
    """Return the numbers of a crawl as they are now. Today is that of UTC; the average is that of the last minute."""
    pulse = await reach.pulse()
    frontier, now = pulse["frontier"], counted_in(pulse)
    (pages, errors), rate = await asyncio.to_thread(_today, reach.history, now)
    return Stats(
        pages_crawled_today=pages,
        errors_today=errors,
        avg_pages_per_sec=round(rate, 3),
        frontier_size=frontier["waiting"] + frontier["leased"],
        active_workers=len(pulse["workers"]),
        state=pulse["state"],
        outcomes=pulse["outcomes"],
        states={name: frontier[name] for name in ("waiting", "leased", "done", "dead", "removed")},
        pages=pulse["pages"],
        errors=frontier["failed"],
        requests=pulse["requests"],
        bytes=pulse["bytes"],
        freshness=pulse["freshness"],
        coverage={"hosts_with_work": frontier["hosts"], **_coverage(pulse)},
        politeness_violations=pulse["too_soon"],
        disk_free=pulse["disk_free"],
        as_of=pulse["at"],
        pulse=pulse,
    )


def _coverage(pulse: dict[str, Any]) -> dict[str, int]:
    return {name: pulse[name] for name in ("hosts_seen", "hosts_with_pages") if pulse.get(name) is not None}


async def today_of(reach: CrawlReach) -> TodayStatus:
    """Return the five numbers of a day."""
    told = await stats.fn(reach)
    return TodayStatus(
        pages_crawled_today=told.pages_crawled_today,
        frontier_size=told.frontier_size,
        active_workers=told.active_workers,
        avg_pages_per_sec=told.avg_pages_per_sec,
        errors_today=told.errors_today,
    )


def counted_in(pulse: dict[str, Any]) -> PulseCounts:
    """Return what a pulse counts."""
    frontier = pulse["frontier"]
    return counted(pulse["at"], pulse["finished"], frontier["failed"], pulse["bytes"], frontier["waiting"])


def _today(history: PulseHistory, now: PulseCounts) -> tuple[tuple[int, int], float]:
    with history.lock:
        history.refresh()
        return history.today(now), history.rate(now, MINUTE)


@get("/stats/throughput", summary="A crawl over time", opt={"scope": "read"})
async def throughput(
    reach: CrawlReach,
    since: Annotated[float | None, Parameter(description="From when on; an hour before `until` if not given.", ge=0)] = None,
    until: Annotated[float | None, Parameter(description="Until when; now if not given.", ge=0)] = None,
    step: Annotated[float | None, Parameter(description="Seconds of a point, at least 1.", ge=1)] = None,
) -> Throughput:
    """Return pages, errors and bytes by steps of time, and how many URLs waited, as columns; at most 2,000 points."""
    now = counted_in(await reach.pulse())
    end = min(now.at if until is None else until, now.at)
    begin = max(end - HOUR, 0.0) if since is None else since
    if begin > end:
        raise unfit("query.since", "it is later than `until`, or than now")
    width = max(math.ceil((end - begin) / USUAL), 1) if step is None else step
    if end - begin > MOST * width:
        raise unfit(
            "query.step", f"this would be more than {MOST:,} points; take a step of {math.ceil((end - begin) / MOST)} s"
        )
    told = await asyncio.to_thread(_columns, reach.history, begin, end, width, now)
    return Throughput(
        since=begin,
        until=end,
        step=width,
        time=told.time,
        pages=told.pages,
        errors=told.errors,
        bytes=told.bytes,
        waiting=told.waiting,
    )


def _columns(history: PulseHistory, since: float, until: float, step: float, now: PulseCounts) -> Columns:
    with history.lock:
        history.refresh()
        return history.columns(since, until, step, now)
