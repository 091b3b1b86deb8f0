"""`gossamer`: the table of commands, and how errors leave the program: one sentence, an exit code, no traceback."""

import gc
import os
import sys
import tempfile
import traceback
from types import TracebackType

import typer

from gossamer.cli import (
    checkpoint,
    config,
    crawl,
    demo,
    estimate,
    explain,
    fetch,
    freshness,
    graph,
    hosts,
    index,
    links,
    output,
    pages,
    prune,
    robots,
    show,
    simulate,
    simweb,
    status,
    traps,
    url,
    verify,
)
from gossamer.errors import GossamerError
from gossamer.worker.garbage import SELDOM

app = typer.Typer(
    help="A web crawler that loses nothing, harms no site, explains every decision, and is fast.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(crawl.crawl)
app.command()(crawl.resume)
app.command()(crawl.recrawl)
app.command()(status.status)
app.command()(pages.pages)
app.command()(show.show)
app.command()(prune.prune)
app.command()(freshness.freshness)
app.command()(graph.graph)
app.command()(index.index)
app.command()(explain.explain)
app.command()(verify.verify)
app.command()(hosts.hosts)
app.command()(hosts.host)
app.command()(hosts.remove)
app.command()(traps.traps)
app.command()(traps.rules)
app.command()(checkpoint.checkpoint)
app.command()(url.url)
app.command()(robots.robots)
app.command()(links.links)
app.command()(fetch.fetch)
app.command()(estimate.estimate)
app.command()(simulate.simulate)
app.command()(config.config)
app.command()(demo.demo)
app.command()(simweb.simweb)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        output.line(f"gossamer {version('gossamer')}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="show the version"),
) -> None:
    """A web crawler that loses nothing, harms no site, explains every decision, and is fast."""


def run() -> None:
    """Run the command line."""
    sys.excepthook = _unexpected
    gc.set_threshold(*SELDOM)  # what is imported now is no garbage
    try:
        app()
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
