"""What a simulated crawl achieved, from its visits and the web's own history.

A copy is fresh from its visit until the page changes; then its age grows until the next visit. A page that exists and was never
fetched is not fresh, and its age counts from its birth. Everything is exact: intervals are added up, nothing is sampled.
"""

from math import ceil
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gossamer.jobs.simulate.plan import DAY
from gossamer.jobs.simulate.run import Visits
from gossamer.jobs.simulate.web import Floats, Numbers, SimulatedWeb

IMPORTANT = 0.1  # the share of pages that is called important
MOST = 0.9  # of the important pages: how many requests it takes to have so many
POINTS = 120  # of a curve


class Result(Struct, frozen=True, kw_only=True):
    """One policy and order in numbers. Freshness is a share of 0 to 1, an age is in days."""

    policy: str
    order: str
    freshness: float  # weighted by importance, over the whole time
    freshness_at_end: float  # over the last quarter of it
    plain_freshness: float  # every page alike
    age: float
    plain_age: float
    requests: int
    changed: float  # share of requests that brought something new
    within_a_day: float  # share of the important pages that were fetched within a day of their discovery
    found: float  # share of all pages that exist that were found
    most_by: int | None  # requests until nine in ten of the important pages that were there from the beginning were fetched
    late: int
    hasty: int  # requests that came sooner than their host allows: none, or the frontier is broken
    curve: tuple[float, ...]  # freshness at evenly spaced moments
    fetched: tuple[float, ...]  # and the share of those important pages that was fetched


class Spans(NamedTuple):
    """Every stretch between two visits of a page, or none and the first: when the copy was made, went stale, was replaced."""

    page: Numbers
    begin: Floats
    stale: Floats  # not before `begin`
    end: Floats
    replaced: NDArray[np.bool_]  # a copy, by a visit


def measure(policy: str, order: str, web: SimulatedWeb, visits: Visits) -> Result:
    """Measure a simulated crawl."""
    first = _first_fetches(web, visits)
    spans = _spans(web, visits)
    alike = np.ones(web.plan.pages)
    curve = _curve(web, spans)
    again = spans.stale[spans.replaced] < spans.end[spans.replaced]
    return Result(
        policy=policy,
        order=order,
        freshness=_freshness(web, spans, web.importance),
        freshness_at_end=float(np.mean(curve[-POINTS // 4 :])),
        plain_freshness=_freshness(web, spans, alike),
        age=_age(web, spans, web.importance),
        plain_age=_age(web, spans, alike),
        requests=len(visits.pages),
        changed=float(again.mean()) if len(again) else 0.0,
        within_a_day=_within_a_day(web, visits, first),
        found=float(np.mean(np.isfinite(visits.found))),
        most_by=_most_by(web, visits, first),
        late=visits.late,
        hasty=visits.hasty,
        curve=_points(curve),
        fetched=_points(_share_until(_of_old(web, first), _moments(web))),
    )


def _spans(web: SimulatedWeb, visits: Visits) -> Spans:
    count, seconds = web.plan.pages, web.plan.seconds
    every = np.arange(count)
    page = np.concatenate([every, np.array(visits.pages, dtype=np.int64)])
    begin = np.concatenate([np.maximum(web.fetched, np.where(web.born >= 0, web.born, -web.plan.cycle * DAY)), visits.times])
    is_copy = np.concatenate([np.isfinite(web.fetched), np.ones(len(visits.pages), dtype=bool)])
    order = np.lexsort((begin, page))
    page, begin, is_copy = page[order], begin[order], is_copy[order]
    is_last = np.append(page[1:] != page[:-1], True)
    end = np.where(is_last, seconds, np.append(begin[1:], seconds))
    stale = np.where(is_copy, np.minimum(_next_changes(web, page, begin), end), begin)
    return Spans(page, begin, stale, end, is_copy & ~is_last)


def _next_changes(web: SimulatedWeb, page: Numbers, after: Floats) -> Floats:
    """Return for every page and moment when the page changes next: all in one search, each page in a range of its own."""
    before, seconds = web.plan.cycle * DAY + 1, web.plan.seconds
    width = before + seconds + 1
    owner = np.repeat(np.arange(web.plan.pages), np.diff(web.change_starts))
    found = np.searchsorted(owner * width + np.maximum(web.changes, -before), page * width + after, side="right")
    none = found >= web.change_starts[page + 1]
    return np.where(none, np.inf, web.changes[np.minimum(found, len(web.changes) - 1)])


def _freshness(web: SimulatedWeb, spans: Spans, weight: Floats) -> float:
    fresh = np.maximum(spans.stale, 0) - np.maximum(spans.begin, 0)
    return float((fresh * weight[spans.page]).sum() / _lives(web, weight))


def _age(web: SimulatedWeb, spans: Spans, weight: Floats) -> float:
    """Return the mean age in days: what grows evenly from the moment a copy is stale."""
    before = np.maximum(np.maximum(spans.begin, 0) - spans.stale, 0)  # how old it was when we began to look
    grown = ((spans.end - spans.stale) ** 2 - before**2) / 2
    return float((grown * weight[spans.page]).sum() / _lives(web, weight) / DAY)


def _lives(web: SimulatedWeb, weight: Floats) -> float:
    """Return for how long all pages together existed."""
    return float(((web.plan.seconds - np.maximum(web.born, 0)) * weight).sum())


def _curve(web: SimulatedWeb, spans: Spans) -> Floats:
    """Return the freshness at evenly spaced moments."""
    moments = _moments(web)
    weight = web.importance[spans.page]
    fresh = _sum_until(spans.begin, weight, moments) - _sum_until(spans.stale, weight, moments)
    return fresh / _sum_until(np.maximum(web.born, 0), web.importance, moments)


def _moments(web: SimulatedWeb) -> Floats:
    return (np.arange(POINTS) + 0.5) * web.plan.seconds / POINTS


def _share_until(times: Floats, moments: Floats) -> Floats:
    return np.searchsorted(times, moments, side="right") / max(len(times), 1)


def _points(curve: Floats) -> tuple[float, ...]:
    return tuple(round(point, 6) for point in curve.tolist())


def _sum_until(times: Floats, weight: Floats, moments: Floats) -> Floats:
    order = np.argsort(times)
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    return total[np.searchsorted(times[order], moments, side="right")]


def _important(web: SimulatedWeb) -> NDArray[np.bool_]:
    important: NDArray[np.bool_] = web.importance >= np.quantile(web.importance, 1 - IMPORTANT)
    return important


def _first_fetches(web: SimulatedWeb, visits: Visits) -> Floats:
    """Return when each page was fetched first; infinity: never."""
    first = np.where(np.isfinite(web.fetched), web.fetched, np.inf)
    np.minimum.at(first, np.array(visits.pages, dtype=np.int64), visits.times)
    return first


def _within_a_day(web: SimulatedWeb, visits: Visits, first: Floats) -> float:
    """Return the share of important pages fetched within a day, of those found a day before the end at the latest."""
    found = np.array(visits.found)
    asked = _important(web) & (found >= 0) & (found <= web.plan.seconds - DAY)
    return float(np.mean(first[asked] - found[asked] <= DAY)) if asked.any() else 1.0


def _of_old(web: SimulatedWeb, first: Floats) -> Floats:
    """Return when the important pages that were there from the beginning were fetched first, in order."""
    return np.sort(first[_important(web) & (web.born < 0)])


def _most_by(web: SimulatedWeb, visits: Visits, first: Floats) -> int | None:
    times = _of_old(web, first)
    last = times[ceil(MOST * len(times)) - 1] if len(times) else -np.inf
    return int(np.searchsorted(visits.times, last, side="right")) if np.isfinite(last) or last < 0 else None
