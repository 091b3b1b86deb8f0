"""`gossamer simulate`: recrawl policies and orders on a virtual clock and a generated web, side by side."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import ConfigFile, Delay, Set, flags_of
from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.jobs.simulate.measure import Result

HEADINGS = (
    *("policy", "order", "freshness", "at the end", "plain", "age, days", "plain age", "requests", "changed"),
    *("important in 24 h", "90 % of important by", "found", "late", "too soon"),
)


def simulate(
    pages: Annotated[int | None, typer.Option(help="pages of the web (100000)")] = None,
    hosts: Annotated[int | None, typer.Option(help="hosts they are on (a hundredth of the pages)")] = None,
    links: Annotated[int | None, typer.Option(help="links of a page (8)")] = None,
    days: Annotated[str | None, typer.Option(help="days to simulate, or another time such as 4w (30)", metavar="DAYS")] = None,
    cycle: Annotated[
        str | None, typer.Option(help="days in which the requests would fetch every page once, or 12h (7)", metavar="DAYS")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="the same seed gives the same web and the same log (1)")] = None,
    known: Annotated[
        float | None, typer.Option(help="share of pages that were fetched before (1; 0, from the seeds on, for several orders)")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="TOML file with all of these and more about the web")] = None,
    delay: Delay = None,
    config: ConfigFile = None,
    set_: Set = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="fixed, adaptive, optimal or known (optimal, told the truth); repeat (all; fixed for several orders)"
        ),
    ] = None,
    order: Annotated[
        list[str] | None, typer.Option(help="priority, breadth-first, depth-first or opic; repeat (priority)")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="draw what differs over time", metavar="SVG")] = None,
    log: Annotated[Path | None, typer.Option(help="write every visit", metavar="FILE")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Compare recrawl policies and orders on a generated web with the same budget of requests."""
    from gossamer.config.load import load
    from gossamer.jobs.simulate.compare import POLICIES, compare, contenders
    from gossamer.jobs.simulate.plan import read_plan
    from gossamer.jobs.simulate.plot import svg

    orders = tuple(order or ("priority",))
    if len(orders) > 1 and plan is None and known is None:
        known = 0.0
    who = contenders(tuple(policy or (POLICIES if len(orders) == 1 else ("fixed",))), orders)
    said = {"pages": pages, "hosts": hosts, "links": links, "days": days, "cycle": cycle, "seed": seed, "known": known}
    planned = read_plan(plan, {name: value for name, value in said.items() if value is not None})
    settings = load([config] if config else [], flags_of(delay=delay, set_=set_))
    with ExitStack() as stack:
        try:
            write = None if log is None else stack.enter_context(log.open("w", encoding="utf-8")).write
        except OSError as error:
            raise UsageError(f"{log} cannot be written: {error.strerror}") from None
        tell = stack.enter_context(output.bar("requests simulated", quiet=json, sizes=False))
        total = planned.requests * len(who)
        results = list(compare(planned, who, settings, write, lambda done: tell(done, total)))
    if plot is not None:
        try:
            plot.write_text(svg(planned, results), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{plot} cannot be written: {error.strerror}") from None
    if json:
        output.json({"plan": planned, "results": results})
        return
    output.table(HEADINGS, [_row(result) for result in results])


def _row(result: "Result") -> tuple[str, ...]:
    return (
        result.policy,
        result.order,
        f"{100 * result.freshness:.1f} %",
        f"{100 * result.freshness_at_end:.1f} %",
        f"{100 * result.plain_freshness:.1f} %",
        f"{result.age:.2f}",
        f"{result.plain_age:.2f}",
        f"{result.requests:,}",
        f"{100 * result.changed:.0f} %",
        f"{100 * result.within_a_day:.1f} %",
        "never" if result.most_by is None else f"{result.most_by:,}",
        f"{100 * result.found:.1f} %",
        f"{result.late:,}",
        f"{result.hasty:,}",
    )
