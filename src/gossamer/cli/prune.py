"""`gossamer prune`: remove old versions of pages from archive and catalog."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.prune import Pruned


def prune(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    versions: Annotated[
        int | None, typer.Option("--versions", "-n", min=1, help="how many of each page stay; else recrawl.versions")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only tell what would be removed")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Remove versions of pages that newer ones replaced, and give back their disk space; no crawl may run."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.prune import prune_crawl

    with output.bar("reading the archive", quiet=json) as advance:
        pruned = prune_crawl(CrawlDirectory.open(directory), versions, dry_run, advance)
    if json:
        output.json(pruned)
    else:
        _show(pruned, "would be removed" if dry_run else "removed")


def _show(pruned: "Pruned", done: str) -> None:
    output.table(
        ["file", "captures", "revisits", "before", "after"],
        [
            (one.file, f"{one.captures:,}", f"{one.confirmations:,}", output.size(one.before), output.size(one.after))
            for one in pruned.files
        ],
    )
    what = f"{pruned.captures:,} older captures and {pruned.confirmations:,} revisits of them"
    output.line(f"{what} {done}: {output.size(pruned.bytes)}; the newest {pruned.versions:,} of each page stay")
    if pruned.held:
        output.line(f"{pruned.held:,} older captures stay, because revisits that stay refer to them")
