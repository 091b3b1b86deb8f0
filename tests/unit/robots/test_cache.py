"""The cache beyond its contract: bounds, races, odd answers."""

import asyncio
import gzip
import threading

import pytest

from gossamer.config.sections import RobotsTxt
from gossamer.document.body import Body
from gossamer.kv.memory import MemoryKeyValue
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.robots import cache as module
from gossamer.robots.cache import RobotsCache
from gossamer.robots.patterns import Group
from gossamer.testing.robots import AGENT, DAY, DENYING, FILE, NOW, PAGE, SETTINGS, answer, ask, verdict


class SlowStore(MemoryKeyValue):
    """Gives way before it answers, as a store behind a socket does, and later when it is told to; counts what is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def get(self, key: bytes) -> bytes | None:
        self.reads += 1
        gate = self.gate
        value = await super().get(key)
        await asyncio.sleep(0)
        await gate.wait()
        return value

    async def put_all(self, pairs: object) -> None:
        await asyncio.sleep(0)
        await super().put_all(pairs)  # type: ignore[arg-type]


def origin(number: int) -> str:
    return f"https://h{number}.test"


async def test_of_many_at_once_exactly_one_asks() -> None:
    robots = RobotsCache(SETTINGS, SlowStore())
    verdicts = await asyncio.gather(*(verdict(robots, f"{PAGE}{number}") for number in range(50)))
    assert sorted(verdicts) == ["ask"] + ["wait"] * 49


async def test_a_row_read_before_the_answer_does_not_undo_it() -> None:
    kv = SlowStore()
    robots = RobotsCache(SETTINGS, kv)
    kv.gate = shut = asyncio.Event()
    reading = asyncio.create_task(verdict(robots))
    while not kv.reads:
        await asyncio.sleep(0)
    kv.gate = asyncio.Event()
    kv.gate.set()
    await robots.learn(PAGE, answer(DENYING), AGENT, 1.0, NOW)
    shut.set()
    assert await reading == "denied"
    assert await verdict(robots) == "denied"


async def test_memory_holds_no_more_origins_than_it_may_and_the_store_all() -> None:
    kv = SlowStore()
    robots = RobotsCache(SETTINGS, kv, size=3)
    for number in range(10):
        await ask(robots, answer(DENYING, url=f"{origin(number)}/robots.txt"), page=f"{origin(number)}/private")
    assert len(robots._recent) == 3
    assert [await verdict(robots, f"{origin(number)}/private") for number in range(10)] == ["denied"] * 10
    kv.reads = 0
    assert await verdict(robots, f"{origin(9)}/private") == "denied"
    assert kv.reads == 0, "the last used are in memory"


async def test_memory_holds_no_more_rules_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RULES_KEPT", 1000)
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    text = "User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(300))
    for number in range(10):
        await ask(robots, answer(text), page=f"{origin(number)}/x")
        await robots.consult(f"{origin(number)}/x", "egret", NOW)
    assert robots._rules == sum(cached.rules for cached in robots._recent.values()) <= 1000


async def test_lost_askers_are_forgotten() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue(), size=5)
    for number in range(100):
        await verdict(robots, f"{origin(number)}/", NOW + number * 1000)
    assert len(robots._asking) <= 6


@pytest.mark.parametrize(("good", "then"), [(answer(DENYING), "denied"), (answer(status=404), "allowed")])
async def test_a_late_failure_does_not_undo_a_good_answer(good: Fetched, then: str) -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, good)
    for _ in range(SETTINGS.times):
        learned = await robots.learn(PAGE, answer(status=500), AGENT, 1.0, NOW + 70)
        assert learned.block_until == 0.0
    assert await verdict(robots, now=NOW + DAY - 1) == then
    assert await verdict(robots, now=NOW + DAY) == "ask"


async def test_rules_hold_on_through_every_failure_and_are_asked_for_again_a_day_later() -> None:
    robots, now = RobotsCache(SETTINGS, MemoryKeyValue()), NOW + DAY + 1
    await ask(robots, answer(DENYING))
    for wait in (10.0, 30.0, 0.0):
        await ask(robots, answer(outcome=Outcome.CONNECT_FAILED), now)
        assert (await robots.consult(PAGE, AGENT, now)).reason == because(Rule.ROBOTS_TXT, line="disallow: /private")
        now += wait
    assert await verdict(robots, now=now + DAY - 1) == "denied"
    assert await verdict(robots, now=now + DAY) == "ask"


async def test_an_absence_does_not_hold_on_when_the_host_fails() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, answer(status=404))
    now = NOW + DAY
    for _ in range(SETTINGS.times - 1):
        now = (await ask(robots, answer(status=500), now)).block_until
    await ask(robots, answer(status=500), now)
    assert await verdict(robots, now=now) == "denied"


async def test_a_failure_after_a_redirect_begins_at_the_origin_again() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, answer(status=302, location="https://hop.test/r"))
    learned = await ask(robots, answer(outcome=Outcome.TIMED_OUT, url="https://hop.test/r"))
    assert (await robots.consult(PAGE, AGENT, learned.block_until)).ask == FILE


@pytest.mark.parametrize("location", ["", "mailto:x@y.test", "http://[", "ftp://a.test/robots.txt", "javascript:1"])
async def test_a_redirect_that_leads_nowhere_is_no_file(location: str) -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, answer(status=301, location=location))
    assert await verdict(robots) == "allowed"


async def test_an_address_that_is_refused_is_not_asked_for_again() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    learned = await ask(robots, answer(outcome=Outcome.ADDRESS_REFUSED, detail="10.0.0.1 is private"))
    assert learned.block_until == 0.0
    denied = await robots.consult(PAGE, AGENT, NOW)
    assert (denied.verdict, str(denied.reason)) == ("denied", "robots.txt unreachable: address_refused, 10.0.0.1 is private")
    assert denied.outcome is Outcome.ADDRESS_REFUSED, "a host that may not be contacted has no robots.txt to deny anything"


async def test_a_cancelled_request_counts_for_nothing() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    for _ in range(5):
        learned = await ask(robots, answer(outcome=Outcome.CANCELLED))
        assert learned.block_until == 0.0
    assert await verdict(robots) == "ask"


async def test_a_wait_between_two_attempts_says_until_when() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    learned = await ask(robots, answer(status=500))
    waiting = await robots.consult(PAGE, AGENT, NOW)
    assert (waiting.verdict, waiting.due) == ("wait", learned.block_until)


async def test_a_host_without_delay_is_not_asked_again_at_once() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    assert (await ask(robots, answer(status=500), delay=0.0)).block_until == NOW + 1.0


async def test_the_file_is_read_without_its_codings() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    packed = gzip.compress(DENYING.encode())
    body = Body.of(f"{len(packed):x}\r\n".encode() + packed + b"\r\n0\r\n\r\n")
    headers = (("content-encoding", "gzip"),)
    await ask(robots, Fetched(url=FILE, outcome=Outcome.OK, status=200, headers=headers, body=body, chunked=True))
    assert await verdict(robots) == "denied"


@pytest.mark.parametrize(
    ("fetched", "allowed"),
    [
        (answer(DENYING, truncated="length"), "denied"),
        (answer(DENYING + "# " + "x" * 600 * 1024, truncated="time"), "denied"),
        (answer("", truncated="length"), "wait"),
        (answer("", status=204), "allowed"),
        (answer(b"\x1f\x8b\x08broken", content_encoding="gzip"), "wait"),
        (answer(gzip.compress(b"User-agent: *\n" + b"Disallow: /\n" * 10**6), content_encoding="gzip"), "denied"),
        (answer(status=0), "wait"),
        (answer(status=999), "wait"),
        (answer(status=304), "allowed"),
    ],
    ids=["cut", "cut-late", "cut-empty", "empty", "broken-gzip", "bomb", "no-status", "odd-status", "304"],
)
async def test_odd_answers(fetched: Fetched, allowed: str) -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, fetched)
    assert await verdict(robots, "https://site.test/private") == allowed


async def test_no_more_of_the_file_is_kept_than_is_read() -> None:
    kv = MemoryKeyValue()
    robots = RobotsCache(RobotsTxt(max_bytes=1024), kv)
    await ask(robots, answer(DENYING + "# " + "x" * 5000 + "\nDisallow: /late\n"))
    assert await verdict(robots, "https://site.test/late") == "allowed"
    assert max([len(value) async for _, value in kv.scan(b"robots/")]) <= 1025


async def test_what_all_origins_of_a_host_say_is_at_one_place() -> None:
    kv = MemoryKeyValue()
    robots = RobotsCache(SETTINGS, kv)
    for origin in ("https://site.test", "http://site.test:8080", "http://site.test.", "http://[2001:db8::1]:81"):
        assert (await robots.consult(f"{origin}/", "us", NOW)).verdict == "ask"
        await robots.learn(f"{origin}/", answer(DENYING), "us", 1.0, NOW)
        await robots.keep([f"{origin}/"])
    places = [place async for place, key, _ in kv.walk("") if key.startswith(b"state/")]
    assert places == ["robots/2001:db8::1", "robots/site.test", "robots/site.test", "robots/site.test"]
    for origin in ("https://site.test", "http://site.test:8080", "http://[2001:db8::1]:81"):
        assert (await RobotsCache(SETTINGS, kv).consult(f"{origin}/private", "us", NOW)).verdict == "denied"


async def test_a_row_that_cannot_be_read_is_asked_for_again() -> None:
    kv = MemoryKeyValue()
    await kv.at("robots/site.test").put(b"state/https://site.test", b"\x93\x01nonsense")
    assert await verdict(RobotsCache(SETTINGS, kv)) == "ask"


async def test_a_peek_tells_what_is_known_however_old() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    await ask(robots, answer(DENYING))
    assert (await robots.peek(PAGE, AGENT, NOW + 30 * DAY)).verdict == "denied"


async def test_sitemaps_are_relative_to_where_the_file_was_found_and_only_of_the_web() -> None:
    robots = RobotsCache(SETTINGS, MemoryKeyValue())
    text = "Sitemap: map.xml\nSitemap: ftp://site.test/x\nSitemap: mailto:a@b\nSitemap: http://[\nSitemap: /a/../map.xml\n"
    learned = await ask(robots, answer(text, url="https://cdn.test/robots.txt"))
    assert learned.sitemaps == ("https://cdn.test/map.xml",)


@pytest.mark.parametrize(
    ("page", "asked"),
    [
        ("http://site.test:8080/a/b?c", "http://site.test:8080/robots.txt"),
        ("https://[2001:db8::1]/", "https://[2001:db8::1]/robots.txt"),
        ("ftp://site.test/pub/", "ftp://site.test/robots.txt"),
    ],
)
async def test_robots_txt_is_at_the_root_of_the_origin(page: str, asked: str) -> None:
    assert (await RobotsCache(SETTINGS, MemoryKeyValue()).consult(page, AGENT, NOW)).ask == asked


async def test_a_long_url_is_judged_by_thousands_of_patterns_while_the_loop_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    robots, threads = RobotsCache(SETTINGS, MemoryKeyValue()), []
    judge = Group.judge
    monkeypatch.setattr(Group, "judge", lambda group, url: (threads.append(threading.get_ident()), judge(group, url))[1])
    lines = "".join(f"Disallow: /*{'a' * 40}b{number}{'a' * 40}\n" for number in range(5_000))
    await robots.consult(PAGE, AGENT, NOW)
    await robots.learn(PAGE, answer(b"User-agent: *\n" + lines.encode()), AGENT, 1.0, NOW)
    assert await verdict(robots) == "allowed"
    assert await verdict(robots, f"{PAGE}{'a' * 1_900}") == "allowed"
    assert await verdict(robots, f"{PAGE}{'a' * 1_000}b4999{'a' * 900}") == "denied"
    assert [thread == threading.get_ident() for thread in threads] == [True, False, False]
