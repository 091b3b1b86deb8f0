"""`gossamer serve`: the server beside the crawls."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.errors import UsageError


def serve(
    place: Annotated[Path, typer.Argument(metavar="PLACE", help="a crawl's directory, or a directory of crawls")],
    port: Annotated[int, typer.Option(help="the port to listen on; 0: a free one")] = 8420,
    bind: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    let: Annotated[
        list[str] | None,
        typer.Option(metavar="SETTING", help="let this setting, or section, be set through the server although it is unsafe"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="crawls that run at once; the others are queued")] = 4,
    json: Annotated[bool, typer.Option("--json", help="print JSON: the URL and the token, once it answers")] = False,
) -> None:
    """Serve the API and the dashboard of crawls, beside them."""
    try:
        from gossamer.api.serve import serve_home
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is missing; the server needs: pip install 'gossamer[serve]'") from None

    def ready(url: str, token: str) -> None:
        if json:
            output.json({"url": url, "token": token})
        else:
            output.line(f"{url}#token={token}")

    serve_home(place, bind, port, ready, let or (), jobs)
