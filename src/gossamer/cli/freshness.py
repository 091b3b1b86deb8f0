"""`gossamer freshness`: how fresh the pages of a crawl are, as far as can be known without asking for them again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.freshness import Promptness, Report


def freshness(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    hosts: Annotated[int, typer.Option("--hosts", "-n", help="how many hosts to list")] = 20,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Estimate how fresh the pages are, by class and host, what the budget buys, and how soon important pages are fetched."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.freshness import freshness as estimate

    found = estimate(CrawlDirectory.open(directory), hosts)
    if json:
        output.json(found)
        return
    output.table(
        ["pages of", "pages", "fresh", "", "out of date, days", "last visit, days ago", "changes a day", "late"],
        [_row(report) for report in (found.total, *found.classes, *found.hosts)],
    )
    enough = "enough for" if found.budget >= found.visits_a_day else "less than"
    output.line()
    output.line(
        f"the budget is {found.budget:,.1f} visits a day, {enough} one visit a change ({found.visits_a_day:,.1f} changes a day)"
    )
    output.line(_promptness(found.important))


def _promptness(important: "Promptness") -> str:
    """Say how soon important pages were fetched."""
    if important.share is None:
        return "no page of the high class was found yet"
    late = "" if important.overdue is None else f"; about {important.overdue:,} found longer ago wait for their first visit"
    pages = important.pages + (important.overdue or 0)
    return f"{important.share:.1%} of {pages:,} important pages were fetched within 24 hours of their discovery{late}"


def _row(report: "Report") -> tuple[str, ...]:
    return (
        report.name,
        f"{report.pages:,}",
        f"{report.fresh:.1%}",
        "█" * round(20 * report.fresh),
        f"{report.age:,.2f}",
        f"{report.since:,.2f}",
        f"{report.changes:,.1f}",
        f"{report.late:,}",
    )
