"""`gossamer verify`: prove the promises on a finished or interrupted crawl."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.verify import Check


def verify(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    ledger: Annotated[Path | None, typer.Option(help="requests as the servers saw them, JSON lines", metavar="FILE")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Check that nothing is lost and all can be read; with a ledger, that no host was harmed and no answer is another's."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.verify import verify_crawl

    crawl = CrawlDirectory.open(directory)
    checks = []
    for check in verify_crawl(crawl, ledger):
        checks.append(check)
        if not json:
            looked_at = f"{check.count:,}" if check.count else "nothing to look at"
            output.line(f"{_verdict(check)}  {check.promise:4} {check.sentence} ({looked_at})")
            for line in (*check.offenders, *check.notes):
                output.line(f"          {line}")
    passed, failed = sum(check.passed for check in checks), sum(check.failed for check in checks)
    unchecked = len(checks) - passed - failed
    if json:
        output.json({"passed": passed, "failed": failed, "not_checked": unchecked, "checks": checks})
    else:
        output.line(f"{passed} passed, {failed} failed" + (f", {unchecked} not checked" if unchecked else ""))
    if failed:
        raise typer.Exit(1)


def _verdict(check: "Check") -> str:
    return "passed" if check.passed else "FAILED" if check.failed else "not checked"
