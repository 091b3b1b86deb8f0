"""Sessions of browsers: the page trades the token of its address for a cookie that scripts cannot read.

The token stands in the fragment of the printed address, which reaches no log and no Referer.
"""

from importlib.metadata import version
from typing import Any

from litestar import Request, Response, delete, get, post
from litestar.datastructures import Cookie, State

from gossamer.api.desk import DeskRules, is_cross_site, refuse_guess
from gossamer.api.home import Home
from gossamer.api.porter import Identity
from gossamer.api.refusal import RequestRefused
from gossamer.api.types import Login, WhoAmI


@post("/session", status_code=200, opt={"scope": "anybody"}, summary="Trade a token for a session")
async def begin(data: Login, request: Request[Any, Any, Any], state: State) -> Response[WhoAmI]:
    """Begin a session: the answer sets a cookie."""
    rules: DeskRules = state.rules
    porter = rules.porter
    if is_cross_site(request.scope, dict(request.scope["headers"])):
        raise RequestRefused(403, "cross-site", "a session begins on this server's own pages only")
    identity = porter.by_token(data.token)
    if identity is None:
        refuse_guess(porter, request.client.host if request.client else "", porter.clock.now())
    text, session = porter.open_session(identity)
    lasts = int((session.expires or 0) - porter.clock.now())
    cookie = Cookie(rules.cookie, value=text, path="/", max_age=lasts, httponly=True, samesite="strict")
    return Response(_who(session, state.home), cookies=[cookie])


@delete("/session", opt={"scope": "read"}, summary="End the session")
async def end(request: Request[Identity, Any, Any], state: State) -> Response[None]:
    """End the session that the request came with, and its streams; a token by itself stays good."""
    rules: DeskRules = state.rules
    rules.porter.close_session(request.user)
    gone = Cookie(rules.cookie, value="", path="/", max_age=0, httponly=True, samesite="strict")
    return Response(None, status_code=204, cookies=[gone])


@get("/whoami", summary="Who asks, and what they may do")
async def whoami(request: Request[Identity, Any, Any], state: State) -> WhoAmI:
    """Tell whose token or session this is."""
    return _who(request.user, state.home)


def _who(identity: Identity, home: Home) -> WhoAmI:
    return WhoAmI(
        name=identity.name,
        scope=identity.scope,
        expires=identity.expires,
        version=version("gossamer"),
        jobs=home.names(),
    )
