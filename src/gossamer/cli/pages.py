"""`gossamer pages`: list and search what a crawl kept."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def pages(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="words in URL, title or indexed text")] = None,
    host: Annotated[str, typer.Option(help="only of this host")] = "",
    status: Annotated[int | None, typer.Option(help="only with this status")] = None,
    outcome: Annotated[str, typer.Option(help="only with this outcome, such as gone")] = "",
    mime: Annotated[str, typer.Option("--type", help="only of this MIME type")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="how many; 0 is all")] = 50,
    json: Annotated[bool, typer.Option("--json", help="print JSON lines")] = False,
) -> None:
    """List pages, newest first, or search them, best match first."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.search import find_pages

    crawl = CrawlDirectory.open(directory)
    found = find_pages(
        crawl, words=" ".join(words or []), host=host, status=status, outcome=outcome, mime=mime, limit=limit or None
    )
    if json:
        for page in found:
            output.json(page)
        return
    output.table(
        ["fetched", "outcome", "status", "type", "bytes", "url", "title"],
        [
            (
                output.moment(page.fetched_at),
                page.outcome,
                str(page.status or "-"),
                page.mime,
                f"{page.length:,}",
                page.url,
                page.title,
            )
            for page in found
        ],
    )
