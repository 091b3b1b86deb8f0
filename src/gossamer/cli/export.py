"""`gossamer export`: what a crawl keeps, in the formats of others."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.records.pagequery import PageQuery


def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    out: Annotated[str, typer.Argument(metavar="OUT", help="the file or folder to write; - is standard output")] = "",
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="only pages with these words")] = None,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="such as parquet, jsonl, csv, text, broken, warc")] = "",
    table: Annotated[str, typer.Option(help="pages, links or items")] = "pages",
    host: Annotated[str, typer.Option(help="only of this host, or of host:port")] = "",
    status: Annotated[int | None, typer.Option(help="only with this status")] = None,
    outcome: Annotated[str, typer.Option(help="only with this outcome, such as gone")] = "",
    mime: Annotated[str, typer.Option("--type", help="only of this MIME type")] = "",
    rule: Annotated[str, typer.Option(help="only those that this rule decided about, such as http.status")] = "",
    cut: Annotated[bool, typer.Option("--cut", help="only those whose body is not whole")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="how many pages; 0 is all")] = 0,
    text: Annotated[bool, typer.Option("--text", help="also what a reader sees of each page")] = False,
    html: Annotated[bool, typer.Option("--html", help="also the markup of each page")] = False,
    links: Annotated[bool, typer.Option("--links", help="also the links of each page, with their words")] = False,
    check: Annotated[bool, typer.Option("--check", help="wacz: write nothing, list what a replay would miss")] = False,
    force: Annotated[bool, typer.Option("--force", help="replace what is there already")] = False,
    json: Annotated[bool, typer.Option("--json", help="print a summary as JSON")] = False,
) -> None:
    """Write pages, links, broken links and more to a file of another format; may run beside a crawl."""
    from gossamer.errors import UsageError
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.export import export_crawl
    from gossamer.records.export import ExportOptions
    from gossamer.records.pagequery import PageQuery

    named = " ".join(words or [])
    query = PageQuery(words=named, host=host, status=status, outcome=outcome, mime=mime, rule=rule, cut=cut)
    crawl = CrawlDirectory.open(directory)
    if check:
        _show_gaps(crawl, to, out, query, limit or None, json)
        return
    if not out:
        raise UsageError("name the file or folder to write, or - for standard output")
    if out == "-" and json:
        raise UsageError("standard output is where the export goes, so --json has no place there; name a file")
    began, rows = time.monotonic(), 0
    place = sys.stdout.buffer if out == "-" else Path(out)
    options = ExportOptions(table=table, text=text, html=html, links=links)
    with output.counter(f"exporting {to}", quiet=json) as advance:
        for count in export_crawl(crawl, to, place, options, force, query, limit or None):
            rows += count
            advance(count)
    seconds = time.monotonic() - began
    if out == "-":
        output.note(f"{rows:,} rows in {output.duration(seconds)}")
    elif json:
        output.json({"format": to, "table": table, "out": out, "rows": rows, "seconds": seconds})
    else:
        output.line(f"{out}: {rows:,} rows in {output.duration(seconds)}")


def _show_gaps(crawl: "CrawlDirectory", to: str, out: str, query: "PageQuery", limit: int | None, as_json: bool) -> None:
    """List what a replay would miss."""
    from gossamer.errors import UsageError
    from gossamer.jobs.gaps import replay_gaps

    if to != "wacz" or out:
        raise UsageError("--check writes nothing and is about a replay: write --to wacz --check, without a file")
    count = 0
    for gap in replay_gaps(crawl, query, limit):
        count += 1
        if as_json:
            output.json(gap)
        else:
            output.line("\t".join((gap.page, gap.element or "-", gap.missing, gap.outcome or "-", gap.reason)))
    output.note(f"a replay would miss {count:,} things" if count else "a replay would miss nothing that pages name")
