"""Workers: the processes that fetch, as the last pulse has them."""

from typing import Any

from litestar import Request, Response, get

from gossamer.api.asking import listed
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unknown
from gossamer.api.types import ItemList, WorkerRow, WorkerStats
from gossamer.records.pulse import RESPONSE_CLASSES

SILENT = 30.0  # seconds without a sign of life


@get("/workers", summary="The workers of a crawl", opt={"scope": "read"})
async def workers(request: Request[Any, Any, Any], reach: CrawlReach) -> Response[ItemList[WorkerRow]]:
    """List the workers of a crawl that runs; one that does not has none."""
    pulse = await reach.pulse()
    return listed(request, [_row(reach, pulse, one) for one in pulse["workers"]], None, pulse["at"])


@get("/workers/{id:str}/stats", summary="One worker in numbers", opt={"scope": "read"})
async def worker_stats(reach: CrawlReach, id: str) -> WorkerStats:
    """Return what a worker has done in its life."""
    pulse = await reach.pulse()
    found = next((one for one in pulse["workers"] if one["name"] == id), None)
    if found is None:
        raise unknown(f"{id!r} is no worker of this crawl now")
    homes = {one["name"]: one["hosts"] for one in await reach.ask("workers")}
    ends = [f"{end:g}" for end in RESPONSE_CLASSES] + ["inf"]
    return WorkerStats(
        id=id,
        visits=found["visits"],
        pages=found["pages"],
        bytes=found["bytes"],
        outcomes=found["outcomes"],
        responses=dict(zip(ends, pulse["responses"], strict=True)),
        stalls=pulse["stalls"],
        hosts=homes.get(id, 0),
        as_of=pulse["at"],
    )


def _row(reach: CrawlReach, pulse: dict[str, Any], worker: dict[str, Any]) -> WorkerRow:
    silent = bool(worker["last_seen"]) and pulse["at"] - worker["last_seen"] > SILENT
    return WorkerRow(
        id=worker["name"],
        machine=worker["machine"],
        pid=worker["pid"],
        since=worker["since"],
        under_way=worker["under_way"],
        pages_per_second=round(reach.pace(pulse, worker), 3),
        rss=worker["rss"],
        last_seen=worker["last_seen"] or pulse["at"],
        state="silent" if silent else "working" if worker["under_way"] else "idle",
    )
