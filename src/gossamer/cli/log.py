"""`gossamer log`: what a crawl did, a line for each visit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.records import reason

if TYPE_CHECKING:
    from gossamer.records.event import Event


def log(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    host: Annotated[str, typer.Option(help="only of this host")] = "",
    outcome: Annotated[str, typer.Option(help="only visits that ended so, such as gone")] = "",
    since: Annotated[str, typer.Option(help="only since then: a date, or how long ago, such as 2h")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="this many lines at most")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="wait for more, until Ctrl-C")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON, a line for each event")] = False,
) -> None:
    """Show what a crawl did, a line for each visit, beside it or after it."""
    from gossamer.jobs.chronicle import EventFilter, moment_of, told
    from gossamer.jobs.directory import CrawlDirectory

    crawl = CrawlDirectory.open(directory)
    for event in told(crawl, EventFilter(host, outcome, moment_of(since) if since else 0.0), limit, follow):
        if json:
            output.json(event)
        else:
            output.line(_line(event))


def _line(event: "Event") -> str:
    said = event.said
    if event.kind != "visit":
        facts = " ".join(f"{name}={value}" for name, value in said.items())
        return f"{output.moment(event.at)}  {event.kind}  {facts}"
    size = output.size(said["bytes"]) if said.get("bytes") else "-"
    rule = said.get("rule", "")
    why = reason.told(rule, reason.rendered(rule, said.get("facts", {}))) if rule else ""
    what = f"{said['outcome']:<14}  {said.get('status') or '-':>3}  {size:>8}  {said.get('version', ''):<7}"
    return f"{output.moment(event.at)}  {what}  {said['url']}  {why}".rstrip()
