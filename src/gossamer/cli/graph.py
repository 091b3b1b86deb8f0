"""`gossamer graph`: the link graph in numbers, PageRank, and its edges as CSV or JSON lines."""

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.graph import Survey
    from gossamer.records.export import Edge

Format = Literal["csv", "jsonl"]
LINES_AT_ONCE = 1_000


def graph(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    top: Annotated[int, typer.Option("--top", "-n", min=0, help="how many of the highest ranks are shown")] = 10,
    export: Annotated[str, typer.Option(metavar="FILE", help="instead, write every edge to a file; - is standard output")] = "",
    form: Annotated[Format, typer.Option("--format", help="of the exported edges")] = "csv",
    compact: Annotated[bool, typer.Option("--compact", help="first drop what pages linked to before they changed")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Rank pages by their links (PageRank), keep the ranks in the crawl's directory, and show the graph in numbers."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.graph import compact_graph, named_edges, survey_graph

    crawl = CrawlDirectory.open(directory)
    if compact:
        compact_graph(crawl)
    if export:
        _export(named_edges(crawl), export, form)
        return
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


def _export(edges: "Iterable[Edge]", target: str, form: Format) -> None:
    from gossamer.errors import UsageError

    if target == "-":
        _write(edges, output.raw, form)
        return
    try:
        with open(target, "wb") as file:
            _write(edges, file.write, form)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}; choose another file") from error


def _write(edges: "Iterable[Edge]", write: Callable[[bytes], object], form: Format) -> None:
    """Write edges in one of the formats, many lines at once."""
    import msgspec

    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    encode = msgspec.json.Encoder().encode
    if form == "csv":
        rows.writerow(("source", "target", "kind", "nofollow"))
    for number, edge in enumerate(edges, 1):
        if form == "csv":
            rows.writerow((edge.source, edge.target, edge.kind, int(edge.nofollow)))
        else:
            text.write(encode(edge).decode() + "\n")
        if number % LINES_AT_ONCE == 0:
            write(text.getvalue().encode())
            text.seek(0)
            text.truncate()
    write(text.getvalue().encode())
