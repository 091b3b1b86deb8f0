"""`gossamer status`: a crawl in numbers, running or not."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def status(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory; a directory of crawls lists them")],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Show how far a crawl is, or list the crawls in a directory."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory, crawls_in

    inside = crawls_in(directory)
    if inside:
        facts = [ask(crawl, "status") for crawl in inside]
        if json:
            output.json(facts)
        else:
            output.table(["crawl", "state", "pages", "waiting"], [_row(one) for one in facts])
        return
    one = ask(CrawlDirectory.open(directory), "status")
    if json:
        output.json(one)
        return
    frontier = one["frontier"]
    output.line(f"{one['directory']}: {one['state']}")
    output.line(f"{one['pages']:,} pages, {output.size(one['bytes'])}")
    states = ("waiting", "leased", "done", "dead", "removed")
    output.line(
        "URLs: " + ", ".join(f"{frontier[state]:,} {state}" for state in states) + f"; {frontier['hosts']:,} hosts with work"
    )
    if one["links_cut"]["links"]:
        output.line(output.links_cut(one["links_cut"]))
    output.line()
    output.table(["outcome", "URLs"], [(name, f"{count:,}") for name, count in sorted(one["outcomes"].items())])


def _row(one: dict[str, object]) -> tuple[str, str, str, str]:
    frontier = one["frontier"]
    assert isinstance(frontier, dict)
    return str(one["directory"]), str(one["state"]), f"{one['pages']:,}", f"{frontier['waiting']:,}"
