"""`gossamer serve`: the server beside the crawls."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import Set, flags_of
from gossamer.errors import UsageError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    place: Annotated[Path, typer.Argument(metavar="PLACE", help="a crawl's directory, or a directory of crawls")],
    port: Annotated[int, typer.Option(help="the port to listen on; 0: a free one")] = 8420,
    bind: Annotated[str, typer.Option(help="the address to listen on", metavar="ADDRESS")] = "127.0.0.1",
    let: Annotated[
        list[str] | None,
        typer.Option(help="setting that may be set through the server though it loosens safety; repeat", metavar="SETTING"),
    ] = None,
    set_: Set = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON: the URL and the token, once it answers")] = False,
) -> None:
    """Serve the API and the dashboard of crawls, beside them."""
    try:
        from gossamer.api.let import let_of
        from gossamer.api.serve import serve_home
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is missing; the server needs: pip install 'gossamer[serve]'") from None
    from gossamer.config.load import load

    def ready(url: str, token: str) -> None:
        if bind not in LOOPBACK:
            output.note(f"listening on {bind}: whoever reaches this address can ask, and needs a token; nothing is encrypted")
        if json:
            output.json({"url": url, "token": token})
        else:
            output.line(f"{url}#token={token}")
            sys.stdout.flush()

    serve_home(place, bind, port, load((), flags_of(set_)).serve, let_of(let or ()), ready)
