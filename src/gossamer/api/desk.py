"""What a request meets between its route and its handler: who asks, how often, may they, and is the body one to look at.

Each route says in its `opt` what it asks for: `scope` (read, operate, admin; read for what changes nothing and operate for what
does, unless it says otherwise; `anybody` needs no token, and a `file` of the dashboard is given away as often as it is wanted),
`urls` (its body is a list of URLs, and may be long), `media` (types of its body), `repeatable` (see `repeats.py`),
`secret` (its answer is told once).
"""

import asyncio
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any, NoReturn

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from gossamer.api.bodies import JSON, MOST, MOST_URLS, BodyGone, check_type, read_body
from gossamer.api.porter import Identity, Porter
from gossamer.api.problems import PROBLEM, problem
from gossamer.api.rates import Rate
from gossamer.api.refusal import RequestRefused
from gossamer.api.repeats import KeptAnswer, Repeats, fingerprint, key_of
from gossamer.config.sections import ServeSettings

ANYBODY, FILE = "anybody", "file"
LOOKING = ("GET", "HEAD", "OPTIONS")
CHALLENGE = {"WWW-Authenticate": "Bearer"}
STRANGERS = "too many requests without a token; wait, or bring one"
TOLD_ONCE = problem("told-once", 409, "this was done, and its answer is told only once; end what was made, and make it anew")
REPLAYED = (b"idempotency-replayed", b"true")


class DeskRules:
    """What all routes have in common: who is known, and how much is enough."""

    def __init__(self, porter: Porter, repeats: Repeats, settings: ServeSettings, cookie: str) -> None:
        self.porter = porter
        self.repeats = repeats
        self.cookie = cookie  # its name: of each port another, since a browser tells no ports apart
        self.patience = settings.body_timeout
        self.known = Rate(settings.rate, settings.burst)
        self.strangers = Rate(settings.stranger_rate, 2 * settings.stranger_rate)


class Desk:
    """Wraps the handler of a route."""

    def __init__(self, app: ASGIApp, rules: DeskRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        opt, method = scope["route_handler"].opt, scope["method"]
        needed = opt.get("scope") or ("read" if method in LOOKING else "operate")
        if needed != FILE:
            headers = dict(scope["headers"])
            identity = self._let_in(scope, headers, needed)
            scope["user"] = identity
            scope["state"]["who"] = identity.name if identity else ""
            if method not in LOOKING:
                await self._change(scope, headers, opt, identity, receive, send)
                return
        await self._app(scope, receive, send)

    def _let_in(self, scope: HTTPScope, headers: dict[bytes, bytes], needed: str) -> Identity | None:
        rules, now = self._rules, self._rules.porter.clock.now()
        address = scope["client"][0] if scope["client"] else ""
        identity = self._identified(headers, address, now)
        wait = rules.strangers.wait(address, now) if identity is None else rules.known.wait(identity.digest, now)
        if wait:
            detail = STRANGERS if identity is None else "too many requests with this token; wait"
            raise RequestRefused(429, "rate", detail, {"Retry-After": str(ceil(wait))})
        if needed == ANYBODY:
            return identity
        if identity is None:
            raise RequestRefused(401, "token", "a token is needed: Authorization: Bearer TOKEN", CHALLENGE)
        if not identity.may(needed):
            raise RequestRefused(
                403, "scope", f"this needs a token of scope {needed}; {identity.name} has scope {identity.scope}"
            )
        if identity.session and scope["method"] not in LOOKING and not _is_of_our_page(scope, headers):
            raise RequestRefused(403, "cross-site", "a session may change things from this server's own pages only")
        return identity

    def _identified(self, headers: dict[bytes, bytes], address: str, now: float) -> Identity | None:
        """Return who asks; None: nobody. A token that is wrong is refused, and remembered for a minute."""
        porter = self._rules.porter
        if b"authorization" in headers:
            kind, _, text = headers[b"authorization"].decode("latin-1").partition(" ")
            identity = porter.by_token(text.strip()) if kind.lower() == "bearer" else None
            if identity is None:
                refuse_guess(porter, address, now)
            return identity
        session = _cookie(headers, self._rules.cookie)
        return porter.by_session(session) if session else None

    async def _change(
        self,
        scope: HTTPScope,
        headers: dict[bytes, bytes],
        opt: dict[str, Any],
        identity: Identity | None,
        receive: Receive,
        send: Send,
    ) -> None:
        """Read the body, and carry the request out unless that was done before."""
        rules = self._rules
        key = key_of(headers) if scope["method"] == "POST" and identity is not None else ""
        try:
            body = await read_body(headers, receive, MOST_URLS if opt.get("urls") else MOST, rules.patience)
        except BodyGone:
            return
        if body:
            check_type(headers, body, opt.get("media", (JSON,)))
        receive = _replayed(body, receive)
        if not key or identity is None:
            await self._app(scope, receive, send)
            return
        request = fingerprint(scope["method"], scope["path"], scope["query_string"], body)
        now, repeatable = rules.porter.clock.now(), bool(opt.get("repeatable"))
        kept = await asyncio.to_thread(rules.repeats.begin, identity.name, key, request, repeatable, now)
        if kept is None:
            kept = await self._carried_out(scope, receive, identity.name, key, bool(opt.get("secret")))
        else:
            kept = KeptAnswer(kept.status, [*kept.headers, REPLAYED], kept.body)
        await send({"type": "http.response.start", "status": kept.status, "headers": kept.headers})
        await send({"type": "http.response.body", "body": kept.body, "more_body": False})

    async def _carried_out(self, scope: HTTPScope, receive: Receive, who: str, key: str, secret: bool) -> KeptAnswer:
        """Return the answer once it is kept: it is sent after that. One that is secret is told once, and not kept."""
        answer: KeptAnswer | None = None
        start: Any = None
        parts: list[bytes] = []

        async def keep(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
            elif message["type"] == "http.response.body":
                parts.append(message["body"])

        repeats = self._rules.repeats
        try:
            await self._app(scope, receive, keep)
            answer = KeptAnswer(start["status"], list(start["headers"]), b"".join(parts))
        finally:
            known = answer if answer is not None and answer.status < 500 else None
            if secret and known is not None and known.status < 300:
                known = KeptAnswer(409, [(b"content-type", PROBLEM.encode())], TOLD_ONCE)
            await asyncio.shield(asyncio.to_thread(repeats.end, who, key, known))
        return answer


def refuse_guess(porter: Porter, address: str, now: float) -> NoReturn:
    """Refuse a token that is nobody's."""
    wait = porter.failures.note(address, now)
    if wait:
        raise RequestRefused(429, "guessing", "too many wrong tokens; wait", {"Retry-After": str(ceil(wait))})
    challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    raise RequestRefused(401, "token", "this token is wrong, or it has expired or was revoked", challenge)


def is_cross_site(scope: HTTPScope, headers: dict[bytes, bytes]) -> bool | None:
    """Tell whether a browser says that another site's page asks; None: it says nothing."""
    if b"sec-fetch-site" in headers:
        return headers[b"sec-fetch-site"] != b"same-origin"
    if b"origin" in headers:
        ours = scope["scheme"].encode() + b"://" + headers.get(b"host", b"")
        return headers[b"origin"].lower() != ours.lower()
    return None


def _is_of_our_page(scope: HTTPScope, headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"x-gossamer") == b"1" and is_cross_site(scope, headers) is False


def _cookie(headers: dict[bytes, bytes], name: str) -> str:
    try:
        found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read once more; after it, what comes."""
    given = False

    async def again() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
