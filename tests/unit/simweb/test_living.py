"""Living hosts: what changes, when, and what a server that knows says to somebody who has been there."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest

from gossamer.simweb.answers import WireAnswer
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.living.server import ClockPort, LivingPort, WebClock
from gossamer.simweb.living.site import DAY, HOME, LISTS, PAGES, RSS, SITEMAP, LivingSite
from gossamer.simweb.requests import RequestHead, read_head


@dataclass
class Web:
    """Some living hosts, asked without a socket."""

    clock: WebClock = field(default_factory=WebClock)

    def __post_init__(self) -> None:
        self.sites = [LivingSite(name, seed=1) for name in ("one", "two")]
        self.port = LivingPort(self.sites, RequestLedger(), self.clock)

    def get(self, path: str, none_match: str = "", since: str = "", method: str = "GET") -> WireAnswer:
        return self.port.answer(RequestHead(method, "one.living.sim", path, False, "", none_match, since))[0]

    def version(self, path: str) -> int:
        return self.sites[0].version(path, self.clock.time)


def header(answer: WireAnswer, name: str) -> str:
    found = re.search(rf"^{name}: (.*)\r$", answer.head.decode(), re.MULTILINE)
    return found[1] if found else ""


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_changes_as_often_as_its_manner_says_and_its_text_with_it(path: str) -> None:
    site, every = LivingSite("one", seed=1), PAGES[path].every
    times = [step * DAY / 8 for step in range(8 * 60)]
    versions = [site.version(path, time) for time in times]
    assert versions == sorted(versions) and versions[0] in (1, 2)
    assert versions[-1] - 1 == pytest.approx(times[-1] / every, abs=1) if every else set(versions) == {1}
    assert all(site.changed_at(path, time) <= time for time in times)
    came = [site.changed_at(path, time) for time in times]
    assert all(
        (one == two) == (before == after)
        for one, two, before, after in zip(came, came[1:], versions, versions[1:], strict=False)
    )
    assert site.words(path, 1)[0] == site.words(path, 2)[0]
    shared = set(site.words(path, 1)[1].split()) & set(site.words(path, 2)[1].split())
    assert len(shared) < 40, "a new version says nothing new"


def test_the_same_seed_lives_the_same_life_and_another_host_another_one() -> None:
    path = "/lively/both.html"
    lives = [
        [site.changed_at(path, day * DAY) for day in range(1, 20)]
        for site in (LivingSite("one", 1), LivingSite("one", 1), LivingSite("two", 1))
    ]
    assert lives[0] == lives[1] != lives[2]


def test_who_has_been_there_is_told_that_nothing_changed_until_something_does(web: Web) -> None:
    for path, manner in PAGES.items():
        first = web.get(path)
        tag, date = header(first, "ETag"), header(first, "Last-Modified")
        assert (bool(tag), bool(date)) == (manner.tag, manner.dated)
        again = web.get(path, tag, date)
        assert again.status == (304 if tag or date else 200), path
        if again.status == 304:
            assert again.body == b"" and (header(again, "ETag"), header(again, "Last-Modified")) == (tag, date)
            assert "Content-Length" not in again.head.decode()
            web.clock.advance(41 * DAY)
            changed = web.get(path, tag, date)
            assert changed.status == (200 if manner.every else 304)
            assert changed.version == web.version(path)


def test_a_tag_decides_before_a_date_and_a_date_that_is_none_decides_nothing(web: Web) -> None:
    path = "/still/both.html"
    first = web.get(path)
    tag, date = header(first, "ETag"), header(first, "Last-Modified")
    assert web.get(path, '"other"', date).status == 200
    assert web.get(path, f'"other", W/{tag}').status == web.get(path, "*").status == 304
    assert web.get(path, since="Thu, 01 Jan 1970 00:00:00 GMT").status == web.get(path, since="yesterday").status == 200
    assert web.get("/still/bare.html", "*", "Thu, 01 Jan 2099 00:00:00 GMT").status == 200, "it never said what it has"


def test_a_new_time_in_the_footer_is_no_new_version(web: Web) -> None:
    one, two = web.get("/ticking/still.html"), web.get("/ticking/still.html")
    assert one.body != two.body and one.version == two.version == 1
    assert one.body.partition(b"<footer>")[0] == two.body.partition(b"<footer>")[0]
    assert len(one.body) == len(two.body)


def test_a_copy_says_what_its_original_says(web: Web) -> None:
    assert web.get("/still/copy.html").body == web.get("/still/both.html").body
    groups = [entry.group for entry in web.port.entries() if entry.group]
    assert len(groups) == 4 and len(set(groups)) == 2
    assert {entry.url.partition(".sim")[2].partition("/")[2] for entry in web.port.entries()} == {
        path.lstrip("/") for path in (HOME, *PAGES, *LISTS)
    }


def test_lists_say_when_a_page_changed_and_change_with_it(web: Web) -> None:
    told = [path for path, manner in PAGES.items() if manner.told]
    before = {path: web.get(path) for path in LISTS}
    tags = {path: header(before[path], "ETag") for path in LISTS}
    assert {web.get(path, tags[path]).status for path in LISTS} == {304}
    web.clock.advance(13 * DAY)
    assert {web.get(path, tags[path]).status for path in LISTS} == {200}
    dates = {path: web.clock.began + web.sites[0].changed_at(path, web.clock.time) for path in told}
    feed = web.get(RSS).body.decode()
    written = [parsedate_to_datetime(text).timestamp() for text in re.findall("<pubDate>(.*?)</pubDate>", feed)]
    assert written == [int(dates["/lively/tag.html"]), int(dates["/told/by-channel.html"])]
    _, precise, by_day = re.findall("<lastmod>(.*)</lastmod>", web.get(SITEMAP).body.decode())
    assert datetime.fromisoformat(precise).timestamp() == int(dates["/told/by-sitemap.html"])
    assert by_day == f"{datetime.fromtimestamp(dates['/told/day.html'], UTC):%Y-%m-%d}"
    assert f"Sitemap: http://one.living.sim:0{SITEMAP}" in web.get("/robots.txt").body.decode()


def test_what_is_not_there_is_not_found(web: Web) -> None:
    assert web.get("/nothing").status == 404 and web.get(HOME, method="POST").status == 405
    assert web.port.answer(RequestHead("GET", "elsewhere.sim", "/", False, ""))[0].status == 404


@pytest.fixture
async def clock_port() -> AsyncIterator[tuple[ClockPort, WebClock]]:
    clock = WebClock()
    port = ClockPort(clock, set())
    await port.start()
    yield port, clock
    await port.stop()


async def test_the_clock_goes_forward_when_asked_and_only_forward(client, clock_port: tuple[ClockPort, WebClock]) -> None:  # type: ignore[no-untyped-def]
    port, clock = clock_port
    async with client(port.port) as one:
        told = await one.get("clock", "/advance/86400")
        assert told.status == 200 and float(told.wire.rpartition(b"\r\n")[2]) == pytest.approx(clock.time, abs=60)
        assert 86400 <= clock.time < 86500
        statuses = [(await one.get("clock", path)).status for path in ("/advance/-5", "/advance/nan", "/advance/x", "/")]
    assert statuses == [400, 400, 400, 404] and clock.time < 86500


def test_a_host_that_is_down_is_well_again_when_told(web: Web) -> None:
    port = ClockPort(web.clock, web.port.down)
    for order, status in (("down", 500), ("up", 200)):
        port.answer(RequestHead("GET", "clock", f"/{order}/one.living.sim", False, ""))
        assert web.get(HOME).status == web.get("/robots.txt").status == status


async def test_the_ledger_names_the_version_and_the_condition(client) -> None:  # type: ignore[no-untyped-def]
    ledger, clock = RequestLedger(keep=True), WebClock()
    port = LivingPort([LivingSite("one", 1)], ledger, clock)
    await port.start()
    async with client(port.port) as one:
        await one.get("one.living.sim", "/lively/both.html")
        await one.get("one.living.sim", "/robots.txt")
    await port.stop()
    assert [(line.version, line.conditional) for line in ledger.requests] == [
        (port.sites["one.living.sim"].version("/lively/both.html", 0), False),
        (0, False),
    ]


def test_conditions_are_read_from_the_head_of_a_request() -> None:
    head = read_head(b'GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: "x"\r\nif-modified-since: Thu, 01 Jan 1970 00:00:00 GMT')
    assert (head.if_none_match, head.if_modified_since) == ('"x"', "Thu, 01 Jan 1970 00:00:00 GMT")
    assert head.conditional and not read_head(b"GET / HTTP/1.1\r\nHost: a").conditional
