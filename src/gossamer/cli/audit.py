"""`gossamer audit`: prove that nobody has changed the record of what a crawl did, or print its last hash."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.directory import CrawlDirectory

WHAT = ("verify", "head")
ALONE = (
    "sign this line, or give it to somebody else, and pass it to `gossamer audit verify --head` later: "
    "a chain alone does not stop its owner from writing all of it anew"
)


def audit(
    what: Annotated[str, typer.Argument(metavar="verify|head", help="recompute the chain, or print its last hash")],
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    head: Annotated[str, typer.Option(help="with verify: what `audit head` printed before must still be part of it")] = "",
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Prove that the record of what a crawl did was not changed, beside it or after it."""
    from gossamer.config.choice import remedy
    from gossamer.errors import UsageError
    from gossamer.jobs.directory import CrawlDirectory

    if what not in WHAT:
        raise UsageError(f"there is no audit {what!r}; {remedy(what, WHAT)}")
    crawl = CrawlDirectory.open(directory)
    if what == "head":
        from gossamer.jobs.chronicle import chain_head

        last = chain_head(crawl)
        if json:
            output.json(last)
        else:
            output.line(f"{last.node} {last.block} {last.hash}")
            output.note(ALONE)
        return
    _verify(crawl, head, json)


def _verify(crawl: "CrawlDirectory", head: str, json: bool) -> None:
    from gossamer.jobs.chronicle import audited, parsed_head

    blocks, lines, problems, last = 0, 0, [], None
    with output.counter("lines of the chronicle", quiet=json) as advance:
        for block in audited(crawl, parsed_head(head) if head else None):
            blocks, lines, last = blocks + bool(block.hash), lines + block.lines, block
            advance(block.lines)
            if block.problem:
                problems.append({"place": block.place, "problem": block.problem})
    if json:
        output.json({"blocks": blocks, "lines": lines, "hash": last.hash if last else "", "problems": problems})
    else:
        for one in problems:
            output.line(f"{one['place']}: {one['problem']}")
        verdict = f"{len(problems):,} fault(s)" if problems else "as they were written" if blocks else "nothing to look at"
        output.line(f"{lines:,} lines in {blocks:,} blocks: {verdict}")
    if problems:
        raise typer.Exit(1)
