"""Compare: several policies and orders on the same web with the same budget of requests, side by side.

Each has what a live crawl has, opened by `assemble` in a directory that is thrown away: the frontier, admission, and the price
of a visit. Nothing of it has to outlive a power loss.
"""

import asyncio
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, get_args

import numpy as np

from gossamer.assemble import open_stores
from gossamer.config.choice import remedy
from gossamer.config.sections import Recrawl, Settings
from gossamer.errors import UsageError
from gossamer.jobs.simulate.measure import Result, measure
from gossamer.jobs.simulate.plan import DAY, WebPlan, check
from gossamer.jobs.simulate.run import BEGIN, Log, SimulatedCrawl, Tell, Visits
from gossamer.jobs.simulate.strategy import LearningStrategy, OracleStrategy, Strategy
from gossamer.jobs.simulate.web import SimulatedWeb, generate
from gossamer.policy.priority import Order

Policy = Literal["fixed", "adaptive", "optimal", "known"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
ORDERS: tuple[Order, ...] = get_args(Order)
USUAL = Settings()


class Contender(NamedTuple):
    """A strategy to compare."""

    policy: str
    order: str = "priority"


def contenders(policies: tuple[str, ...] = POLICIES, orders: tuple[str, ...] = ("priority",)) -> list[Contender]:
    """Return every policy in every order; refuse names that nobody has."""
    for kind, names, known in (("policy", policies, POLICIES), ("order", orders, ORDERS)):
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"there is no {kind} {unknown[0]!r}; {remedy(unknown[0], known)}")
    return [Contender(*pair) for pair in product(dict.fromkeys(policies), dict.fromkeys(orders))]


def compare(
    plan: WebPlan,
    who: list[Contender] | None = None,
    settings: Settings = USUAL,
    log: Log | None = None,
    tell: Tell | None = None,
) -> Iterator[Result]:
    """Run contenders one after the other; the log has a line a visit, with policy and order in front."""
    check(plan)
    web = generate(plan)
    _check_delay(web, settings)
    for each in contenders() if who is None else who:
        chosen = simulated(settings, plan, each)
        visits = asyncio.run(crawl(web, strategy(each.policy, web, chosen.recrawl), chosen, _prefixed(each, log), tell))
        yield measure(each.policy, each.order, web, visits)


def strategy(policy: str, web: SimulatedWeb, settings: Recrawl) -> Strategy:
    """Return the rules of a policy."""
    return OracleStrategy(web, settings) if policy == "known" else LearningStrategy(web, settings)


async def crawl(
    web: SimulatedWeb, rules: Strategy, settings: Settings, log: Log | None = None, tell: Tell | None = None
) -> Visits:
    """Crawl a web with stores of its own."""
    with TemporaryDirectory(prefix="gossamer-") as directory:
        async with open_stores(Path(directory), settings, [], Beginning()) as stores:
            return await SimulatedCrawl(web, rules, stores, log, tell).run()


class Beginning:
    """The clock by which the stores are opened."""

    def now(self) -> float:
        return BEGIN


def simulated(settings: Settings, plan: WebPlan, who: Contender) -> Settings:
    """Return the settings of a simulated crawl: what a live one has to say about turns and dates, the plan, the contender.

    All policies begin with the interval at which the budget would fetch every page once.
    """
    recrawl = {
        "policy": "optimal" if who.policy == "known" else who.policy,
        "interval": plan.cycle * DAY,
        "budget": plan.budget * DAY,
    }
    return Settings(
        crawl=USUAL.crawl.model_copy(update={"forever": True, "order": who.order, "lease": settings.crawl.lease}),
        scope=USUAL.scope.model_copy(update={"within": "any", "max_depth": plan.pages}),
        politeness=settings.politeness,
        breaker=settings.breaker,
        score=settings.score,
        recrawl=settings.recrawl.model_copy(update=recrawl),
        frontier=settings.frontier.model_copy(update={"max_waiting": plan.pages}),
        storage=USUAL.storage.model_copy(update={"durability": "fast", "graph": ""}),
    )


def _check_delay(web: SimulatedWeb, settings: Settings) -> None:
    largest, delay = int(np.bincount(web.host).max()), settings.politeness.delay
    if largest * delay > BEGIN / 2:
        raise UsageError(f"{largest:,} pages of one host cannot be fetched with a delay of {delay:g} seconds; make it shorter")


def _prefixed(who: Contender, log: Log | None) -> Log | None:
    return None if log is None else lambda line: log(f"{who.policy} {who.order} {line}")
