"""`gossamer config`: every knob with its default and its help, or a crawl's own configuration."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def config(
    directory: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="show this crawl's configuration instead")] = None,
    toml: Annotated[bool, typer.Option("--toml", help="print a file to edit and pass with --config")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List every setting: name, value, help."""
    from gossamer.config.load import describe, dump, load
    from gossamer.jobs.directory import CrawlDirectory

    settings = CrawlDirectory.open(directory).settings() if directory else load()
    if toml:
        output.line(dump(settings))
        return
    values = settings.model_dump(mode="json")
    if json:
        output.json(values)
        return
    rows = []
    for knob in describe():
        section, _, name = knob.key.partition(".")
        if section != "requests":
            rows.append((knob.key, str(values[section][name]), knob.help))
        elif not values[section]:
            rows.append((f"[[{section}]] {name}", str(knob.default), knob.help))
        for number, rule in enumerate(values[section] if section == "requests" else (), 1):
            rows.append((f"[[{section}]] {number} {name}", str(rule[name]), knob.help))
    output.table(["setting", "value", "what it does"], rows)
