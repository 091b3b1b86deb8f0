"""A web to try policies on: hosts, pages, links, importance, and every moment at which every page changes.

All of it is drawn once from a plan with a seed, before anything is crawled: every policy meets the same web, and the same plan
gives the same web. Times are seconds since the beginning of the simulation; what was before is negative.

Hosts have pages by a power law. Every page but a host's first is linked from an earlier page of its host, and from as many
others as its importance attracts. Importance is Pareto's, or PageRank in these links. Some hosts ask for a delay of their own.
Some pages are born while the simulation runs: the page that links them changes at that moment, and busy pages are likelier to.
"""

from array import array
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gossamer.jobs.simulate.plan import DAY, WebPlan
from gossamer.policy.pagerank import pagerank

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Values = TypeVar("Values", NDArray[np.float64], NDArray[np.int64])


class SimulatedWeb(Struct, frozen=True, kw_only=True):
    """The web of a plan. Arrays have one element a page, or `starts` says where a page's own begin."""

    plan: WebPlan
    host: Numbers
    delay: Floats  # that a host asks for; 0: none
    importance: Floats  # one on average
    rate: Floats  # changes a second
    born: Floats  # minus infinity: before everything
    fetched: Floats  # last fetch before the beginning; minus infinity: none
    dated: NDArray[np.bool_]
    change_starts: Numbers
    changes: Floats  # ascending in every page; the first is the last change before the cycle that precedes the beginning
    link_starts: Numbers
    links: Numbers
    seeds: Numbers

    def change_times(self) -> "array[float]":
        """Return all changes in a form that is quick to search."""
        return array("d", self.changes.tobytes())


def generate(plan: WebPlan) -> SimulatedWeb:
    """Draw a web."""
    chance = np.random.default_rng(plan.seed)
    host = _hosts(plan, chance)
    importance = 1 + chance.pareto(plan.pareto, plan.pages)
    importance /= importance.mean()
    rate = _rates(plan, chance)
    first = np.flatnonzero(np.diff(host, prepend=-1))  # of every host
    born = np.where(chance.random(plan.pages) < plan.born, chance.uniform(0, plan.seconds, plan.pages), -np.inf)
    born[first] = -np.inf
    parent = _parents(host, first, born, rate, chance)
    link_starts, links = _links(plan, parent, importance, chance)
    if plan.importance == "links":
        importance = pagerank(np.repeat(np.arange(plan.pages), np.diff(link_starts)), links, plan.pages) * plan.pages
    appears = np.flatnonzero(born >= 0)
    change_starts, changes = _changes(plan, rate, born, parent[appears], born[appears], chance)
    was_fetched = (chance.random(plan.pages) < plan.known) & (born < 0)
    return SimulatedWeb(
        plan=plan,
        host=host,
        importance=importance,
        rate=rate,
        born=born,
        fetched=np.where(was_fetched, chance.uniform(-plan.cycle * DAY, 0, plan.pages), -np.inf),
        dated=chance.random(plan.pages) < plan.dated,
        change_starts=change_starts,
        changes=changes,
        link_starts=link_starts,
        links=links,
        seeds=first,
        delay=np.where(chance.random(plan.hosts) < plan.slow, plan.slow_delay, 0.0),
    )


def _hosts(plan: WebPlan, chance: np.random.Generator) -> Numbers:
    """Give every host a page, and the rest by a power law; pages of a host stand together."""
    sizes = 1 / np.arange(1, plan.hosts + 1)
    drawn = chance.choice(plan.hosts, plan.pages - plan.hosts, p=sizes / sizes.sum())
    hosts: Numbers = np.sort(np.concatenate([np.arange(plan.hosts), drawn]))
    return hosts


def _rates(plan: WebPlan, chance: np.random.Generator) -> Floats:
    """Draw how often pages change, a second: evenly on a logarithmic scale, or mostly in its middle."""
    least, most = -np.log(plan.slowest * DAY), -np.log(plan.fastest * DAY)
    if plan.rates == "even":
        return np.exp(chance.uniform(least, most, plan.pages))
    bell: Floats = np.clip(chance.normal((least + most) / 2, (most - least) / 4, plan.pages), least, most)
    return np.exp(bell)


def _parents(host: Numbers, first: Numbers, born: Floats, rate: Floats, chance: np.random.Generator) -> Numbers:
    """Return for every page an earlier one of its host that links it; of several drawn the busiest, for one to be born."""
    begin = first[host]
    place = np.arange(len(host))
    drawn = begin + (chance.random((4, len(host))) * (place - begin)).astype(np.int64)
    drawn = np.where(born[drawn] < 0, drawn, begin)  # a page that is not born yet links nothing
    busiest = drawn[np.argmax(rate[drawn], axis=0), place]
    parent: Numbers = np.where(born >= 0, busiest, drawn[0])
    parent[first] = -1
    return parent


def _links(plan: WebPlan, parent: Numbers, importance: Floats, chance: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return where the links of every page begin, and their targets."""
    source = np.concatenate([parent, chance.integers(0, plan.pages, plan.pages * (plan.links - 1))])
    popular = np.cumsum(importance)
    drawn = np.searchsorted(popular, chance.random(plan.pages * (plan.links - 1)) * popular[-1])
    target = np.concatenate([np.arange(plan.pages), np.minimum(drawn, plan.pages - 1)])
    return _grouped(source[source >= 0], target[source >= 0], plan.pages)


def _changes(
    plan: WebPlan, rate: Floats, born: Floats, parents: Numbers, births: Floats, chance: np.random.Generator
) -> tuple[Numbers, Floats]:
    """Return where the changes of every page begin, and their times: its own, and that a page was born which it links."""
    begin, place = -plan.cycle * DAY, np.arange(plan.pages)
    count = chance.poisson(rate * (plan.seconds - begin))
    page = np.repeat(place, count)
    time = chance.uniform(begin, plan.seconds, len(page))
    before = begin - chance.exponential(1 / rate)  # when it last changed before that
    lives = time > born[page]
    pages = np.concatenate([place, page[lives], parents])
    times = np.concatenate([np.where(born >= 0, born, before), time[lives], births])
    order = np.lexsort((times, pages))
    return _grouped(pages[order], times[order], plan.pages)


def _grouped(group: Numbers, values: Values, groups: int) -> tuple[Numbers, Values]:
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(groups + 1))
    return starts, values[order]
