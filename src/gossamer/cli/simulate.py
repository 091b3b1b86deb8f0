"""`gossamer simulate`: recrawl policies on a virtual clock and a generated web, side by side."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.jobs.simulate.measure import Result

HEADINGS = (
    *("policy", "freshness", "at the end", "plain", "age, days", "plain age", "requests", "changed"),
    *("important in 24 h", "found", "late"),
)


def simulate(
    pages: Annotated[int, typer.Option(help="pages of the web")] = 100_000,
    hosts: Annotated[int | None, typer.Option(help="hosts they are on; none given: a hundredth")] = None,
    days: Annotated[float, typer.Option(help="days to simulate")] = 30.0,
    cycle: Annotated[float, typer.Option(help="days in which the requests would fetch every page once", metavar="DAYS")] = 7.0,
    seed: Annotated[int, typer.Option(help="the same seed gives the same web and the same log")] = 1,
    known: Annotated[float, typer.Option(help="share of pages that were fetched before; 0: begin with the seeds")] = 1.0,
    policy: Annotated[
        list[str] | None, typer.Option(help="fixed, adaptive, optimal or known (optimal, told the truth); repeat; none: all")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="draw freshness over time", metavar="SVG")] = None,
    log: Annotated[Path | None, typer.Option(help="write every visit", metavar="FILE")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Compare recrawl policies on a generated web with the same budget of requests."""
    if not 0 <= known <= 1:
        raise UsageError(f"{known:g} is no share; give --known a number from 0 to 1")
    from gossamer.jobs.simulate.compare import POLICIES, compare
    from gossamer.jobs.simulate.plot import svg
    from gossamer.jobs.simulate.web import Plan

    if hosts is None:
        hosts = max(pages // 100, 1)
    plan = Plan(seed=seed, pages=pages, hosts=hosts, days=days, cycle=cycle, known=known)
    results = []
    with ExitStack() as stack:
        try:
            write = None if log is None else stack.enter_context(log.open("w", encoding="utf-8")).write
        except OSError as error:
            raise UsageError(f"{log} cannot be written: {error.strerror}") from None
        with output.counter("policies compared", quiet=json) as count:
            for result in compare(plan, tuple(dict.fromkeys(policy or POLICIES)), write):
                results.append(result)
                count(1)
    if plot is not None:
        try:
            plot.write_text(svg(plan, results), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{plot} cannot be written: {error.strerror}") from None
    if json:
        output.json({"plan": plan, "results": results})
        return
    output.table(HEADINGS, [_row(result) for result in results])


def _row(result: "Result") -> tuple[str, ...]:
    return (
        result.policy,
        f"{100 * result.freshness:.1f} %",
        f"{100 * result.freshness_at_end:.1f} %",
        f"{100 * result.plain_freshness:.1f} %",
        f"{result.age:.2f}",
        f"{result.plain_age:.2f}",
        f"{result.requests:,}",
        f"{100 * result.changed:.0f} %",
        f"{100 * result.within_a_day:.1f} %",
        f"{100 * result.found:.1f} %",
        f"{result.late:,}",
    )
