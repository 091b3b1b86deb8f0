"""`gossamer mcp`: crawls as tools for programs that think."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import Set, flags_of
from gossamer.errors import UsageError


def mcp(
    place: Annotated[Path, typer.Argument(metavar="PLACE", help="a crawl's directory, or a directory of crawls")],
    write: Annotated[bool, typer.Option("--write", help="let crawls be submitted; without it everything is only read")] = False,
    http: Annotated[bool, typer.Option("--http", help="over HTTP, with a token, instead of standard input and output")] = False,
    port: Annotated[int, typer.Option(help="with --http: the port to listen on; 0: a free one")] = 8421,
    bind: Annotated[str, typer.Option(help="with --http: the address to listen on", metavar="ADDRESS")] = "127.0.0.1",
    set_: Set = None,
    json: Annotated[bool, typer.Option("--json", help="with --http: print the URL and the token as JSON")] = False,
) -> None:
    """Let assistants search, read, explain and watch crawls, by the Model Context Protocol."""
    try:
        from gossamer.assistant.serve import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is missing; this door needs: pip install 'gossamer[mcp]'") from None
    from gossamer.config.load import load

    settings = load((), flags_of(set_)).serve
    if not http:
        serve_stdio(place, write, settings)
        return

    def ready(url: str, token: str) -> None:
        if json:
            output.json({"url": url, "token": token})
        else:
            output.line(url)
            output.line(f"Authorization: Bearer {token}")
            sys.stdout.flush()

    serve_http(place, write, settings, bind, port, ready)
