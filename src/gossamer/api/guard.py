"""The outermost door: the Host that was asked for before anything else, headers on every answer, a line in the log."""

from collections.abc import Sequence
from secrets import token_hex
from time import monotonic
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from gossamer.api.log import ServeLog
from gossamer.api.problems import PROBLEM, problem

HEAD = 64 * 1024  # bytes of a request's head
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
# On every answer that does not bring its own: a kept page has a stricter policy.
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
NOT_STORED = (b"cache-control", b"no-store")
ALLOWED = (
    (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range",
    ),
    (b"access-control-max-age", b"600"),
)
EXPOSED = (b"access-control-expose-headers", b"ETag, Idempotency-Replayed, Link, Location, Retry-After, X-Request-Id")


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str], log: ServeLog) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origin.encode() for origin in origins)
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        answer, began = _Answer(scope, send, self._origin(scope)), monotonic()
        try:
            if _length(scope) > HEAD:
                await answer.refuse(431, "head-too-long", "the head of the request is too long")
            elif not self._is_ours(scope):
                await answer.refuse(421, "foreign-host", "this server does not answer for that Host; serve.hosts names others")
            elif answer.origin and scope["method"] == "OPTIONS":
                await answer.send({"type": "http.response.start", "status": 204, "headers": list(ALLOWED)})
                await answer.send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await self._app(scope, receive, answer.send)
        except Exception as error:  # whatever the application could not answer itself
            self._log.bug(answer.id, error)
            if answer.status:
                raise
            await answer.refuse(500, "bug", f"this is a bug in gossamer; its trace is in the server's log as {answer.id}")
        finally:
            self._log.request(answer.id, scope, answer.status, monotonic() - began)

    def _is_ours(self, scope: HTTPScope) -> bool:
        """Tell whether the Host is one of ours: a name that was given, or the address that the connection came to."""
        name = _name(_header(scope, b"host").decode("latin-1").lower())
        address = scope["server"][0] if scope["server"] else ""
        return name in self._hosts or (bool(name) and name in (address, f"[{address}]"))

    def _origin(self, scope: HTTPScope) -> bytes:
        """Return the origin whose pages may read the answer; empty: none."""
        origin = _header(scope, b"origin")
        return origin if origin in self._origins else b""


class _Answer:
    """An answer on its way: every one has the headers of the house."""

    def __init__(self, scope: HTTPScope, send: Send, origin: bytes) -> None:
        self.id = token_hex(8)
        self.status = 0
        self.origin = origin
        self._send = send
        self._is_asked = scope["path"].startswith("/api/")
        self._path = scope.get("raw_path", b"").decode("latin-1")

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._dressed(list(message.get("headers", [])))
        await self._send(message)

    async def refuse(self, status: int, kind: str, detail: str) -> None:
        """Answer with a problem."""
        body = problem(kind, status, detail, instance=self._path)
        told = [(b"content-type", PROBLEM.encode()), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": told})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    def _dressed(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in headers}
        more: list[tuple[bytes, bytes]] = [(b"x-request-id", self.id.encode()), *HEADERS]
        if self._is_asked or self.status >= 400:
            more.append(NOT_STORED)
        if self.origin:
            more += [(b"access-control-allow-origin", self.origin), (b"vary", b"Origin"), EXPOSED]
        return headers + [(name, value) for name, value in more if name not in present]


def _header(scope: HTTPScope, name: bytes) -> bytes:
    found: Any = next((value for known, value in scope["headers"] if known == name), b"")
    return bytes(found)


def _length(scope: HTTPScope) -> int:
    """Return the bytes of a head, its first line but for some, and its fields."""
    fields = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    return fields + len(scope.get("raw_path", b"")) + len(scope["query_string"])


def _name(host: str) -> str:
    """Return a Host without its port."""
    return host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
