"""`gossamer graph`: the link graph in numbers, and PageRank."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.graph import Survey


def graph(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    top: Annotated[int, typer.Option("--top", "-n", min=0, help="how many of the highest ranks are shown")] = 10,
    compact: Annotated[bool, typer.Option("--compact", help="first drop what pages linked to before they changed")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Rank pages by their links (PageRank), keep the ranks in the crawl's directory, and show the graph in numbers."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.graph import compact_graph, survey_graph

    crawl = CrawlDirectory.open(directory)
    if compact:
        compact_graph(crawl)
    survey = survey_graph(crawl, top)
    if json:
        output.json(survey)
    else:
        _show(survey)


def _show(survey: "Survey") -> None:
    output.line(f"{survey.pages:,} pages with {survey.edges:,} links to {survey.targets:,} URLs")
    output.line(f"{survey.dangling:,} pages link to nothing")
    output.line(f"{survey.broken_edges:,} links lead to {survey.broken_targets:,} URLs where nothing is")
    rows = [(f"{one.rank:.2f}", f"{one.inlinks:,}", one.url) for one in survey.top]
    output.table(["rank", "inlinks", "url"], rows, whole="url")
