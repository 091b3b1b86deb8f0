"""`gossamer token`: lasting tokens for the server of a place."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output

WHAT = ("new", "list", "revoke")


def token(
    what: Annotated[str, typer.Argument(metavar="new|list|revoke", help="make a token, show all, or end one")],
    place: Annotated[
        Path, typer.Argument(metavar="PLACE", help="what is served: a crawl's directory, or a directory of crawls")
    ],
    name: Annotated[str, typer.Option(help="with new and revoke: what the token is called, such as grafana")] = "",
    scope: Annotated[str, typer.Option(help="with new: read, operate (change crawls) or admin (all)")] = "read",
    expires: Annotated[
        str, typer.Option(help="with new: for how long it is good, such as 90d; always without", metavar="TIME")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Make, show and end tokens with which programs ask the server."""
    from gossamer.clock import SystemClock
    from gossamer.config.choice import remedy
    from gossamer.errors import UsageError
    from gossamer.jobs.tokens import TokenFile

    if what not in WHAT:
        raise UsageError(f"there is no token {what!r}; {remedy(what, WHAT)}")
    if not place.is_dir():
        raise UsageError(f"{place} is no directory; name a crawl, or a directory of crawls")
    if what != "list" and not name:
        raise UsageError(f"say which token with --name, such as: gossamer token {what} {place} --name grafana")
    tokens, now = TokenFile(place), SystemClock().now()
    if what == "list":
        known = tokens.all()
        if json:
            shown = ("name", "scope", "created", "expires")
            for one in known:
                output.json({field: getattr(one, field) for field in shown})
        else:
            output.table(("name", "scope", "expires"), [(one.name, one.scope, _until(one.expires, now)) for one in known])
        return
    if what == "revoke":
        if not tokens.revoke(name):
            raise UsageError(f"there is no token {name} in {place}; `gossamer token list {place}` shows them")
        return
    made, text = tokens.make(name, scope, _time(expires, now), now)
    if json:
        output.json({"name": made.name, "scope": made.scope, "expires": made.expires, "token": text})
    else:
        output.line(text)
        output.note("this is shown once; requests carry it as: Authorization: Bearer TOKEN")


def _time(text: str, now: float) -> float | None:
    from gossamer.config.quantities import seconds
    from gossamer.errors import UsageError

    if not text:
        return None
    length = seconds(text)
    if length is None:
        raise UsageError(f"--expires {text!r} is no time; write one like 90d or 12h")
    return now + length


def _until(expires: float | None, now: float) -> str:
    if expires is None:
        return "never"
    return output.moment(expires) if expires > now else f"{output.moment(expires)} (expired)"
