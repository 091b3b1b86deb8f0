"""How fresh a crawl is: what is believed of every page's changes, added up by host or by how deep pages lie.

Nobody knows whether a page has changed without asking for it; but a page that changes `r` times a second is still the same
after `t` seconds with probability e^(-rt), and on average it has been another one for t - (1 - e^(-rt)) / r seconds. The rate
is the one learned from visits (`policy/change.py`).

How soon important pages were fetched is known: those of the high class, found and first fetched when. URLs of that class which
wait for longer than a day count too, as far as the frontier can be asked; otherwise only what was fetched would be judged.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from math import exp, expm1

from msgspec import Struct

from gossamer.assemble import open_catalog
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import CrawlInUse
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.policy import change
from gossamer.records.entry import Priority
from gossamer.records.page import Page

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


class Promptness(Struct, kw_only=True):
    """How soon important pages are fetched: those of the high class."""

    pages: int = 0  # that were fetched
    within_a_day: int = 0  # of these, so many in the 24 hours after they were found
    overdue: int | None = None  # found more than a day ago and not fetched yet, about; None: nobody could be asked
    share: float | None = None  # of both together that was fetched within a day; None: there are none


class FreshnessReport(Struct, frozen=True, kw_only=True):
    """How fresh a crawl is."""

    at: float
    total: Report
    classes: list[Report]
    hosts: list[Report]  # with most pages
    visits_a_day: float  # that would keep the average page as fresh as it changes: one visit a change
    budget: float  # visits a day that the configuration allows
    important: Promptness


def freshness(directory: CrawlDirectory, hosts: int = 20, now: float | None = None) -> FreshnessReport:
    """Say how fresh the pages of a crawl are; works beside a running crawl."""
    settings = directory.settings()
    moment = SystemClock().now() if now is None else now
    total, classes, by_host, important = Report(name="all"), _Groups(), _Groups(), Promptness()
    for page in driven(_known(directory, settings)):
        _note(important, page)
        for report in (total, classes[_class_of(page)], by_host[page.host]):
            _count(report, page, moment, settings.recrawl.longest)
    for report in (total, *classes.values(), *by_host.values()):
        _average(report)
    with suppress(CrawlInUse):  # by somebody who answers no questions
        important.overdue = ask(directory, "overdue", seconds=DAY)
    if judged := important.pages + (important.overdue or 0):
        important.share = important.within_a_day / judged
    ranked = sorted(by_host.values(), key=lambda report: (-report.pages, report.name))
    allowed = settings.recrawl.budget
    return FreshnessReport(
        at=moment,
        total=total,
        classes=[classes[name] for name in ("high", "medium", "low") if name in classes],
        hosts=ranked[:hosts],
        visits_a_day=total.changes,
        budget=allowed if allowed is not None else total.pages * DAY / settings.recrawl.interval,
        important=important,
    )


def fresh_share(directory: CrawlDirectory, settings: Settings, now: float) -> float | None:
    """Return the share of a crawl's pages that are still as they were kept, as far as is known; None: it has none."""
    total = Report(name="all")
    for page in driven(_known(directory, settings)):
        _count(total, page, now, settings.recrawl.longest)
    _average(total)
    return total.fresh if total.pages else None


class _Groups(dict[str, Report]):
    def __missing__(self, name: str) -> Report:
        self[name] = Report(name=name)
        return self[name]


async def _known(directory: CrawlDirectory, settings: Settings) -> AsyncIterator[Page]:
    """Walk over the pages of which something is known."""
    async with open_catalog(directory.path, settings) as catalog:
        async for page in catalog.pages():
            if page.freshness is not None and page.place is not None:
                yield page


def _class_of(page: Page) -> str:
    assert page.freshness is not None
    return Priority(page.freshness.priority).name.lower()


def _note(important: Promptness, page: Page) -> None:
    known = page.freshness
    if known is not None and known.priority == Priority.HIGH and known.found_at:
        important.pages += 1
        important.within_a_day += known.first_seen - known.found_at <= DAY


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
