"""Run a crawl: from a directory to a summary. Ctrl-C drains, a second one stops at once; both can be resumed."""

import asyncio
import resource
import signal
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from functools import partial
from pathlib import Path

import uvloop
from msgspec import Struct

from gossamer.assemble import Crawl, open_crawl
from gossamer.clock import Clock, SystemClock
from gossamer.config.sections import Settings
from gossamer.jobs.control import serve_control
from gossamer.jobs.descriptors import fit, raise_limit
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.log import LogFile
from gossamer.records import FrontierStatistics, State
from gossamer.url.parse import Url
from gossamer.worker.garbage import collected_seldom
from gossamer.worker.pool import End
from gossamer.worker.stall import StallWatch

SEEDS_AT_ONCE = 1_000
Opening = Callable[[Path, Settings, list[Url], Clock], AbstractAsyncContextManager[Crawl]]


class Summary(Struct, frozen=True, kw_only=True):
    """What a run came to."""

    directory: str
    end: End
    seconds: float
    cpu_seconds: float
    outcomes: dict[str, int]  # of this run
    pages: int
    bytes: int
    requests: int
    too_soon: int  # requests sooner after another to the same host than its delay allows; there must be none
    frontier: FrontierStatistics
    learned: dict[str, int]  # rules in force, and URLs that were not fetched for them, over all runs
    links_cut: dict[str, int]  # beyond the limit of a page, over all runs: links, and pages that had so many
    next_time: float | None = None  # with End.WAITING: when there is something to do again

    @property
    def exit_code(self) -> int:
        """0 is done; 130 interrupted; 6 waiting for a date."""
        return {End.STOPPED: 130, End.WAITING: 6}.get(self.end, 0)


class Again(Struct, frozen=True):
    """Which finished URLs of a crawl are visited again."""

    older_than: float = 0.0  # seconds since the last visit
    failed: bool = False  # also those that ended without a page


def run_crawl(
    directory: CrawlDirectory, settings: Settings, watch: Callable[[Crawl], None], again: Again | None = None
) -> Summary:
    """Run a crawl until it ends; `watch` is called once with the crawl before its first visit."""
    with ExitStack() as stack:
        stack.enter_context(directory.lock())
        settings = fit(settings, raise_limit())
        opening: Opening = open_crawl
        if settings.crawl.workers > 1:
            from gossamer.crew import forked_workers, open_crew  # what one process does not need is not imported for it

            opening = partial(open_crew, stack.enter_context(forked_workers(settings)))
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
        return runner.run(_run(directory, settings, opening, watch, again))


async def _run(
    directory: CrawlDirectory,
    settings: Settings,
    opening: Opening,
    watch: Callable[[Crawl], None],
    again: Again | None,
) -> Summary:
    clock = SystemClock()
    began, cpu = clock.now(), _cpu_seconds()
    seeds = directory.seeds()
    async with opening(directory.path, settings, seeds, clock) as crawl:
        with LogFile(directory.log, clock) as log:
            crawl.events.subscribe(log)
            entries = [crawl.stores.admission.seed(seed.wire) for seed in seeds]
            for start in range(0, len(entries), SEEDS_AT_ONCE):
                await crawl.stores.frontier.discover(entries[start : start + SEEDS_AT_ONCE], clock.now())
            if again is not None:
                crawl.pool.begin_anew()
                log.note("recrawl", pages=await _recall(crawl, again))
            _obey_signals(crawl)
            watch(crawl)
            async with serve_control(directory, crawl):
                with collected_seldom(), StallWatch(crawl.events, settings.crawl.stall):
                    end = await crawl.pool.run()
            log.note("run ended", end=end, pages=crawl.tally.pages)
        totals = crawl.stores.catalog.totals()
        return Summary(
            directory=str(directory.path),
            end=end,
            seconds=clock.now() - began,
            cpu_seconds=_cpu_seconds() - cpu,
            outcomes=dict(crawl.tally.outcomes),
            pages=crawl.tally.pages,
            bytes=crawl.tally.bytes,
            requests=crawl.tally.visits,
            too_soon=crawl.tally.haste.count,
            frontier=crawl.stores.frontier.statistics(),
            next_time=crawl.pool.next_time if end is End.WAITING else None,
            learned=await crawl.stores.lessons.summary(),
            links_cut=dict(zip(("links", "pages"), totals.cut, strict=True)),
        )


async def _recall(crawl: Crawl, again: Again) -> int:
    """Make finished URLs due now; return how many."""
    frontier, now = crawl.stores.frontier, crawl.stores.clock.now()
    states = (State.DONE, State.DEAD) if again.failed else (State.DONE,)
    old = [
        (known.entry.key, now)
        for state in states
        for known in frontier.known(state)
        if known.entry.refused is None and (known.settled_at or 0.0) <= now - again.older_than
    ]
    count = 0
    for start in range(0, len(old), SEEDS_AT_ONCE):
        count += await frontier.revisit(old[start : start + SEEDS_AT_ONCE], now)
    return count


def _cpu_seconds() -> float:
    """Return the processor time this process has used, and its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _obey_signals(crawl: Crawl) -> None:
    """Drain on the first SIGINT or SIGTERM, stop at once on the second."""
    asked = False

    def obey() -> None:
        nonlocal asked
        if asked:
            crawl.pool.cancel()
        else:
            crawl.pool.stop("asked to stop; visits under way are finished first, ask again to stop at once")
        asked = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, obey)


def default_directory(host: str) -> Path:
    """Return where a crawl goes when nobody says: named after the first seed's host."""
    return Path(f"{host or 'files'}.crawl")
