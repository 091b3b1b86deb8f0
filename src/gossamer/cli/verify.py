"""`gossamer verify`: prove the promises on a finished or interrupted crawl."""

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output


def verify(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    ledger: Annotated[Path | None, typer.Option(help="requests as the servers saw them, JSON lines", metavar="FILE")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Check that nothing is lost, everything is readable, and (with a ledger) that no host was harmed."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.verify import verify_crawl

    crawl = CrawlDirectory.open(directory)
    checks = []
    for check in verify_crawl(crawl, ledger):
        checks.append(check)
        if not json:
            output.line(f"{'passed' if check.passed else 'FAILED'}  {check.promise:4} {check.sentence} ({check.count:,})")
            for line in (*check.offenders, *check.notes):
                output.line(f"          {line}")
    failed = sum(not check.passed for check in checks)
    if json:
        output.json({"passed": len(checks) - failed, "failed": failed, "checks": checks})
    else:
        output.line(f"{len(checks) - failed} passed, {failed} failed")
    if failed:
        raise typer.Exit(1)
