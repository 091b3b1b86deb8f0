"""`gossamer`: the table of commands, and how errors leave the program: one sentence, an exit code, no traceback."""

import gc
import os
import sys
import tempfile
import traceback
from collections.abc import Iterable
from importlib import import_module
from types import TracebackType

import typer

from gossamer.cli import output
from gossamer.errors import GossamerError
from gossamer.worker.garbage import SELDOM

# Every command and the module of that function, in the order of the help.
COMMANDS = {
    "crawl": "crawl",
    "resume": "crawl",
    "recrawl": "crawl",
    "status": "status",
    "pages": "pages",
    "show": "show",
    "prune": "prune",
    "freshness": "freshness",
    "graph": "graph",
    "index": "index",
    "explain": "explain",
    "verify": "verify",
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

        output.line(f"gossamer {version('gossamer')}")
        raise typer.Exit


def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="show the version"),
) -> None:
    """A web crawler that loses nothing, harms no site, explains every decision, and is fast."""


def run() -> None:
    """Run the command line."""
    sys.excepthook = _unexpected
    gc.set_threshold(*SELDOM)  # what is imported now is no garbage
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would look for some in all that is installed
    asked = sys.argv[1:2]
    try:
        application(asked if asked and asked[0] in COMMANDS else COMMANDS)()  # to build them all would take 50 ms
    except GossamerError as error:
        output.fail(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    finally:
        gc.freeze()  # the process ends: to look through everything once more takes 50 ms


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report a bug of ours: the sentence to the user, the trace to a file."""
    if issubclass(kind, KeyboardInterrupt):
        output.fail("interrupted")
        os._exit(130)
    with tempfile.NamedTemporaryFile("w", prefix="gossamer-bug-", suffix=".txt", delete=False) as file:
        traceback.print_exception(kind, error, trace, file=file)
    output.fail(f"this is a bug in gossamer: {kind.__name__}: {error}; please report it with {file.name}")
