"""How fresh a crawl is: what is believed of every page's changes, added up by host or by how deep pages lie.

Nobody knows whether a page has changed without asking for it; but a page that changes `r` times a second is still the same
after `t` seconds with probability e^(-rt), and on average it has been another one for t - (1 - e^(-rt)) / r seconds. The rate
is the one learned from visits (`policy/change.py`).
"""

from collections.abc import Iterator
from math import exp, expm1

from msgspec import Struct

from gossamer.assemble import open_catalog
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.jobs.directory import CrawlDirectory
from gossamer.policy import change
from gossamer.policy.priority import rank
from gossamer.records import LinkKind, Page

DAY = 86400.0


class Report(Struct, kw_only=True):
    """Pages that have something in common."""

    name: str
    pages: int = 0
    fresh: float = 0.0  # share that is still as it was kept
    age: float = 0.0  # days for which a page has been another one, on average
    since: float = 0.0  # days since a page was visited, on average
    changes: float = 0.0  # a day, of all of them
    late: int = 0  # pages that were not visited for longer than `recrawl.longest`


class Freshness(Struct, frozen=True, kw_only=True):
    """How fresh a crawl is."""

    at: float
    total: Report
    classes: list[Report]
    hosts: list[Report]  # with most pages
    visits_a_day: float  # that would keep the average page as fresh as it changes: one visit a change
    budget: float  # visits a day that the configuration allows


def freshness(directory: CrawlDirectory, hosts: int = 20, now: float | None = None) -> Freshness:
    """Say how fresh the pages of a crawl are; works beside a running crawl."""
    settings = directory.settings()
    moment = SystemClock().now() if now is None else now
    total, classes, by_host = Report(name="all"), _Groups(), _Groups()
    for page in _known(directory, settings):
        for report in (total, classes[_class_of(page)], by_host[page.host]):
            _count(report, page, moment, settings.recrawl.longest)
    for report in (total, *classes.values(), *by_host.values()):
        _average(report)
    ranked = sorted(by_host.values(), key=lambda report: (-report.pages, report.name))
    allowed = settings.recrawl.budget
    return Freshness(
        at=moment,
        total=total,
        classes=[classes[name] for name in ("high", "medium", "low") if name in classes],
        hosts=ranked[:hosts],
        visits_a_day=total.changes,
        budget=allowed if allowed is not None else total.pages * DAY / settings.recrawl.interval,
    )


class _Groups(dict[str, Report]):
    def __missing__(self, name: str) -> Report:
        self[name] = Report(name=name)
        return self[name]


def _known(directory: CrawlDirectory, settings: Settings) -> Iterator[Page]:
    """Walk over the pages of which something is known."""
    for page in open_catalog(directory.path, settings).pages():
        if page.freshness is not None and page.place is not None:
            yield page


def _class_of(page: Page) -> str:
    kind = LinkKind.ANCHOR if page.via else LinkKind.SEED
    return rank(kind, page.depth, 0, "priority")[1].name.lower()


def _count(report: Report, page: Page, now: float, longest: float) -> None:
    assert page.freshness is not None
    since = max(now - page.fetched_at, 0.0)
    rate = change.rate(page.freshness)
    report.pages += 1
    report.fresh += exp(-rate * since)
    report.age += (since + expm1(-rate * since) / rate) / DAY
    report.since += since / DAY
    report.changes += rate * DAY
    report.late += since > longest


def _average(report: Report) -> None:
    if report.pages:
        report.fresh /= report.pages
        report.age /= report.pages
        report.since /= report.pages
