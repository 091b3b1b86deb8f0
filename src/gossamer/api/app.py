"""The application: every route in one table, behind the guard."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from litestar import Litestar, Router, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.static_files import create_static_files_router
from litestar.types import ASGIApp

from gossamer import dashboard
from gossamer.api import crawl, events, jobs, problems, stats
from gossamer.api.guard import Guard
from gossamer.api.home import Home
from gossamer.api.refusal import Refused, of_refused
from gossamer.clock import SystemClock
from gossamer.errors import GossamerError
from gossamer.jobs.supervise import AT_ONCE, Supervisor

BASE = "/api/v1"
DASHBOARD = Path(dashboard.__file__).parent


@get("/healthz", include_in_schema=False)
async def healthz() -> str:
    """Say that the loop turns."""
    return "ok"


def make_app(home: Home, token: str, hosts: Sequence[str], jobs_at_once: int = AT_ONCE) -> ASGIApp:
    """Return the application for a home of crawls."""
    supervisor = Supervisor(home.place, home.paths, SystemClock(), jobs_at_once)

    @asynccontextmanager
    async def open_home(app: Any) -> AsyncIterator[None]:
        supervising = asyncio.create_task(supervisor.run())
        try:
            yield
        finally:
            supervising.cancel()
            await asyncio.gather(supervising, return_exceptions=True)
            await home.aclose()

    app = Litestar(
        route_handlers=[
            Router(BASE, route_handlers=[stats.stats, events.events, *crawl.ROUTES, *jobs.ROUTES]),
            healthz,
            create_static_files_router("/", [DASHBOARD], html_mode=True, include_in_schema=False),
        ],
        lifespan=[open_home],
        state=State({"home": home, "supervisor": supervisor}),
        openapi_config=OpenAPIConfig(title="gossamer", version=version("gossamer"), path=f"{BASE}/openapi"),
        exception_handlers={
            Refused: of_refused,
            GossamerError: problems.of_ours,
            HTTPException: problems.of_framework,
            Exception: problems.of_bug,
        },
        logging_config=None,
    )
    return Guard(app, token, hosts)
