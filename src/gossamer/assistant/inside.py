"""Ask the API without a socket: the same application, routes, tokens and problems, called in this process."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from litestar.types import ASGIApp
from msgspec import Struct

from gossamer.errors import GossamerError, UsageError

LOOPBACK = ("127.0.0.1", 0)
VERSIONS = {"version": "3.0", "spec_version": "2.3"}


class ApiRequest(Struct, frozen=True):
    """A request to the API."""

    method: str
    path: str
    query: Mapping[str, Any] = {}  # what is empty is left out
    body: Any = None


class Unanswered(UsageError):
    """The API refuses a request; the sentence is the problem's own."""


class Inside:
    """The application, for whoever has a token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Any = app

    async def ask(self, asked: ApiRequest, token: str) -> Any:
        """Return what is answered: JSON as values, everything else as text. Raises `Unanswered`."""
        query = urlencode({name: value for name, value in asked.query.items() if value not in (None, "")})
        body = b"" if asked.body is None else msgspec.json.encode(asked.body)
        headers = [(b"authorization", f"Bearer {token}".encode()), (b"content-length", str(len(body)).encode())]
        if body:
            headers.append((b"content-type", b"application/json"))
        scope = {
            "type": "http", "asgi": VERSIONS, "http_version": "1.1", "method": asked.method, "scheme": "http",
            "path": asked.path, "raw_path": quote(asked.path).encode(), "root_path": "", "query_string": query.encode(),
            "headers": headers, "client": LOOPBACK, "server": LOOPBACK, "state": {}, "extensions": {},
        }  # fmt: skip
        status, told, content = await self._answered(scope, body)
        read = msgspec.json.decode(content) if b"json" in told and content else content.decode("utf-8", "replace")
        if status >= 400:
            raise Unanswered(read["detail"] if isinstance(read, dict) and read.get("detail") else f"refused with {status}")
        return read

    async def _answered(self, scope: dict[str, Any], body: bytes) -> tuple[int, bytes, bytes]:
        """Return status, type and body of an answer."""
        given, start, parts = [{"type": "http.request", "body": body, "more_body": False}], {}, []

        async def receive() -> Any:
            if given:
                return given.pop()
            return await asyncio.get_running_loop().create_future()  # nobody hangs up

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, send)
        told = next((value for name, value in start["headers"] if name.lower() == b"content-type"), b"")
        return start["status"], told, b"".join(parts)


@asynccontextmanager
async def begun(app: ASGIApp) -> AsyncIterator[Inside]:
    """Begin the application, as a server would, and end it behind the block."""
    to_app: asyncio.Queue[Any] = asyncio.Queue()
    from_app: asyncio.Queue[Any] = asyncio.Queue()
    anything: Any = app
    task = asyncio.ensure_future(anything({"type": "lifespan", "asgi": VERSIONS, "state": {}}, to_app.get, from_app.put))
    await to_app.put({"type": "lifespan.startup"})
    answer = await from_app.get()
    if answer["type"] != "lifespan.startup.complete":
        raise GossamerError(f"the API could not be begun: {answer.get('message', '')}")
    try:
        yield Inside(app)
    finally:
        await to_app.put({"type": "lifespan.shutdown"})
        await task
