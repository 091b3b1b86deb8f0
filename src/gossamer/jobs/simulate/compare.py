"""Compare: several policies on the same web with the same budget of requests, side by side."""

from collections.abc import Iterator
from typing import Literal, get_args

from gossamer.config.sections import Recrawl
from gossamer.errors import UsageError
from gossamer.jobs.simulate.measure import Result, measure
from gossamer.jobs.simulate.queue import PlainQueue
from gossamer.jobs.simulate.run import Crawl, Known, Learned, Log, Strategy
from gossamer.jobs.simulate.web import DAY, Plan, Web, generate

Policy = Literal["fixed", "adaptive", "optimal", "known"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def compare(plan: Plan, policies: tuple[str, ...] = POLICIES, log: Log | None = None) -> Iterator[Result]:
    """Run policies one after the other; the log has a line a visit, with the policy in front."""
    _check(plan, policies)
    web = generate(plan)
    for policy in policies:
        crawl = Crawl(web, strategy(policy, web), PlainQueue(), _prefixed(policy, log))
        yield measure(policy, web, crawl.run())


def strategy(policy: str, web: Web) -> Strategy:
    """Return the rules of a policy. All begin with the interval at which the budget would fetch every page once."""
    interval = web.plan.cycle * DAY
    if policy == "known":
        return Known(web, Recrawl(policy="optimal", interval=interval))
    return Learned(web, Recrawl.model_validate({"policy": policy, "interval": interval}))


def _prefixed(policy: str, log: Log | None) -> Log | None:
    return None if log is None else lambda line: log(f"{policy} {line}")


def _check(plan: Plan, policies: tuple[str, ...]) -> None:
    if unknown := [policy for policy in policies if policy not in POLICIES]:
        raise UsageError(f"there is no policy {unknown[0]}; there are {', '.join(POLICIES)}")
    if plan.hosts < 1 or plan.pages < plan.hosts:
        raise UsageError(f"{plan.pages:,} pages cannot be on {plan.hosts:,} hosts; every host has one at least")
    if plan.days <= 0 or plan.cycle <= 0:
        raise UsageError("days and cycle are times; give numbers above zero")
    if plan.seed < 0:
        raise UsageError("a seed is a number from 0 on")
