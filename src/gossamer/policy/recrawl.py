"""Recrawl: when a page is fetched again.

- `fixed`: after the same time, always.
- `adaptive`: the interval is halved when the page had changed and doubled when it had not.
- `optimal`: a fetch at age `t` of a page that changes `r` times a second is worth

      importance / r x (1 - e^(-rt) (1 + rt))

  which is how much the freshness of the whole collection gains if the page is fetched at that interval and a little oftener.
  Requests are used best when every page is fetched at the moment its value reaches the same threshold, whatever the page. One
  that changes faster than its importance pays for never reaches it and waits longest; so does one that hardly ever changes.
  The rate is not known but believed (`change.py`): the value is the mean over what is believed.

The threshold is the price of a request. It begins at what a fetch is worth on average if all pages are fetched equally often
(`first_threshold`), and is steered: up while more is due than can be fetched, down while requests are left over.
"""

from collections.abc import Sequence
from math import exp, inf, sqrt
from typing import NamedTuple

from msgspec.structs import replace

from gossamer.config.sections import Recrawl
from gossamer.policy.change import RATES, probabilities
from gossamer.records.freshness import Freshness

HASTE = 0.1  # of the way that the threshold goes in an hour
FORESIGHT = 0.2  # how much what pages ask for counts, against what they got
REACH = 7 * 24.0  # hours in which what is late should be caught up
MOST = 4.0  # the threshold moves as if demand were at most so many times too high or too low
UNLIKELY = 1e-4  # rates less likely than this do not matter to a value
EXACT = 0.01  # of an interval

Belief = Sequence[tuple[float, float]]  # rates, and how likely each is


def value(rate: float, importance: float, age: float) -> float:
    """Return what a fetch of a page that was last fetched `age` seconds ago is worth."""
    return importance / rate * _gain(rate * age)


class Appointment(NamedTuple):
    """When a page is fetched again, and what that will be worth, in thresholds: less than one only after the longest wait."""

    due: float
    worth: float = 1.0


def due(freshness: Freshness, importance: float, now: float, settings: Recrawl, threshold: float = 0.0) -> Appointment:
    """Return when a page that was fetched now is to be fetched again."""
    if settings.policy == "fixed":
        return Appointment(now + settings.interval)
    if settings.policy == "adaptive":
        return Appointment(now + (freshness.interval or settings.interval))
    belief = [(rate, share) for rate, share in zip(RATES, probabilities(freshness), strict=True) if share > UNLIKELY]
    return best(belief, importance, now, settings, threshold)


def best(belief: Belief, importance: float, now: float, settings: Recrawl, threshold: float) -> Appointment:
    """Return when a fetch will be worth the threshold, for rates and how likely they are.

    The value only grows with the age, so the answer is bracketed from the start and halved down to it, on a logarithmic scale.
    """
    low, high = settings.shortest, settings.longest
    if threshold <= 0:
        return Appointment(now + low)
    wanted = threshold / importance if importance > 0 else inf
    if (most := _mean_gain(belief, high)) <= wanted:
        return Appointment(now + high, most / wanted)
    if (least := _mean_gain(belief, low)) >= wanted:
        return Appointment(now + low, least / wanted)
    while high > low * (1 + EXACT):
        middle = sqrt(low * high)
        if _mean_gain(belief, middle) < wanted:
            low = middle
        else:
            high = middle
    return Appointment(now + sqrt(low * high))


def adapted(freshness: Freshness, changed: bool, settings: Recrawl) -> Freshness:
    """Return what is known with the adaptive policy's next interval: half when the page had changed, twice when not."""
    before = freshness.interval or settings.interval
    after = before / 2 if changed else before * 2
    return replace(freshness, interval=min(max(after, settings.shortest), settings.longest))


def first_threshold(seconds: float, importance: float, rates: Sequence[float]) -> float:
    """Return a threshold to begin with: what a fetch is worth on average if every page is fetched each so many seconds."""
    return sum(value(rate, importance, seconds) for rate in rates) / len(rates)


def steer(threshold: float, asked: float, fetched: float, late: float, allowed: float) -> float:
    """Return the threshold after an hour in which `allowed` pages could be fetched again and `fetched` were.

    `asked` adds up, for every page fetched, how much more often it is to be fetched from now on (the time since its last fetch
    over the time to its next). That is the demand of all pages at the present threshold, because a page is in the sum as often
    as it is fetched; what was fetched is the demand at thresholds of the past. The first foresees, the second knows; pages that
    are `late` come on top. Where little was fetched little is known, and the step is smaller.
    """
    if allowed <= 0:
        return threshold
    demand = (FORESIGHT * asked + (1 - FORESIGHT) * fetched + late / REACH) / allowed
    known = min((fetched + late) / allowed, 1.0)
    step: float = min(max(demand, 1 / MOST), MOST) ** (HASTE * known)
    return threshold * step


def _mean_gain(belief: Belief, age: float) -> float:
    mean = 0.0
    for rate, share in belief:  # asked ten times a page that is fetched: a generator would take half as long again
        mean += share / rate * _gain(rate * age)
    return mean


def _gain(x: float) -> float:
    """Return 1 - e^-x (1 + x), exact for small x too."""
    if x < 1e-3:
        return x * x * (0.5 - x / 3)
    return 1 - exp(-x) * (1 + x)
