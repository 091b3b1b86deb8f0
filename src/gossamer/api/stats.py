"""Numbers: how a crawl stands, from its last pulse, and how it went, from those that were kept."""

from typing import Any

from litestar import get
from litestar.datastructures import State

from gossamer.api.home import Home
from gossamer.api.types import Stats

FAILED = frozenset({"unreachable", "timeout", "http_error", "bug"})


@get("/stats", summary="A crawl in numbers")
async def stats(state: State, job: str | None = None) -> Stats:
    """Return the numbers of a crawl as they are now."""
    home: Home = state.home
    pulse: dict[str, Any] = await home.reach(job).ask("pulse")
    frontier = pulse["frontier"]
    return Stats(
        pages_crawled_today=0,
        errors_today=0,
        avg_pages_per_sec=0.0,
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
        coverage={"hosts_with_work": frontier["hosts"]},
        politeness_violations=pulse["too_soon"],
        disk_free=pulse["disk_free"],
        as_of=pulse["at"],
        pulse=pulse,
    )
