"""Who is let in: the Host that was asked for, then the token; before anything else is looked at."""

from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from gossamer.api.problems import PROBLEM, problem

OPEN = ("/healthz", "/readyz")  # answered to everybody
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Guard:
    """Wraps the application: a foreign Host is 421, a request without a good token 401."""

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        self._app = app
        self._token = sha256(token.encode()).digest()
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        name = host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
        if name not in self._hosts:
            await _refuse(send, 421, "foreign-host", "this server does not answer for that Host")
            return
        path = scope["path"]
        if (path.startswith("/api/") or path == "/metrics") and not self._is_known(headers):
            await _refuse(
                send, 401, "token", "a token is needed: Authorization: Bearer TOKEN", (b"www-authenticate", b"Bearer")
            )
            return
        await self._app(scope, receive, send)

    def _is_known(self, headers: dict[bytes, bytes]) -> bool:
        given = headers.get(b"authorization", b"").decode("latin-1")
        kind, _, token = given.partition(" ")
        return kind.lower() == "bearer" and compare_digest(sha256(token.encode()).digest(), self._token)


def new_token() -> str:
    """Return a token that nobody guesses."""
    return token_urlsafe(32)


async def _refuse(send: Send, status: int, kind: str, detail: str, *headers: tuple[bytes, bytes]) -> None:
    body = problem(kind, status, detail)
    told = [(b"content-type", PROBLEM.encode()), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": body, "more_body": False})
