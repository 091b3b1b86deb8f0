"""A session: what a worker holds is given back when it is gone, and errors reach the end where they belong."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from wiring import Exact, Near, Wire, wired

from gossamer.config.sections import Breaker, FrontierSettings, Politeness, RobotsTxt, Traps
from gossamer.dedupe.exact import ExactDeduper
from gossamer.dedupe.near import NearIndex
from gossamer.document.body import Body
from gossamer.errors import ENDING, DiskFull, GossamerError, StoreError
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome, State
from gossamer.records.page import Original, Page
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Lesson, Visit
from gossamer.remote import wire as messages
from gossamer.remote.client import (
    RemoteClaims,
    RemoteCommits,
    RemoteFrontier,
    RemoteLessons,
    RemoteRobots,
)
from gossamer.robots.cache import RobotsCache

NOW = 1_000.0
URL = "http://a.example/1"
ME = Original(URL, URL, NOW)
TEXT = Likeness(2**64 - 1, 500, (1, 2**32 - 1))
THIRD = Original("http://a.example/3", "http://a.example/3", NOW)
OTHER = Original("http://a.example/2", "http://a.example/2", NOW)


def frontier() -> MemoryFrontier:
    return MemoryFrontier(FrontierSettings(), Politeness(delay=0), Breaker(), 300, NOW)


async def leased(wire: Wire, behind: MemoryFrontier) -> Lease:
    """Lease a URL over the wire, as a node grants it."""
    await behind.discover([Entry(URL, URL, "a.example")], NOW)
    (lease,) = (await RemoteFrontier(wire.connection).lease("worker", 5, NOW)).leases
    wire.session.out.add(lease)
    return lease


def visit(lease: Lease) -> Visit:
    page = Page(url=URL, key=URL, host="a.example", outcome=Outcome.OK, title="t")
    settlement = Settlement(
        lease=lease, fate=Fate.DONE, outcome=Outcome.OK, reason=because(Rule.HTTP_STATUS, status=404), discovered=(lease.entry,)
    )
    return Visit(settlement=settlement, page=page, claim=("sha1:A", ME), learned="http://a.example/", received=9)


async def test_what_a_dead_worker_held_is_given_back() -> None:
    behind, robots, deduper = frontier(), RobotsCache(RobotsTxt(), MemoryKeyValue()), ExactDeduper(MemoryKeyValue())
    async with wired() as wire:
        wire.serve(frontier=behind, robots=robots, deduper=deduper)
        await leased(wire, behind)
        assert (await RemoteRobots(wire.connection).consult(URL, "us", NOW)).verdict == "ask"
        assert await Exact(RemoteClaims(wire.connection)).claim("sha1:A", ME) is None
        assert (await robots.consult(URL, "us", NOW)).verdict == "wait"
        assert await deduper.claim("sha1:A", OTHER) == ME
        assert await wire.session.abandon(NOW) == 1
        known = await behind.lookup(URL)
        assert known is not None and (known.state, known.returns) == (State.WAITING, 1)
        assert (await robots.consult(URL, "us", NOW)).verdict == "ask"
        assert await deduper.claim("sha1:A", OTHER) is None


async def test_the_text_that_a_dead_worker_claimed_is_given_back_unless_it_is_committed() -> None:
    behind, near = frontier(), NearIndex(MemoryKeyValue())
    async with wired() as wire:
        wire.serve(frontier=behind, deduper=ExactDeduper(MemoryKeyValue()), near=near)
        remote = Near(RemoteClaims(wire.connection))
        lease = await leased(wire, behind)
        for likeness, page in ((TEXT, ME), (replace(TEXT, simhash=0), OTHER)):
            assert await remote.claim(likeness, page) is None
        assert await remote.claim(TEXT, THIRD) == (ME, 0)
        await RemoteCommits(wire.connection).commit([replace(visit(lease), likeness=TEXT)])
        await near.commit([(TEXT, ME)])
        await wire.session.abandon(NOW)
        assert await near.claim(replace(TEXT, simhash=0), THIRD) is None, "nobody has what the dead worker had"
        assert await near.claim(TEXT, OTHER) == (ME, 0), "but what is durable stays"


async def test_a_text_that_its_worker_gives_back_is_free_at_once() -> None:
    near = NearIndex(MemoryKeyValue())
    async with wired() as wire:
        wire.serve(near=near)
        remote = Near(RemoteClaims(wire.connection))
        assert await remote.claim(TEXT, ME) is None
        remote.release(TEXT, ME)
        assert await remote.claim(TEXT, OTHER) is None
        remote.release(TEXT, OTHER)
        await wire.connection.aclose()
        await wire.session.gone.wait()
        assert wire.session._texts == {} and await near.claim(TEXT, THIRD) is None


async def test_what_was_learned_is_told_with_the_lease_and_once() -> None:
    behind, book = frontier(), LessonBook(MemoryKeyValue(), Traps(probe_after=0), 50)
    await book.rule("a.example", "t", "/{n}", Ruling.BLOCK)
    async with wired() as wire:
        wire.serve(frontier=behind, lessons=book)
        other = "http://a.example/x"
        await behind.discover([Entry(URL, URL, "a.example", kind=LinkKind.ANCHOR), Entry(other, other, "a.example")], NOW)
        remote, lessons = RemoteFrontier(wire.connection), RemoteLessons(wire.connection)
        told = {}
        for _ in range(2):
            (lease,) = (await remote.lease("worker", 1, NOW)).leases
            (told[lease.entry.url],) = await lessons.consult([lease])
            await behind.settle(
                [Settlement(lease=lease, fate=Fate.DEAD, outcome=Outcome.TRAP, reason=because(Rule.HTTP_STATUS, status=404))],
                NOW,
            )
    refused = told[URL].refused
    assert refused is not None and (refused.rule, refused.outcome) == ("traps.template", Outcome.TRAP)
    assert told[other].probe_url.startswith("http://a.example/gossamer-probe-")
    assert wire.connection.lessons == {}, "what is told is not kept"


async def test_what_visits_taught_arrives_whole() -> None:
    behind = frontier()
    async with wired() as wire:
        wire.serve(frontier=behind)
        lease = await leased(wire, behind)
        sent = replace(
            visit(lease), likeness=TEXT, twin=(OTHER, ME, 2), probe=("/", Probe(url=URL, status=200)), suspicious=True
        )
        assert await RemoteCommits(wire.connection).commit([sent]) is True
        assert wire.committed.visits == [sent]


async def test_a_robots_txt_whose_sitemaps_died_with_the_worker_is_asked_for_again() -> None:
    behind, robots = frontier(), RobotsCache(RobotsTxt(), MemoryKeyValue())
    async with wired() as wire:
        wire.serve(frontier=behind, robots=robots, deduper=ExactDeduper(MemoryKeyValue()))
        lease = await leased(wire, behind)
        remote = RemoteRobots(wire.connection)
        for is_committed in (True, False):
            assert (await remote.consult(URL, "us", NOW)).verdict == "ask"
            answer = Fetched(url="http://a.example/robots.txt", outcome=Outcome.OK, status=200, body=Body.of(b""))
            await remote.learn(URL, answer, "us", 1.0, NOW)
            if is_committed:
                await RemoteCommits(wire.connection).commit([replace(visit(lease), learned=URL)])
                assert (await robots.consult(URL, "us", NOW)).verdict == "allowed"
                robots.forget(URL)
        await wire.session.abandon(NOW)
        assert (await robots.consult(URL, "us", NOW)).verdict == "ask"


async def test_a_visit_arrives_whole_with_the_lease_the_node_has_kept() -> None:
    behind = frontier()
    async with wired() as wire:
        wire.serve(frontier=behind)
        lease = await leased(wire, behind)
        assert await RemoteCommits(wire.connection).commit([visit(lease)]) is True
        assert wire.committed.visits == [visit(lease)]
        assert len(wire.session.out) == 0


async def test_a_visit_whose_lease_the_node_has_forgotten_changes_nothing() -> None:
    behind = frontier()
    async with wired() as wire:
        wire.serve(frontier=behind)
        lease = await leased(wire, behind)
        wire.session.out.end_expired(lease.until)
        assert await RemoteCommits(wire.connection).commit([visit(lease)]) is False
        assert wire.committed.visits == []


async def test_robots_txt_that_is_known_is_told_with_the_lease() -> None:
    behind = frontier()
    robots = RobotsCache(RobotsTxt(obey=False), MemoryKeyValue())
    async with wired() as wire:
        wire.serve(frontier=behind, robots=robots)
        await leased(wire, behind)
        wire.serve(frontier=behind)
        remote = RemoteRobots(wire.connection)
        assert (await remote.consult(URL, "us", NOW)).reason == because(Rule.ROBOTS_OFF)
        assert (await remote.consult(URL, "us", NOW)).verdict == "ask"


async def test_an_error_of_the_node_is_raised_where_it_was_asked_for() -> None:
    class Full:
        async def claim(self, digest: str, page: Original) -> None:
            raise DiskFull("no space is left for the state")

    async with wired() as wire:
        wire.serve(deduper=Full())
        with pytest.raises(DiskFull, match="no space is left for the state"):
            await Exact(RemoteClaims(wire.connection)).claim("sha1:A", ME)
        assert wire.session.failure is None


async def test_a_bug_of_the_node_reaches_the_visit_it_strikes_and_is_told_there() -> None:
    class Broken:
        async def claim(self, digest: str, page: Original) -> None:
            raise ZeroDivisionError("a bug")

    async with wired() as wire:
        wire.serve(deduper=Broken())
        for _ in range(2):
            with pytest.raises(GossamerError, match="ZeroDivisionError: a bug") as raised:
                await Exact(RemoteClaims(wire.connection)).claim("sha1:A", ME)
            assert not isinstance(raised.value, ENDING)
        assert wire.session.failure is None
        assert [type(error) for error in wire.bugs] == [ZeroDivisionError] * 2


async def test_a_bug_in_what_was_learned_costs_the_lease_it_strikes() -> None:
    class Broken:
        async def consult(self, leases: Sequence[Lease]) -> list[Lesson]:
            if any(lease.entry.url == OTHER.url for lease in leases):
                raise ZeroDivisionError
            return [Lesson() for _ in leases]

    behind = MemoryFrontier(FrontierSettings(), Politeness(delay=0, connections=3), Breaker(), 300, NOW)
    await behind.discover([Entry(page.url, page.key, "a.example") for page in (ME, OTHER, THIRD)], NOW)
    async with wired() as wire:
        wire.serve(frontier=behind, lessons=Broken())
        leases = {lease.entry.url: lease for lease in (await RemoteFrontier(wire.connection).lease("worker", 5, NOW)).leases}
        lessons = RemoteLessons(wire.connection)
        assert [await lessons.consult([leases[page.url]]) for page in (ME, THIRD)] == [[Lesson()], [Lesson()]]
        with pytest.raises(GossamerError, match=r"the trace is in crawl\.log"):
            await lessons.consult([leases[OTHER.url]])


async def test_what_a_worker_says_last_is_heard() -> None:
    async with wired() as wire:
        wire.serve()
        wire.connection.tell(messages.Tell(b"event"))
        wire.connection.fail(StoreError("the disk is gone"))
        await wire.connection.aclose()
        await wire.session.gone.wait()
        assert wire.told == [("worker", b"event")]
        assert isinstance(wire.session.failure, StoreError) and str(wire.session.failure) == "the disk is gone"
    assert type(messages.rebuilt("Unheard", "of")) is GossamerError


async def test_a_worker_is_told_to_stop() -> None:
    async with wired() as wire:
        stopped = asyncio.Event()
        wire.connection.told_to_stop = stopped.set
        wire.session.stop()
        await stopped.wait()
