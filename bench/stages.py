"""Where a page's CPU goes, stage by stage, in a real crawl of the 25 KB site.

The hands are wrapped at their joints, here and not in the crawler. A coroutine is timed step by step (the CPU of its thread
from each resumption to the next suspension), so waiting costs nothing and whatever else the loop does meanwhile is not charged
to it. Time is exclusive: what a stage calls that is a stage of its own counts there. A job that a stage hands to a thread is
charged to the stage. What the wrapped calls do not explain of the loop's thread is `tasks`: the loop itself, task switches,
events, the glue of a visit, and the measuring, which a note puts a figure on.
"""

import json
import resource
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from time import thread_time
from typing import Any

from bench import hands, measure, serve
from bench.table import Column, Row, Table

STAGES = {
    "fetch": (
        "gossamer.fetchers.http:HttpFetcher.fetch",
        "gossamer.fetchers.kept:Connection.data_received",
        "gossamer.fetchers.secure:SecureConnection.data_received",
    ),
    "parse": ("gossamer.readers.reading:Reader.read", "gossamer.readers.reading:Reader.glimpse"),
    "URLs": (
        "gossamer.processors.page:PageFacts.extract",
        "gossamer.visit.admit:LinkJudge.admit",
        "gossamer.visit.admit:LinkJudge.remember",
    ),
    "dedupe": (
        "gossamer.readers.reading:Reader.digest",
        "gossamer.dedupe.exact:ExactDeduper.claim",
        "gossamer.dedupe.exact:ExactDeduper.commit",
        "gossamer.dedupe.near:NearIndex.claim",
        "gossamer.dedupe.near:NearIndex.commit",
    ),
    "archive": (
        "gossamer.storage.archive.directory:DirectoryArchive.append",
        "gossamer.storage.archive.directory:DirectoryArchive.flush",
    ),
    "frontier": (
        "gossamer.frontier.embedded.facade:EmbeddedFrontier.lease",
        "gossamer.frontier.embedded.facade:EmbeddedFrontier.settle",
        "gossamer.frontier.embedded.facade:EmbeddedFrontier.discover",
    ),
    "catalog": ("gossamer.storage.catalog.sqlite:SqliteCatalog.add",),
    "graph": ("gossamer.visit.links:Outlinks.of", "gossamer.storage.linkgraph:EdgeLog.put"),
    "robots": ("gossamer.robots.cache:RobotsCache.consult", "gossamer.robots.cache:RobotsCache.keep"),
}
COLUMNS = (
    Column("stage", "stage"),
    Column("milliseconds", "ms/page", ".3f", headline=True),
    Column("share", "share", ".0f", " %"),
)


class Meter:
    """CPU-seconds by stage, exclusive, whatever thread they were spent on."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.on_loop = 0.0  # of all that, on the thread that made the meter
        self.entered = 0
        self._loop = threading.get_ident()
        self._here = threading.local()

    def enter(self, stage: str) -> None:
        """A stage begins on this thread; the one under way pauses."""
        self.entered += 1
        stack = self._stack()
        self._charge(stack)
        stack.append(stage)

    def leave(self) -> None:
        """The stage ends, or pauses; the one before it goes on."""
        stack = self._stack()
        self._charge(stack)
        stack.pop()

    def _charge(self, stack: list[str]) -> None:
        """Charge what passed since the last change to the stage that is under way."""
        now = thread_time()
        if stack:
            passed = now - self._here.mark
            self.spent[stack[-1]] += passed
            if threading.get_ident() == self._loop:
                self.on_loop += passed
        self._here.mark = now

    def now_in(self) -> str | None:
        """Return the stage that this thread is in."""
        stack = self._stack()
        return stack[-1] if stack else None

    def _stack(self) -> list[str]:
        stack: list[str] | None = getattr(self._here, "stack", None)
        if stack is None:
            stack = self._here.stack = []
        return stack

    def timed(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a plain call that is charged to a stage."""

        @wraps(call)
        def charged(*args: Any, **kwargs: Any) -> Any:
            self.enter(stage)
            try:
                return call(*args, **kwargs)
            finally:
                self.leave()

        return charged

    def stepped(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a coroutine function whose steps are charged to a stage."""

        @wraps(call)
        async def charged(*args: Any, **kwargs: Any) -> Any:
            return await _Steps(self, stage, call(*args, **kwargs))

        return charged


class _Steps:
    """Runs a coroutine step by step, each step on the meter."""

    def __init__(self, meter: Meter, stage: str, coroutine: Any) -> None:
        self._meter, self._stage, self._coroutine = meter, stage, coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        step: Callable[[Any], Any] = self._coroutine.send
        value: Any = None
        while True:
            self._meter.enter(self._stage)
            try:
                wanted = step(value)
            except StopIteration as end:
                return end.value
            finally:
                self._meter.leave()
            try:
                value = yield wanted
                step = self._coroutine.send
            except BaseException as error:  # noqa: BLE001 - handed on to the coroutine, whatever it is
                value, step = error, self._coroutine.throw


def install(meter: Meter) -> list[str]:
    """Wrap every joint, and what stages hand to threads; return the names that are not there (any more)."""
    missing = []
    for stage, names in STAGES.items():
        for name in names:
            module, _, dotted = name.partition(":")
            owner_name, _, method = dotted.partition(".")
            owner = getattr(import_module(module), owner_name, None)
            call = getattr(owner, method, None)
            if call is None:
                missing.append(name)
                continue
            setattr(owner, method, (meter.stepped if iscoroutinefunction(call) else meter.timed)(stage, call))
    _charge_threads(meter)
    return missing


def _charge_threads(meter: Meter) -> None:
    submit: Callable[..., Any] = ThreadPoolExecutor.submit

    def charged(self: ThreadPoolExecutor, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        stage = meter.now_in()
        return submit(self, meter.timed(stage, call) if stage else call, *args, **kwargs)

    ThreadPoolExecutor.submit = charged  # type: ignore[assignment,method-assign]


def crawl(url: str, directory: Path, metered: bool) -> dict[str, Any]:
    """Crawl here, in this process, and return CPU-seconds by stage."""
    from gossamer.clock import SystemClock
    from gossamer.config.load import load
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.run import run_crawl
    from gossamer.url.parse import parse

    meter = Meter()
    missing = install(meter) if metered else []
    flags = {"politeness.delay": 0.0, "politeness.connections": 32, "fetch.allow_private": ["127.0.0.0/8"]}
    settings = load([], flags)
    made = CrawlDirectory.create(directory, settings, [parse(url)], SystemClock().now())
    loop, process = thread_time(), time.process_time()
    summary = run_crawl(made, settings, lambda crawl: None)
    loop, process = thread_time() - loop, time.process_time() - process
    aside = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "pages": summary.pages,
        "stages": dict(meter.spent),
        "loop": loop,
        "on_loop": meter.on_loop,
        "process": process,
        "aside": aside.ru_utime + aside.ru_stime,
        "measuring": meter.entered * _price(),
        "missing": missing,
    }


def _price() -> float:
    """Return what it costs to enter and leave a stage once."""
    meter, times = Meter(), 20_000
    call = meter.timed("nothing", lambda: None)
    began = thread_time()
    for _ in range(times):
        call()
    return (thread_time() - began) / times


def tables(scale: str) -> list[Table]:
    """Profile a crawl, then measure each hand alone."""
    pages = 300 if scale == "quick" else 2_000
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, serve.running("--pages", pages) as server:
        told = {}
        for kind in ("plain", "metered"):
            own = Path(place) / kind
            own.mkdir()
            command = [sys.executable, "-m", "bench.stages", server.url(), str(own / "crawl"), kind]
            if measure.run(command, place=own, timeout=900).code:
                raise SystemExit((own / "output.txt").read_text())
            told[kind] = json.loads((own / "output.txt").read_text().splitlines()[-1])
    return [profile(told["plain"], told["metered"]), *hands.tables(scale)]


def profile(plain: dict[str, Any], metered: dict[str, Any]) -> Table:
    """Lay a measured crawl out by stage; what is not a stage's is the loop's thread or another's."""
    stages: dict[str, float] = {stage: metered["stages"].get(stage, 0.0) for stage in STAGES}
    stages["tasks"] = max(metered["loop"] - metered["on_loop"] - metered["measuring"], 0.0)
    on_threads = metered["process"] - metered["loop"]
    stages["other threads"] = max(on_threads - (sum(metered["stages"].values()) - metered["on_loop"]), 0.0)
    stages["reading aside"] = metered["aside"]
    whole, pages = sum(stages.values()), metered["pages"]
    rows: list[Row] = [
        {"stage": stage, "milliseconds": 1000 * spent / pages, "share": 100 * spent / whole} for stage, spent in stages.items()
    ]
    rows.append({"stage": "whole", "milliseconds": 1000 * whole / pages, "share": 100.0})
    unmetered = 1000 * (plain["process"] + plain["aside"]) / plain["pages"]
    notes = [
        f"{pages:,} pages of 25 KB; without a meter {unmetered:.3f} ms/page, start-up and imports not counted in either",
        f"{1000 * on_threads / pages:.3f} ms/page in all beside the loop's thread; what a stage had done there is the stage's",
        "other threads: flushes and compaction of the stores, the stall watch",
        f"the meter's own {1000 * metered['measuring'] / pages:.3f} ms/page are taken off tasks",
        *(f"not there to be wrapped: {name}" for name in metered["missing"]),
    ]
    return Table("stages: CPU of a page in a crawl", COLUMNS, rows, notes)


if __name__ == "__main__":
    print(json.dumps(crawl(sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "metered")))
