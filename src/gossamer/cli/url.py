"""`gossamer url`: what gossamer makes of a URL."""

import sys
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.jsonl import answer_lines


def url(
    text: Annotated[str | None, typer.Argument(metavar="URL", help="the URL")] = None,
    base: Annotated[str | None, typer.Option(help="the page it stands on")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help='read {"url":…, "base":…} a line from standard input')] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Show the URL that would be requested, its key, host and registrable domain."""
    from gossamer.errors import UsageError
    from gossamer.jobs.inspect import UrlInspector

    inspect = UrlInspector()
    if jsonl:
        answer_lines(sys.stdin.buffer, lambda ask: inspect(ask["url"], ask.get("base")))
        return
    if text is None:
        raise UsageError("name a URL, or pass --jsonl to read them from standard input")
    facts = inspect(text, base)
    if json:
        output.json(facts)
    else:
        for name, value in facts.items():
            output.line(f"{name:7} {value}")
