"""`gossamer index`: add the full text of kept pages to the search index, off the crawl's path."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def index(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Index the text of pages kept since the last time; may run beside a crawl."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.search import index_pages

    count = 0
    with output.counter("indexing", quiet=json) as advance:
        for done in index_pages(CrawlDirectory.open(directory)):
            count += done
            advance(done)
    if json:
        output.json({"indexed": count})
    else:
        output.line(f"{count:,} pages indexed")
