"""Numbers for Prometheus: the last pulse of every crawl, read when it scrapes, and what the door itself does.

Nothing is counted for it in a crawl's path, and a crawl that does not run is not opened for it: the pulse that was kept last
has its counters. The label is `crawl`, because `job` is Prometheus's own; no label is ever a host or a URL.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import accumulate
from time import perf_counter

from litestar import Response, get
from litestar.datastructures import State
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from gossamer.api.home import Home
from gossamer.errors import GossamerError
from gossamer.records.pulse import RESPONSE_CLASSES, Pulse

STATES = ("queued", "running", "paused", "stopping", "stopped", "finished", "waiting", "failed")
URL_STATES = ("waiting", "leased", "done", "dead", "removed")
NO_ROUTE = "none"  # of a request that was refused before it was routed, or asked for what is not there

# Name, help, and the number of a pulse; None: not known.
COUNTERS: tuple[tuple[str, str, Callable[[Pulse], float]], ...] = (
    ("gossamer_requests", "Requests to servers, over all runs.", lambda pulse: pulse.requests),
    ("gossamer_received_bytes", "Bytes of answers, over all runs.", lambda pulse: pulse.bytes),
    ("gossamer_retries", "Visits that were put off to be tried again.", lambda pulse: pulse.retries),
    (
        "gossamer_politeness_violations",
        "Requests that left sooner than their host's delay allows; there must be none.",
        lambda pulse: pulse.too_soon,
    ),
    ("gossamer_loop_stall_seconds", "Seconds that the crawl's event loop stood still.", lambda pulse: pulse.stall_seconds),
    ("gossamer_worker_deaths", "Workers that died and were replaced.", lambda pulse: pulse.worker_deaths),
)
GAUGES: tuple[tuple[str, str, Callable[[Pulse], float | None]], ...] = (
    ("gossamer_frontier_hosts", "Hosts with work.", lambda pulse: pulse.frontier.hosts),
    ("gossamer_hosts_seen", "Hosts that a URL was accepted of.", lambda pulse: pulse.hosts_seen),
    ("gossamer_breakers_open", "Hosts that are left alone for their failures.", lambda pulse: pulse.breakers_open),
    ("gossamer_pages", "Pages that are kept.", lambda pulse: pulse.pages),
    ("gossamer_visits_under_way", "Visits under way.", lambda pulse: pulse.under_way),
    ("gossamer_workers", "Processes that fetch.", lambda pulse: len(pulse.workers)),
    ("gossamer_freshness_ratio", "Share of kept pages that are as they were.", lambda pulse: pulse.freshness),
    ("gossamer_disk_free_bytes", "Bytes left where the crawl is kept.", lambda pulse: pulse.disk_free),
    ("gossamer_last_commit_timestamp_seconds", "When a visit was last made durable.", lambda pulse: pulse.last_commit or None),
    ("gossamer_pulse_timestamp_seconds", "When these numbers of the crawl were true.", lambda pulse: pulse.at),
)


class CrawlNumbers(Collector):
    """Pulses as metrics; for one scrape."""

    def __init__(self, pulses: Mapping[str, Pulse]) -> None:
        self._pulses = pulses

    def collect(self) -> Iterable[Metric]:
        """Walk over the metrics of all crawls."""
        yield from self._counters()
        yield from self._gauges()
        yield self._responses()

    def _counters(self) -> Iterator[Metric]:
        finished = CounterMetricFamily("gossamer_urls_finished", "URLs that were finished.", labels=("crawl", "outcome"))
        for crawl, pulse in self._pulses.items():
            for outcome, count in sorted(pulse.finished.items()):
                finished.add_metric((crawl, outcome), count)
        yield finished
        for name, what, number in COUNTERS:
            counter = CounterMetricFamily(name, what, labels=("crawl",))
            for crawl, pulse in self._pulses.items():
                counter.add_metric((crawl,), number(pulse))
            yield counter

    def _gauges(self) -> Iterator[Metric]:
        for name, what, number in GAUGES:
            gauge = GaugeMetricFamily(name, what, labels=("crawl",))
            for crawl, pulse in self._pulses.items():
                if (known := number(pulse)) is not None:
                    gauge.add_metric((crawl,), known)
            yield gauge
        urls = GaugeMetricFamily("gossamer_frontier_urls", "URLs by what became of them.", labels=("crawl", "state"))
        held = GaugeMetricFamily("gossamer_hosts_held", "Hosts that an operator holds back.", labels=("crawl", "why"))
        states = GaugeMetricFamily("gossamer_crawl_state", "1 for the state that a crawl is in.", labels=("crawl", "state"))
        for crawl, pulse in self._pulses.items():
            for state in URL_STATES:
                urls.add_metric((crawl, state), getattr(pulse.frontier, state))
            held.add_metric((crawl, "paused"), pulse.hosts_paused)
            held.add_metric((crawl, "blocked"), pulse.hosts_blocked)
            for state in STATES:
                states.add_metric((crawl, state), state == pulse.state)
        yield from (urls, held, states)

    def _responses(self) -> Metric:
        times = HistogramMetricFamily("gossamer_response_seconds", "Seconds until servers answered.", labels=("crawl",))
        for crawl, pulse in self._pulses.items():
            ends = [*map(str, RESPONSE_CLASSES), "+Inf"]
            times.add_metric((crawl,), list(zip(ends, accumulate(pulse.responses), strict=True)), pulse.response_seconds)
        return times


class DoorNumbers:
    """What the door does: requests by route and status, how long until answers began, and its process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "gossamer_api_requests", "Requests to this server.", ("route", "status"), registry=self.registry
        )
        self.seconds = Histogram("gossamer_api_request_seconds", "Seconds until an answer began.", registry=self.registry)
        Info("gossamer_build", "The version that serves.", registry=self.registry).info({"version": version("gossamer")})
        ProcessCollector(registry=self.registry)


class CountedAnswers:
    """Wraps the application: each answer is counted when it begins, so that a stream does not count as slow."""

    def __init__(self, app: ASGIApp, numbers: DoorNumbers) -> None:
        self._app = app
        self._numbers = numbers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        began = perf_counter()

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._numbers.seconds.observe(perf_counter() - began)
                self._numbers.requests.labels(scope.get("path_template") or NO_ROUTE, message["status"]).inc()
            await send(message)

        await self._app(scope, receive, counting)


async def pulses_of(home: Home) -> dict[str, Pulse]:
    """Return the last pulse of each crawl; one that never had any, or cannot be read, has none."""
    names = home.names()
    pulses = await asyncio.gather(*(_glance(home, name) for name in names))
    return {name: pulse for name, pulse in zip(names, pulses, strict=True) if pulse is not None}


async def _glance(home: Home, name: str) -> Pulse | None:
    try:
        return await home.reach(name).glance()
    except GossamerError:
        return None


@get("/metrics", include_in_schema=False, opt={"scope": "read"})
async def metrics(state: State) -> Response[bytes]:
    """Return the numbers of all crawls and of this server, for Prometheus."""
    crawls = CollectorRegistry(auto_describe=False)
    crawls.register(CrawlNumbers(await pulses_of(state.home)))
    numbers: DoorNumbers = state.numbers
    content = generate_latest(crawls) + generate_latest(numbers.registry)
    return Response(content, media_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})
