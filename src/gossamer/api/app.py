"""The application: every route in one table, behind the guard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware
from litestar.static_files import create_static_files_router
from litestar.types import ASGIApp, ControllerRouterHandler

from gossamer import dashboard
from gossamer.api import docs, events, health, metrics, problems, resources, sessions, tokens
from gossamer.api.description import describe
from gossamer.api.desk import FILE, Desk, DeskRules
from gossamer.api.home import Home
from gossamer.api.refusal import RequestRefused, of_refused
from gossamer.api.streams import Streams
from gossamer.api.strict import look
from gossamer.clock import SystemClock
from gossamer.errors import GossamerError
from gossamer.jobs.supervise import AT_ONCE, Supervisor

BASE = "/api/v1"
DASHBOARD = Path(dashboard.__file__).parent
DOOR = (sessions.begin, sessions.end, sessions.whoami, tokens.tokens, tokens.make_token, tokens.revoke_token)


ROUTES: list[ControllerRouterHandler] = [
    Router(BASE, route_handlers=[*resources.BELOW_BASE, events.events, *DOOR]),
    *resources.ELSEWHERE,
    docs.openapi,
    docs.docs,
    health.healthz,
    health.readyz,
    metrics.metrics,
]


def description() -> dict[str, Any]:
    """Return the description of every route, without a home."""
    app = Litestar(route_handlers=ROUTES, dependencies=resources.DEPENDENCIES, openapi_config=None, logging_config=None)
    return describe(app, version("gossamer"))


class Annex(NamedTuple):
    """What another door adds to the application: it is behind the same guard, and asks for the same tokens."""

    handlers: Sequence[ControllerRouterHandler]
    lifespan: Callable[[Any], AbstractAsyncContextManager[None]]


def make_app(
    home: Home, rules: DeskRules, streams: Streams, jobs_at_once: int = AT_ONCE, annex: Annex | None = None
) -> ASGIApp:
    """Return the application for a home of crawls; the guard stands before it (`guard.py`)."""
    numbers = metrics.DoorNumbers()
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

    known = {"home": home, "supervisor": supervisor, "numbers": numbers, "rules": rules, "streams": streams, "let": home.let}
    app = Litestar(
        route_handlers=[
            *ROUTES,
            *(annex.handlers if annex else ()),
            create_static_files_router("/", [DASHBOARD], html_mode=True, include_in_schema=False, opt={"scope": FILE}),
        ],
        dependencies=resources.DEPENDENCIES,
        before_request=look,
        lifespan=[open_home, annex.lifespan] if annex else [open_home],
        state=State(known),
        middleware=[DefineMiddleware(Desk, rules=rules)],
        openapi_config=None,
        exception_handlers={
            GossamerError: problems.of_ours,
            RequestRefused: of_refused,
            HTTPException: problems.of_framework,
            Exception: problems.of_bug,
        },
        logging_config=None,
        request_max_body_size=None,  # the desk has read it, within what the route takes
    )
    app.state["description"] = cache(partial(describe, app, version("gossamer")))
    return metrics.CountedAnswers(app, numbers)
