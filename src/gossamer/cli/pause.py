"""`gossamer pause`: let a crawl, running or not, begin no new visit until somebody lets it go on."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.jobs.command import command


def pause(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    off: Annotated[bool, typer.Option("--off", help="let it go on")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Begin no new visit until `--off`, whoever resumes the crawl meanwhile; visits under way are finished."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    told = ask(CrawlDirectory.open(directory), "resume" if off else "pause")
    if json:
        output.json(told)
    elif told["paused"]:
        output.line(
            f"paused, {told['under_way']} visits are still under way; go on with: {command('pause', directory, '--off')}"
        )
    else:
        output.line("goes on" if told["running"] else f"goes on with: {command('resume', directory)}")
