"""Probes: one polite request for what cannot exist; whatever comes of it, the URL keeps its place."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from serving import Site, page, site_running

from gossamer.assemble import make_processors, make_reader_processes, open_requests
from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch, RobotsTxt, Settings
from gossamer.document.body import Body
from gossamer.kv.memory import MemoryKeyValue
from gossamer.policy import soft404
from gossamer.readers.reading import Reader
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Fate, Lease
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Visit
from gossamer.robots.cache import RobotsCache
from gossamer.testing.lessons import leased
from gossamer.url.parse import parse
from gossamer.visit.probe import Prober

CLOCK = SystemClock()
TEXT = " ".join(f"word{number}" for number in range(100))


class Shelf:
    """An archive that only notes what it is given."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    async def append(self, fetched: Fetched, digest: str, original: object) -> None:
        self.kept.append(fetched.url)


class Probing:
    """A prober over a real wire, and what it was given."""

    def __init__(self, prober: Prober, robots: RobotsCache, archive: Shelf) -> None:
        self._prober = prober
        self._robots = robots
        self.archive = archive

    async def send(self, site: Site, path: str = "/a/page", robots: str | None = "") -> Visit:
        """Probe the directory of a page; None: nobody has fetched robots.txt."""
        lease = leased(site.url(path), CLOCK.now())
        if robots is not None:
            await self._robots.consult(lease.entry.url, "us", CLOCK.now())
            answer = Fetched(url=site.url("/robots.txt"), outcome=Outcome.OK, status=200, body=Body.of(robots.encode()))
            await self._robots.learn(lease.entry.url, answer, "us", 1.0, CLOCK.now())
        return await self._prober.send(lease, target(lease))

    async def verdict(self, url: str) -> str:
        return (await self._robots.consult(url, "us", CLOCK.now())).verdict


def target(lease: Lease) -> str:
    url = parse(lease.entry.url)
    return soft404.probe_url(url, soft404.directory_of(url))


async def at_once(step: Callable[..., Awaitable[Any]], *arguments: object) -> Any:
    return await step(*arguments)


@asynccontextmanager
async def probing() -> AsyncIterator[Probing]:
    settings = Settings(fetch=Fetch(allow_private=("127.0.0.0/8",), connect_timeout=5))
    robots, archive, aside = RobotsCache(RobotsTxt(), MemoryKeyValue()), Shelf(), make_reader_processes(settings)
    async with open_requests(settings, CLOCK) as requests:
        reader = Reader(settings, make_processors(settings), aside)
        yield Probing(Prober(settings, requests, robots, archive, reader, at_once, CLOCK), robots, archive)
    await aside.aclose()


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    with site_running({}) as running:
        yield running


@pytest.fixture
def site(server: Site) -> Site:
    """A server that knows no page."""
    server.routes.clear()
    server.asked.clear()
    return server


def probe_path(site: Site) -> str:
    return parse(soft404.probe_url(parse(site.url("/a/page")), "/a/")).path


async def test_a_probe_tells_what_an_honest_host_says(site: Site) -> None:
    async with probing() as probe:
        visit = await probe.send(site)
    assert site.probes == [probe_path(site)], "one request, for what cannot exist"
    assert visit.probe is not None
    directory, found = visit.probe
    assert (directory, found.status, found.url) == ("/a/", 404, site.url(probe_path(site)))
    assert not soft404.is_soft(found)
    settlement = visit.settlement
    assert (settlement.fate, visit.page, settlement.discovered) == (Fate.DEFERRED, None, ()), "the URL keeps its place"
    assert settlement.answer is not None and settlement.answer.failed is False, "the host's turn was used"
    assert probe.archive.kept == [found.url], "every answer is kept"


async def test_a_probe_tells_what_a_soft_404_looks_like(site: Site) -> None:
    status, headers, body = page(title="Sorry")
    site.routes[probe_path(site)] = (status, headers, body + TEXT.encode())
    async with probing() as probe:
        visit = await probe.send(site)
    assert visit.probe is not None
    found = visit.probe[1]
    assert (found.status, found.title, found.length) == (200, "Sorry", len(body) + len(TEXT))
    assert found.simhash is not None and found.words >= 100 and soft404.is_soft(found)
    assert visit.received >= found.length


async def test_a_probe_tells_where_it_was_redirected_to(site: Site) -> None:
    site.routes[probe_path(site)] = (302, {"location": "../home#top"}, b"")
    async with probing() as probe:
        visit = await probe.send(site)
    assert visit.probe is not None
    assert (visit.probe[1].status, visit.probe[1].location) == (302, site.url("/home"))
    assert len(site.probes) == 1, "a redirect is not followed"


async def test_robots_txt_may_deny_a_probe_and_then_it_is_never_sent(site: Site) -> None:
    async with probing() as probe:
        visit = await probe.send(site, robots="User-agent: *\nDisallow: /a/gossamer-probe-\n")
    assert site.asked == []
    assert visit.probe is not None
    assert (visit.probe[1].url, visit.probe[1].status) == (site.url(probe_path(site)), 0), "it is not tried again"
    assert not soft404.is_soft(visit.probe[1])
    assert visit.settlement.answer is None, "the turn is given back"
    assert visit.settlement.fate is Fate.DEFERRED


async def test_a_probe_waits_for_a_robots_txt_that_nobody_has(site: Site) -> None:
    async with probing() as probe:
        visit = await probe.send(site, robots=None)
        assert site.asked == [] and visit.probe is None, "nothing was found out"
        assert (visit.settlement.fate, visit.settlement.answer) == (Fate.DEFERRED, None)
        assert await probe.verdict(site.url("/a/page")) == "ask", "whoever comes next may ask for it"


async def test_an_unreachable_probe_is_the_hosts_failure_and_accuses_nobody() -> None:
    async with probing() as probe:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and nobody listens
            visit = await probe.send(Site(taken.getsockname()[1], {}))
    assert visit.probe is not None and visit.probe[1].status == 0 and not soft404.is_soft(visit.probe[1])
    assert visit.settlement.answer is not None and visit.settlement.answer.failed is True
    assert probe.archive.kept == []


@pytest.mark.parametrize(("status", "seconds"), [(429, 120), (503, 120)])
async def test_a_host_that_asks_for_time_gets_it(site: Site, status: int, seconds: int) -> None:
    site.routes[probe_path(site)] = (status, {"retry-after": str(seconds)}, b"")
    async with probing() as probe:
        before = CLOCK.now()
        visit = await probe.send(site)
    answer = visit.settlement.answer
    assert answer is not None and answer.block_until >= before + seconds
    assert answer.failed is None and visit.probe is not None and not soft404.is_soft(visit.probe[1])


async def test_a_server_error_counts_against_the_host(site: Site) -> None:
    site.routes[probe_path(site)] = (500, {}, b"")
    async with probing() as probe:
        visit = await probe.send(site)
    assert visit.settlement.answer is not None and visit.settlement.answer.failed is True
