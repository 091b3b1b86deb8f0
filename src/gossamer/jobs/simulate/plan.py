"""The plan of a simulation: what a web is made from, for how long it is watched, and how many requests there are.

A TOML file has any of these keys; what it says is checked like what is said on the command line.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from gossamer.config.load import duration
from gossamer.errors import UsageError

DAY = 86400.0
UNITS = {"days": DAY, "cycle": DAY, "fastest": DAY, "slowest": DAY, "slow_delay": 1.0}  # seconds, of what is a time

Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Days = Annotated[float, Meta(gt=0, le=3650)]
Interval = Annotated[float, Meta(ge=1 / 1440, le=36500)]
Share = Annotated[float, Meta(ge=0, le=1)]


class WebPlan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a simulated web, and how long it is watched."""

    seed: Annotated[int, Meta(ge=0)] = 1
    pages: Count = 100_000
    hosts: Count = 1_000
    days: Days = 30.0
    cycle: Days = 7.0  # days in which the budget of requests would fetch every page once
    rates: Literal["even", "bell"] = "even"  # how change rates are spread on a logarithmic scale
    fastest: Interval = 1 / 24  # days between two changes of the page that changes most
    slowest: Interval = 365.0
    importance: Literal["pareto", "links"] = "pareto"  # drawn, and links follow it; or the PageRank of these links
    pareto: Annotated[float, Meta(gt=0, le=100)] = 1.2  # exponent of importance: the smaller, the more the first pages matter
    links: Annotated[int, Meta(ge=1, le=1000)] = 8  # of a page
    born: Share = 0.05  # share of pages that appear while the simulation runs
    known: Share = 1.0  # share of the others that were fetched during the cycle before
    dated: Share = 0.3  # share of pages whose server says truly when they changed
    slow: Share = 0.1  # share of hosts that ask for a delay of their own
    slow_delay: Annotated[float, Meta(ge=0, le=300)] = 10.0  # seconds

    @property
    def seconds(self) -> float:
        """How long the web is watched."""
        return self.days * DAY

    @property
    def budget(self) -> float:
        """Requests a second."""
        return self.pages / (self.cycle * DAY)

    @property
    def requests(self) -> int:
        """Requests in all."""
        return int(self.seconds * self.budget)


def read_plan(path: Path | None, said: Mapping[str, object]) -> WebPlan:
    """Make a plan of a TOML file and what was said beside it, which counts more; there is a host for 100 pages if not said."""
    written: dict[str, object] = {}
    if path is not None:
        try:
            written = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"the plan in {path} cannot be read: {error}") from None
    values = {name: _in_its_unit(name, value) for name, value in {**written, **said}.items()}
    pages = values.get("pages", WebPlan().pages)
    if "hosts" not in values and isinstance(pages, int):
        values["hosts"] = max(pages // 100, 1)
    return _made(values)


def _in_its_unit(name: str, value: object) -> object:
    """Turn a time that was written with a unit, such as `4w`, into what the plan counts it in."""
    unit = UNITS.get(name)
    return value if unit is None or not isinstance(value, str) else duration(value, name, plain=unit) / unit


def check(plan: WebPlan) -> None:
    """Refuse a plan that makes no sense."""
    _made(msgspec.structs.asdict(plan))


def _made(values: Mapping[str, object]) -> WebPlan:
    try:
        plan = msgspec.convert(values, WebPlan)
    except msgspec.ValidationError as error:
        raise UsageError(f"the plan cannot be simulated: {_words(str(error))}") from None
    if plan.pages < plan.hosts:
        raise UsageError(f"{plan.pages:,} pages cannot be on {plan.hosts:,} hosts; every host has one at least")
    if plan.fastest > plan.slowest:
        raise UsageError(f"fastest is {plan.fastest:g} days and slowest {plan.slowest:g}; the fastest page needs fewer days")
    return plan


def _words(error: str) -> str:
    """Turn msgspec's words around: which value, and what was expected."""
    text, _, where = error.replace("\n", " ").partition(" - at `$")
    text, where = text.replace("`", ""), where.removesuffix("`").removeprefix(".")
    return f"{where}: {text[0].lower()}{text[1:]}" if where else text[0].lower() + text[1:]
