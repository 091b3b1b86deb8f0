"""The table of commands, each imported and built only when it is asked for."""

from collections.abc import Iterable
from importlib import import_module

import typer

from gossamer.cli import output

# Every command and the module of that function, in the order of the help.
COMMANDS = {
    "crawl": "crawl",
    "resume": "crawl",
    "recrawl": "crawl",
    "pause": "pause",
    "status": "status",
    "serve": "serve",
    "mcp": "mcp",
    "token": "token",
    "relay": "relay",
    "pages": "pages",
    "show": "show",
    "problems": "problems",
    "prune": "prune",
    "freshness": "freshness",
    "export": "export",
    "graph": "graph",
    "report": "report",
    "diff": "diff",
    "index": "index",
    "explain": "explain",
    "log": "log",
    "verify": "verify",
    "audit": "audit",
    "hosts": "hosts",
    "host": "hosts",
    "remove": "hosts",
    "traps": "traps",
    "rules": "traps",
    "checkpoint": "checkpoint",
    "url": "url",
    "robots": "robots",
    "links": "links",
    "fetch": "fetch",
    "shell": "shell",
    "init": "init",
    "estimate": "estimate",
    "simulate": "simulate",
    "config": "config",
    "demo": "demo",
    "simweb": "simweb",
}


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with these commands."""
    app = typer.Typer(
        help="A web crawler that loses nothing, harms no site, explains every decision, and is fast.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for name in names:
        app.command()(getattr(import_module(f"gossamer.cli.{COMMANDS[name]}"), name))
    app.callback()(options)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from gossamer.compiled import compiled_and_pure

        output.line(f"gossamer {version('gossamer')}")
        output.line(output.build(*compiled_and_pure()))
        raise typer.Exit


def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="show the version, and what is compiled"
    ),
) -> None:
    """A web crawler that loses nothing, harms no site, explains every decision, and is fast."""
