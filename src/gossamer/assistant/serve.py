"""Serve the tools: to the program that started this one, over standard input and output; or over HTTP, to who has a token."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from litestar import asgi
from litestar.types import Receive, Scope, Send
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from gossamer.api.app import Annex
from gossamer.api.serve import application, serve_home
from gossamer.assistant.inside import Inside, begun
from gossamer.assistant.protocol import Assistant
from gossamer.config.sections import ServeSettings

PATH = "/mcp"
NOTHING_LET: frozenset[str] = frozenset()  # settings that loosen safety are not for assistants


def serve_stdio(place: Path, write: bool, settings: ServeSettings) -> None:
    """Answer on standard output until standard input ends."""
    with application(place, settings, NOTHING_LET) as (app, porter, _):
        assistant = Assistant(write, lambda request: porter.start)

        async def answer() -> None:
            async with begun(app) as assistant.inside, stdio_server() as (questions, answers):
                await assistant.server.run(questions, answers, assistant.server.create_initialization_options())

        asyncio.run(answer())


def serve_http(
    place: Path, write: bool, settings: ServeSettings, bind: str, port: int, ready: Callable[[str, str], None]
) -> None:
    """Answer at `/mcp`, behind the guard and with the tokens of the server; `ready` is told the URL and the token."""
    assistant = Assistant(write, _token)
    # Every request stands for itself: no session is kept, and none can be taken over.
    manager = StreamableHTTPSessionManager(assistant.server, json_response=True, stateless=True)

    @asgi(PATH, is_mount=True, copy_scope=True, opt={"scope": "read"})
    async def tools(scope: Scope, receive: Receive, send: Send) -> None:
        answer: Any = manager.asgi_app
        await answer(scope, receive, send)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        assistant.inside = Inside(app)
        async with manager.run():
            yield

    def answering(url: str, token: str) -> None:
        ready(f"{url.rstrip('/')}{PATH}", token)

    serve_home(place, bind, port, settings, NOTHING_LET, answering, Annex([tools], lifespan))


def _token(request: Any) -> str:
    """Return the token that a request over HTTP came with; the guard's desk has seen that it is good."""
    return str(request.headers.get("authorization", "")).partition(" ")[2].strip()
