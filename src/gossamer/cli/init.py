"""`gossamer init`: a new project to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def init(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="the directory to make")],
    json: Annotated[bool, typer.Option("--json", help="print what was made as JSON")] = False,
) -> None:
    """Make a directory with a script, settings and a test that runs."""
    from gossamer.jobs.project import make_project

    made = make_project(name)
    if json:
        output.json({"directory": str(name), "files": [path.name for path in made]})
        return
    for path in made:
        output.line(f"made {path}")
    output.line(f"next: cd {name}; python -m pytest; gossamer shell URL --script readers.py")
