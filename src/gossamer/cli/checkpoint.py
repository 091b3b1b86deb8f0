"""`gossamer checkpoint`: copy a crawl, running or not, into a directory that can be resumed elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.jobs.command import command


def checkpoint(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="a new directory")],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Write a consistent copy of a crawl, without stopping it."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    made = ask(CrawlDirectory.open(directory), "checkpoint", target=str(target.absolute()))
    if json:
        output.json({"checkpoint": made})
    else:
        output.line(f"copied to {made}; go on there with: {command('resume', made)}")
