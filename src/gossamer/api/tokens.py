"""Lasting tokens, for administrators: who may ask this server, made and ended while it runs."""

import asyncio
from typing import Annotated

from litestar import Response, delete, get, post
from litestar.datastructures import State
from litestar.params import Parameter

from gossamer.api.desk import DeskRules
from gossamer.api.refusal import RequestRefused
from gossamer.api.types import ItemList, MadeToken, NewToken, TokenRow

ADMIN = {"scope": "admin"}


@get("/tokens", opt=ADMIN, summary="Lasting tokens")
async def tokens(state: State) -> ItemList[TokenRow]:
    """List the tokens that outlive the server; of each all but its text."""
    rules: DeskRules = state.rules
    used = rules.porter.last_used
    return ItemList(
        items=[
            TokenRow(name=one.name, scope=one.scope, created=one.created, expires=one.expires, last_used=used.get(one.name))
            for one in rules.porter.tokens.all()
        ]
    )


@post("/tokens", opt={**ADMIN, "secret": True}, summary="Make a lasting token")
async def make_token(data: NewToken, state: State) -> MadeToken:
    """Make a token; its text is told this once."""
    rules: DeskRules = state.rules
    porter, now = rules.porter, rules.porter.clock.now()
    expires = None if data.expires is None else now + data.expires
    made, text = await asyncio.to_thread(porter.tokens.make, data.name, data.scope, expires, now)
    return MadeToken(name=made.name, scope=made.scope, created=made.created, expires=made.expires, token=text)


@delete("/tokens", opt=ADMIN, summary="End a lasting token")
async def revoke_token(state: State, name: Annotated[str, Parameter(query="name")]) -> Response[None]:
    """End a token at once, with its sessions and streams."""
    rules: DeskRules = state.rules
    if not await asyncio.to_thread(rules.porter.tokens.revoke, name):
        raise RequestRefused(404, "no-such-token", f"there is no token {name!r}")
    return Response(None, status_code=204)
