"""Run a crawl: from a directory to a summary. Ctrl-C drains, a second one stops at once; both can be resumed."""

import asyncio
import resource
import signal
import time
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager, ExitStack
from functools import partial
from pathlib import Path

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from gossamer.assemble import Crawl, open_crawl
from gossamer.clock import Clock, SystemClock
from gossamer.compiled import compiled_and_pure
from gossamer.config.sections import Settings
from gossamer.credentials import read_access, trusted_proxies
from gossamer.jobs.answering import serve_control
from gossamer.jobs.descriptors import fit, raise_limit
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.explain import Ending, ending
from gossamer.jobs.extensions import check_extensions
from gossamer.jobs.heart import beating
from gossamer.jobs.index import indexed_at_the_end, indexed_meanwhile
from gossamer.jobs.log import LogFile
from gossamer.jobs.operations.steering import is_paused
from gossamer.jobs.refusals import Refusals, most_refused
from gossamer.jobs.relay.cursor import SinkState
from gossamer.jobs.revisit import Again, visit_again
from gossamer.jobs.words import tell_begun, tell_ended, tell_silence
from gossamer.records.standing import FrontierStatistics
from gossamer.run.garbage import collected_seldom
from gossamer.run.pool import RunEnd
from gossamer.url.parse import Url
from gossamer.watch.budget import Limit
from gossamer.watch.events import tell_of_calls
from gossamer.watch.stall import StallWatch

SEEDS_AT_ONCE = 1_000
SEEDS_TOLD = 10  # whose end is told one by one when nothing was kept
NOTHING_KEPT = 7  # exit code
Opening = Callable[[Path, Settings, list[Url], Clock], AbstractAsyncContextManager[Crawl]]


class Summary(Struct, frozen=True, kw_only=True):
    """The result of a run."""

    directory: str
    end: RunEnd
    seconds: float
    cpu_seconds: float
    outcomes: dict[str, int]  # of this run
    bugs: int  # of ours that were met; their traces are in the log
    pages: int
    items: int  # that readers found in this run
    problems: int  # that readers had in this run
    bytes: int
    requests: int
    too_soon: int  # requests sooner after another to the same host than its delay allows; there must be none
    frontier: FrontierStatistics
    bodies_cut: int  # that are not whole, over all runs
    learned: dict[str, int]  # rules in force, and URLs that were not fetched for them, over all runs
    sinks: tuple[SinkState, ...] = ()  # how far each one is that is told of events
    links_cut: dict[str, int]  # beyond the limit of a page, over all runs: links, and pages that had so many
    next_time: float | None = None  # with End.WAITING: when there is something to do again
    spent: Limit | None = None  # with End.BUDGET: the limit that was reached
    kept: int  # pages that the crawl has, of all runs
    seeds: tuple[Ending, ...] = ()  # of a crawl that has none: how its first seeds ended
    more_seeds: int = 0  # and how many others there are
    refused: Refusals | None = None  # the rule that refused most of what was found

    @property
    def exit_code(self) -> int:
        """0 is done; 130 interrupted; 6 waiting for a date; 7 the end, and nothing was kept."""
        return {RunEnd.STOPPED: 130, RunEnd.WAITING: 6}.get(self.end, 0 if self.kept else NOTHING_KEPT)


def run_crawl(
    directory: CrawlDirectory,
    settings: Settings,
    watch: Callable[[Crawl], None],
    again: Again | None = None,
    given: Collection[str] = (),
) -> Summary:
    """Run a crawl until it ends.

    `watch` is called once with the crawl before its first visit; `given` are the settings that count for this run only.
    """
    check_extensions(settings)  # before anything is opened, and any worker forked: they know the readers then
    read_access(settings)  # refuses what cannot hold, before anything is opened
    with ExitStack() as stack:
        stack.enter_context(directory.lock())
        settings = fit(settings, raise_limit())
        stack.enter_context(indexed_at_the_end(directory.path, settings))
        opening: Opening = open_crawl
        if settings.crawl.workers > 1:
            from gossamer.crew import forked_workers, open_crew  # what one process does not need is not imported for it

            opening = partial(open_crew, stack.enter_context(forked_workers(settings)))
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
        return runner.run(_run(directory, settings, opening, watch, again, given))


async def _run(
    directory: CrawlDirectory,
    settings: Settings,
    opening: Opening,
    watch: Callable[[Crawl], None],
    again: Again | None,
    given: Collection[str],
) -> Summary:
    """Crawl, and tell the sinks; the last events can be seen when everything is closed."""
    if not settings.events.to:
        return await _crawl(directory, settings, opening, watch, again, given)
    from gossamer.jobs.relay.feed import fed_meanwhile  # what a crawl without sinks does not need is not imported for it

    async with fed_meanwhile(directory.path, settings) as feeds:
        summary = await _crawl(directory, settings, opening, watch, again, given)
        return replace(summary, sinks=await feeds.finish())


async def _crawl(
    directory: CrawlDirectory,
    settings: Settings,
    opening: Opening,
    watch: Callable[[Crawl], None],
    again: Again | None,
    given: Collection[str],
) -> Summary:
    clock = SystemClock()
    began, cpu = clock.now(), _cpu_seconds()
    seeds = directory.seeds()
    async with opening(directory.path, settings, seeds, clock) as crawl:
        with LogFile(directory.log, clock) as log:
            for proxy in trusted_proxies(settings):
                log.note("proxy resolves names", proxy=proxy)
            if pure := compiled_and_pure()[1]:
                log.note("runs pure", modules=pure)
            crawl.events.subscribe(log)
            tell_of_calls(crawl.events)
            entries = [crawl.stores.admission.seed(seed.wire) for seed in seeds]
            for start in range(0, len(entries), SEEDS_AT_ONCE):
                await crawl.stores.frontier.discover(entries[start : start + SEEDS_AT_ONCE], clock.now())
                directory.has_urls = True
            if settings.chronicle.level == "off":
                await tell_silence(directory.path, settings, clock)
            else:
                await tell_begun(crawl.stores, len(seeds))
            crawl.pool.begin_anew(given)
            if again is not None:
                log.note("recrawl", pages=await visit_again(crawl.stores, again))
            _obey_signals(crawl)
            watch(crawl)
            if await is_paused(crawl.stores):
                crawl.pool.pause()
            async with (
                beating(crawl) as pulses,
                serve_control(directory, crawl.stores, pulses, running=crawl),
                indexed_meanwhile(directory.path, settings, crawl.tally),
            ):
                with collected_seldom(), StallWatch(crawl.events, settings.crawl.stall):
                    end = await crawl.pool.run()
                pulses.end = end
            log.note("run ended", end=end, pages=crawl.tally.pages)
            await tell_ended(crawl.stores, end, crawl.tally.pages, crawl.tally.visits)
        totals = await crawl.stores.catalog.totals()
        unkept = seeds[:SEEDS_TOLD] if not totals.pages else []
        return Summary(
            directory=str(directory.path),
            end=end,
            seconds=clock.now() - began,
            cpu_seconds=_cpu_seconds() - cpu,
            outcomes=dict(crawl.tally.outcomes),
            bugs=crawl.tally.bugs,
            pages=crawl.tally.pages,
            items=crawl.tally.items,
            problems=crawl.tally.problems,
            bytes=crawl.tally.bytes,
            requests=crawl.tally.visits,
            too_soon=crawl.tally.politeness.count,
            frontier=await crawl.stores.frontier.statistics(),
            next_time=crawl.pool.next_time if end is RunEnd.WAITING else None,
            spent=crawl.pool.spent if end is RunEnd.BUDGET else None,
            learned=await crawl.stores.lessons.summary(),
            bodies_cut=totals.bodies_cut,
            kept=totals.pages,
            seeds=tuple([await ending(crawl.stores, seed.wire) for seed in unkept]),
            more_seeds=len(seeds) - len(unkept) if not totals.pages else 0,
            refused=await most_refused(crawl.stores.frontier),
            links_cut=dict(zip(("links", "pages"), totals.links_cut, strict=True)),
        )


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


def default_directory(seed: Url) -> Path:
    """Return where a crawl goes when nobody says: named after the first seed's host, and its port if that is not the usual."""
    port = "" if seed.port is None else f"-{seed.port}"
    return Path(f"{seed.host or 'files'}{port}.crawl")
