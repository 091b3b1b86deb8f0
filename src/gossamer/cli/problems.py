"""`gossamer problems`: what went wrong in the readers of a crawl's scripts."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def problems(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    trace: Annotated[bool, typer.Option("--trace", help="show where each one came from, call by call")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="how many; 0 is all")] = 50,
    json: Annotated[bool, typer.Option("--json", help="print JSON lines, with traces")] = False,
) -> None:
    """List what went wrong in readers (`crawl --script`): page, reader, line and error. The pages themselves are kept."""
    from gossamer.jobs.crawled import walk_problems
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.driven import driven

    found = driven(walk_problems(CrawlDirectory.open(directory), limit or None))
    if json:
        for problem in found:
            output.json(problem)
        return
    if trace:
        for problem in found:
            output.line(f"{problem.url}\n{problem.reader} at {problem.where}: {problem.error}\n{problem.trace}")
        return
    output.table(
        ["fetched", "reader", "line", "error", "url"],
        [(output.moment(one.fetched_at), one.reader, one.where, one.error, one.url) for one in found],
        whole="url",
        spare=["fetched"],
    )
