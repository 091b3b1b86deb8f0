"""Whether the server is well: for whoever restarts it, and for whoever sends it work."""

import asyncio
import os
from typing import Any

from litestar import Request, Response, get
from litestar.datastructures import State

from gossamer.api.home import Home
from gossamer.api.porter import Identity
from gossamer.api.reach import CrawlReach
from gossamer.errors import GossamerError

PATIENCE = 2.0  # seconds that a crawl has to answer
OPEN = {"scope": "anybody"}


@get("/healthz", opt=OPEN, include_in_schema=False)
async def healthz() -> str:
    """Say that the loop turns."""
    return "ok"


@get("/readyz", opt=OPEN, include_in_schema=False)
async def readyz(request: Request[Identity | None, Any, Any], state: State) -> Response[Any]:
    """Say whether every crawl that should run answers, and the disk has room; what is not so, to those with a token."""
    home: Home = state.home
    reaches = [home.reach(name) for name in home.names()]
    found = await asyncio.gather(*(_trouble(reach) for reach in reaches))
    troubles = {reach.job: trouble for reach, trouble in zip(reaches, found, strict=True) if trouble}
    status = 503 if troubles else 200
    headers = {"Retry-After": "5"} if troubles else {}
    if request.user is None:
        return Response("not ready" if troubles else "ready", status_code=status, headers=headers, media_type="text/plain")
    return Response({"ready": not troubles, "troubles": troubles}, status_code=status, headers=headers)


async def _trouble(reach: CrawlReach) -> str:
    """Say what is wrong with a crawl; an empty text: nothing."""
    try:
        floor = reach.directory.settings().crawl.free_disk
        status = os.statvfs(reach.directory.path)
        if status.f_bavail * status.f_frsize < floor:
            return "the disk has less free space than crawl.free_disk"
        if reach.directory.runner() is not None:
            async with asyncio.timeout(PATIENCE):
                await reach.ask("pulse")
    except TimeoutError:
        return f"it has not answered for {PATIENCE:g} s"
    except (GossamerError, OSError) as error:
        return str(error)
    return ""
