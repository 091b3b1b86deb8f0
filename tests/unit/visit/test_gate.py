"""The gate: what a page that is kept already is put off for, and what ends a URL for good."""

from types import SimpleNamespace

import pytest

from gossamer.config.load import load
from gossamer.document.body import Body
from gossamer.records.consultation import Consultation, Learned
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched
from gossamer.records.host import HostClock
from gossamer.records.lease import Fate, Lease
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Lesson, Visit
from gossamer.testing.clock import VirtualClock
from gossamer.visit.gate import Gate

NOW = 1_700_000_000.0
LATER = NOW + 500
ENTRY = Entry("http://a/", "http://a/", "a")
KEPT = Page(url="http://a/", key="http://a/", host="a", outcome=Outcome.OK, digest="sha1:A", place=Place("f", 0, 1))
GIVEN_UP = HostClock(given_up_until=LATER, block_reason=because(Rule.POLITENESS_THROTTLED, status=500))
OUT_OF_REACH = Consultation(
    verdict="denied", reason=because(Rule.ROBOTS_UNREACHABLE, detail="status 503"), due=LATER, outcome=Outcome.ROBOTS_DENIED
)
DISALLOWED = Consultation(
    verdict="denied", reason=because(Rule.ROBOTS_TXT, line="Disallow: /"), due=None, outcome=Outcome.ROBOTS_DENIED
)


async def turned_away(
    previous: Page | None, clock: HostClock = HostClock(), consultation: Consultation = OUT_OF_REACH, forever: bool = True
) -> Visit:
    """Return how a visit ends at the gate."""

    async def consult(url: str, agent: str, now: float) -> Consultation:
        return consultation

    robots, requests = SimpleNamespace(consult=consult), SimpleNamespace(agent=lambda lease: "")
    settler = SimpleNamespace(until_room=None)
    settings = load((), {"crawl.forever": forever}, {})
    gate = Gate(settings, None, robots, None, None, requests, settler, None, VirtualClock(NOW))  # type: ignore[arg-type]
    lease = Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300, again=previous is not None, clock=clock)
    visit = await gate.turn_away(lease, Lesson(previous=previous))
    assert visit is not None and visit.page is not None
    return visit


@pytest.mark.parametrize(("clock", "outcome"), [(GIVEN_UP, Outcome.BREAKER_OPEN), (HostClock(), Outcome.ROBOTS_DENIED)])
async def test_a_page_that_is_kept_outlives_the_troubles_of_its_host(clock: HostClock, outcome: Outcome) -> None:
    visit = await turned_away(KEPT, clock)
    assert (visit.settlement.fate, visit.settlement.due, visit.settlement.outcome) == (Fate.AGAIN, LATER, outcome)
    assert visit.page is not None and (visit.page.place, visit.page.digest) == (KEPT.place, KEPT.digest)
    for previous, forever in ((None, True), (KEPT, False)):
        ended = await turned_away(previous, clock, forever=forever)
        assert (ended.settlement.fate, ended.settlement.outcome) == (Fate.DEAD, outcome)


async def test_a_page_that_may_not_be_fetched_any_more_leaves_the_cycle() -> None:
    visit = await turned_away(KEPT, consultation=DISALLOWED)
    assert (visit.settlement.fate, visit.settlement.outcome) == (Fate.DEAD, Outcome.ROBOTS_DENIED)


async def asked(fetched: Fetched, ask: str = "http://a/robots.txt") -> tuple[Visit, list[str]]:
    """Return how a visit ends whose turn is spent on robots.txt, and what robots.txt was told."""
    told: list[str] = []

    async def consult(url: str, agent: str, now: float) -> Consultation:
        return Consultation(verdict="ask", ask=ask)

    async def learn(*given: object) -> Learned:
        told.append("learn")
        return Learned()

    async def send(*given: object, **named: object) -> Fetched:
        return fetched

    async def done(*given: object) -> None:
        pass

    async def reserve(worker: str, host: str, now: float) -> Lease:
        return Lease(token=2, worker=worker, entry=Entry("", "", host), leased_at=now, until=now + 300)

    robots = SimpleNamespace(consult=consult, learn=learn, release=lambda url: told.append("release"))
    requests = SimpleNamespace(agent=lambda lease: "", send=send)
    settler, frontier = SimpleNamespace(until_room=done), SimpleNamespace(reserve=reserve, settle=done)
    admission = SimpleNamespace(admit=lambda links, entry: ())
    archive = SimpleNamespace(append=None)
    gate = Gate(load((), {}, {}), frontier, robots, archive, admission, requests, settler, None, VirtualClock(NOW))  # type: ignore[arg-type]
    lease = Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300)
    visit = await gate.turn_away(lease, Lesson())
    assert visit is not None and visit.settlement.fate is Fate.DEFERRED
    return visit, told


@pytest.mark.parametrize("ask", ["http://a/robots.txt", "http://b/robots.txt"])
async def test_a_robots_txt_is_closed_when_it_was_read(ask: str) -> None:
    body = Body.of(b"User-agent: *")
    visit, told = await asked(Fetched(url=ask, outcome=Outcome.OK, status=200, body=body), ask)
    assert (told, visit.received, body.size) == (["learn"], 13, 0)


@pytest.mark.parametrize("ask", ["http://a/robots.txt", "http://b/robots.txt"])
async def test_a_robots_txt_that_has_to_be_asked_for_again_teaches_nothing(ask: str) -> None:
    unsent = Fetched(url=ask, outcome=Outcome.DEFERRED, detail="left alone", body=Body(), sent=False)
    visit, told = await asked(unsent, ask)
    assert told == ["release"] and visit.settlement.answer is None and str(visit.settlement.reason) == "left alone"


@pytest.mark.parametrize("is_checked", [True, False])
async def test_a_site_that_is_only_linked_is_sent_no_probe(is_checked: bool) -> None:
    sent: list[str] = []

    async def consult(url: str, agent: str, now: float) -> Consultation:
        return Consultation(verdict="allowed")

    async def send(lease: Lease, url: str, jar: object) -> None:
        sent.append(url)

    robots, requests = SimpleNamespace(consult=consult), SimpleNamespace(agent=lambda lease: "")
    settler, prober = SimpleNamespace(until_room=None), SimpleNamespace(send=send)
    admission = SimpleNamespace(is_checked=lambda entry: is_checked)
    gate = Gate(load((), {}, {}), None, robots, None, admission, requests, settler, prober, VirtualClock(NOW))  # type: ignore[arg-type]
    lease = Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300)
    assert await gate.turn_away(lease, Lesson(probe_url="http://a/nothing")) is None
    assert sent == ([] if is_checked else ["http://a/nothing"])
