"""Operations of a crawl: pages of lists, further seeds, lists and settings that are durable, what robots.txt says, links."""

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from gossamer.assemble import Stores, open_stores
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.edges import NOFOLLOW, NUMBERS, pack
from gossamer.errors import ConfigError, CursorError, FixedSetting, NotRunning, TookTooLong, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operate import CHANGED, LOOKING, OPERATIONS, STEERING, carry_out
from gossamer.jobs.operations import cursors, links, urls
from gossamer.records.entry import Entry, LinkKind, Priority
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.run.garbage import collected_seldom
from gossamer.seal import Seal
from gossamer.testing.clock import VirtualClock
from gossamer.testing.holds import held_by
from gossamer.testing.lessons import TRAP, learn, visited
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse

SEED = "http://a.test/"
NOW = 1_700_000_000.0


def asked(place: Path, work: Any, settings: Settings | None = None) -> Any:
    """Open the stores of a crawl, which is made if need be, and do something with them."""
    if not (place / "crawl.json").exists():
        CrawlDirectory.create(place, settings or Settings(), [parse(SEED)], NOW)
    directory = CrawlDirectory.open(place)

    async def opened() -> Any:
        clock = VirtualClock(NOW)
        async with open_stores(place, directory.settings(), directory.seeds(), clock) as stores:
            return await work(stores)

    return asyncio.run(opened())


def ask(stores: Stores, operation: str, **arguments: Any) -> Coroutine[Any, Any, Any]:
    """Carry out an operation of a crawl that does not run."""
    return carry_out(stores, operation, arguments, "test")


async def words(stores: Stores) -> list[dict[str, Any]]:
    """Return what the chronicle tells of operators."""
    return [event.said for event in await stores.chronicle.after("", 100) if event.kind == "word"]


def entry(url: str, **fields: Any) -> Entry:
    return Entry(url, url, parse(url).host, 1, **fields)


def test_every_operation_looks_or_is_told_with_before_and_after() -> None:
    known = {*OPERATIONS, *STEERING}
    assert not OPERATIONS.keys() & STEERING.keys() and not LOOKING & CHANGED.keys()
    assert known == LOOKING | CHANGED.keys() | {"checkpoint"}


# --- lists in pages --------------------------------------------------------------------------------------------------


def test_hosts_come_in_pages_whose_cursors_fit_only_their_question(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        found = [entry(f"http://{name}.test/{number}") for name in "edcba" for number in range(ord(name) - 96)]
        await stores.frontier.discover(found, NOW)
        first = await ask(stores, "hosts", order="name", limit=2)
        second = await ask(stores, "hosts", order="name", limit=2, cursor=first["next"])
        third = await ask(stores, "hosts", order="name", limit=2, cursor=second["next"])
        names = [item["host"] for page in (first, second, third) for item in page["items"]]
        assert names == ["a.test", "b.test", "c.test", "d.test", "e.test"] and third["next"] is None
        assert {item["state"] for item in first["items"]} == {"ready"}
        assert [host["host"] for host in await ask(stores, "busiest", limit=2)] == ["e.test", "d.test"]
        for wrong in ({"order": "waiting"}, {"order": "name", "prefix": "a"}, {"order": "name", "state": "paused"}):
            with pytest.raises(CursorError, match="never gave that cursor"):
                await ask(stores, "hosts", cursor=first["next"], **wrong)
        for cursor in ("x", "!!", "kQ", "9" * 400, "AAAA"):
            with pytest.raises(CursorError):
                await ask(stores, "hosts", cursor=cursor)
        for wrong in ({"order": "size"}, {"state": "asleep"}, {"limit": 0}, {"limit": 501}):
            with pytest.raises(UsageError):
                await ask(stores, "hosts", **wrong)

    asked(tmp_path / "crawl", work)


def test_lessons_come_in_pages_of_any_size_with_all_of_them(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        await stores.frontier.discover([entry("http://a.test/1"), entry("http://b.test/1"), entry("http://c.test/")], NOW)
        await learn(stores.lessons, [visited(url, content="same") for url in TRAP])
        await learn(stores.lessons, [visited("http://b.test/one"), visited("http://b.test/two?x=1")])
        whole = sorted((host, kind, name) for host, kind, name, _ in await stores.lessons.everything())
        assert len({host for host, _, _ in whole}) == 2
        for limit in (1, 3, 100):
            assert sorted(await paged(stores, limit)) == whole
        letters = {"template": "t", "growth": "g"}
        for kind, letter in letters.items():
            assert sorted(await paged(stores, 2, kinds=[kind])) == [row for row in whole if row[1] == letter]
        assert sorted(await paged(stores, 2, name="b.test")) == [row for row in whole if row[0] == "b.test"]
        in_force = await paged(stores, 2, in_force=True)
        assert in_force and {host for host, _, _ in in_force} == {"a.test"} and len(in_force) < len(whole)
        with pytest.raises(UsageError, match="kind of lessons"):
            await ask(stores, "lessons", kinds=["rumour"])

    async def paged(stores: Stores, limit: int, **filters: Any) -> list[tuple[str, str, str]]:
        words = {
            word: letter
            for letter, word in {
                "t": "template",
                "p": "parameter",
                "s": "probe",
                "g": "growth",
                "w": "words",
                "v": "view",
                "h": "habit",
            }.items()
        }
        rows, cursor = [], ""
        while cursor is not None:
            page = await ask(stores, "lessons", limit=limit, cursor=cursor, **filters)
            assert len(page["items"]) <= limit
            rows += [(item["host"], words[item["kind"]], item["name"]) for item in page["items"]]
            cursor = page["next"]
        return rows

    asked(tmp_path / "crawl", work)


def test_no_more_than_a_hundred_urls_are_explained_at_once(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        told = await ask(stores, "explain_all", urls=[f"{SEED}{number}" for number in range(urls.AT_ONCE)])
        assert len(told) == 100 and {one["state"] for one in told} == {"unknown"}
        with pytest.raises(UsageError, match="100 URLs are explained at once, not 101"):
            await ask(stores, "explain_all", urls=[SEED] * 101)

    asked(tmp_path / "crawl", work)


def test_old_urls_found_first_do_not_bend_the_estimate_of_what_is_overdue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 20,000 URLs the first 4,000 are old and important: a sample of the first ones would say that all are."""
    monkeypatch.setattr(urls, "SAMPLE", 2_000)

    async def work(stores: Stores) -> None:
        for start in range(0, 20_000, 1_000):
            is_old = start < 4_000
            found = [
                entry(f"http://a{number % 50}.test/{number}", priority=Priority.HIGH) for number in range(start, start + 1_000)
            ]
            await stores.frontier.discover(found, NOW - 90_000 if is_old else NOW)
        estimates = [await ask(stores, "overdue", seconds=86_400) for _ in range(5)]
        assert all(3_200 <= estimate <= 4_800 for estimate in estimates), estimates  # beyond four standard deviations

    asked(tmp_path / "crawl", work)


def test_what_waits_is_told_by_class_and_by_host(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        found = [entry(f"{SEED}{number}", priority=Priority(number % 3), score=number / 100) for number in range(30)]
        await stores.frontier.discover(found, NOW)
        pending = await ask(stores, "pending")
        assert pending["by_priority"] == {"high": 10, "medium": 10, "low": 10, "last": 0}
        assert (pending["waiting"], pending["leased"], pending["hosts"], pending["later"]) == (30, 0, 1, 0)
        first, *_ = await ask(stores, "waiting_of", host="a.test", limit=5)
        assert (first["url"], first["priority"], first["score"]) == (f"{SEED}27", "high", pytest.approx(0.27))
        assert await ask(stores, "waiting_of", host="nobody.test") == []

    asked(tmp_path / "crawl", work)


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_further_seeds_are_durable_belong_to_the_scope_and_each_bad_one_is_named(tmp_path: Path) -> None:
    place = tmp_path / "crawl"
    texts = [
        "http://b.test/",
        "no url at all",
        "http://a.test/known",
        "file:///etc/hostname",
        "http://b.test/",
        "http://user:secret@c.test/",
        "http://blocked.test/",
        "mailto:somebody@a.test",
    ]

    async def work(stores: Stores) -> None:
        await stores.frontier.discover([entry("http://a.test/known")], NOW)
        foreign = stores.admission.judge(stores.admission.candidate(entry("http://b.test/deep", kind=LinkKind.ANCHOR)))
        assert not foreign.allowed
        told = await ask(stores, "seed", urls=texts, priority="high")
        assert (told["added"], told["known"]) == (1, 2)
        refused = {one["index"]: (one["url"], one["rule"]) for one in told["refused"]}
        assert sorted(refused) == [1, 3, 5, 6, 7] and all(one["reason"] for one in told["refused"])
        assert refused[3] == ("file:///etc/hostname", "scope.schemes")
        assert refused[6] == ("http://blocked.test/", "scope.block_hosts")
        ours = stores.admission.judge(stores.admission.candidate(entry("http://b.test/deep", kind=LinkKind.ANCHOR)))
        assert ours.allowed, ours
        known = await stores.frontier.lookup("http://b.test/")
        assert known is not None and known.priority is Priority.HIGH and known.entry.kind is LinkKind.SEED
        again = await ask(stores, "seed", urls=["http://b.test/"])
        assert again == {"added": 0, "known": 1, "refused": []}
        with pytest.raises(UsageError, match="10,000 URLs"):
            await ask(stores, "seed", urls=["http://b.test/"] * 10_001)

    async def after(stores: Stores) -> None:
        assert stores.admission.judge(stores.admission.candidate(entry("http://b.test/deep", kind=LinkKind.ANCHOR))).allowed

    scope = Settings().scope.model_copy(update={"block_hosts": ("blocked.test",)})
    asked(place, work, Settings().model_copy(update={"scope": scope}))
    assert (place / "seeds.txt").read_text() == "http://a.test/\nhttp://b.test/\nhttp://a.test/known\n"
    asked(place, after)


def test_a_file_is_a_seed_only_where_that_is_allowed(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        told = await ask(stores, "seed", urls=["file:///srv/docs/index.html"], allow_files=True)
        assert told == {"added": 1, "known": 0, "refused": []}
        inside = stores.admission.candidate(entry("file:///srv/docs/other.html", kind=LinkKind.ANCHOR))
        outside = stores.admission.candidate(entry("file:///etc/passwd", kind=LinkKind.ANCHOR))
        assert stores.admission.judge(inside).allowed and not stores.admission.judge(outside).allowed

    asked(tmp_path / "crawl", work)


def test_a_host_that_is_blocked_takes_no_seed_and_says_so(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        await ask(stores, "set_policy", name="b.test", changes={"blocked": True})
        told = await ask(stores, "seed", urls=["http://b.test/"])
        assert (told["added"], [one["index"] for one in told["refused"]]) == (0, [0]), told

    asked(tmp_path / "crawl", work)


# --- papers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["sealed open", "written", "sealed"])
@pytest.mark.parametrize("what", ["seeds", "settings"])
def test_a_kill_at_any_point_of_a_change_leaves_a_crawl_that_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, point: str
) -> None:
    place = tmp_path / "crawl"
    directory = CrawlDirectory.create(place, Settings(), [parse(SEED)], NOW)

    class Killed(BaseException):
        """The process ends here."""

    def die(*words: Any, **named: Any) -> None:
        raise Killed

    def change() -> None:
        if what == "seeds":
            directory.add_seeds([parse("http://b.test/")])
        else:
            directory.change_settings({"crawl.max_pages": 7})

    if point == "sealed open":
        monkeypatch.setattr("gossamer.jobs.directory.write_whole", die)
    elif point == "written":
        monkeypatch.setattr(CrawlDirectory, "_seal_papers", die)
    if point == "sealed":
        change()
    else:
        with pytest.raises(Killed):
            change()
    opened = CrawlDirectory.open(place)
    is_changed = point != "sealed open"
    assert len(opened.seeds()) == 1 + (is_changed and what == "seeds")
    assert opened.settings().crawl.max_pages == (7 if is_changed and what == "settings" else None)
    assert Seal(place / "crawl.seal").is_closed is (point == "sealed")
    monkeypatch.undo()
    directory.add_seeds([parse("http://c.test/")])
    assert Seal(place / "crawl.seal").is_closed
    (place / "seeds.txt").write_text("http://evil.test/\n")
    with pytest.raises(Exception, match="damaged"):
        CrawlDirectory.open(place)


def test_whoever_opens_a_crawl_while_its_papers_change_finds_it_sound(tmp_path: Path) -> None:
    directory = CrawlDirectory.create(tmp_path / "crawl", Settings(), [parse(SEED)], NOW)
    failures: list[BaseException] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.is_set():
            try:
                CrawlDirectory.open(directory.path).seeds()
            except Exception as error:  # noqa: BLE001 - told below
                failures.append(error)

    looking = threading.Thread(target=look)
    looking.start()
    for number in range(60):
        directory.add_seeds([parse(f"http://{number}.test/")])
        directory.change_settings({"crawl.max_pages": number + 1})
    is_over.set()
    looking.join()
    assert not failures and len(CrawlDirectory.open(directory.path).seeds()) == 61


def test_settings_that_count_for_the_next_run_are_refused_by_name_where_they_cannot(tmp_path: Path) -> None:
    place = tmp_path / "crawl"

    async def work(stores: Stores) -> None:
        told = await ask(stores, "change_settings", changes={"crawl.max_pages": 50, "politeness.delay": "3s"})
        assert told == {
            "changed": {
                "crawl.max_pages": {"before": None, "after": 50},
                "politeness.delay": {"before": Settings().politeness.delay, "after": 3.0},
            }
        }
        await ask(stores, "change_settings", changes={"crawl.max_pages": None})
        for name in ("storage.kv", "key.drop_fragment", "frontier.uri", "crawl.order"):
            with pytest.raises(FixedSetting, match=name):
                await ask(stores, "change_settings", changes={name: "x"})
        for wrong in ({"crawl.max_page": 1}, {"crawl.max_pages": -1}, {"crawl.max_pages": "many"}):
            with pytest.raises(ConfigError):
                await ask(stores, "change_settings", changes=wrong)
        shown = await ask(stores, "settings")
        assert shown["settings"]["politeness.delay"] == 3.0 and "politeness.delay" in shown["changeable"]
        assert "storage.kv" not in shown["changeable"] and shown["this_run"] == {}

    asked(place, work)
    assert CrawlDirectory.open(place).settings().politeness.delay == 3.0
    assert CrawlDirectory.open(place).settings().crawl.max_pages is None


def test_a_list_is_changed_whole_or_not_at_all_and_no_pattern_may_take_long(tmp_path: Path) -> None:
    place = tmp_path / "crawl"

    async def work(stores: Stores) -> None:
        told = await ask(stores, "change_list", kind="block", add=["b.test", r"/[?&]sort=/", "b.test"])
        assert told == {"kind": "block", "patterns": ["b.test", "/[?&]sort=/"], "file": ""}
        with pytest.raises(ConfigError, match="look-around"):
            await ask(stores, "change_list", kind="block", add=["c.test", "/(?=x)y/"], remove=["b.test"])
        for wrong in ("two\nlines", "", "# a comment", "http://[bad/"):
            with pytest.raises(ConfigError):
                await ask(stores, "change_list", kind="block", add=[wrong])
        with pytest.raises(UsageError):
            await ask(stores, "change_list", kind="block", add=["x" * 2_001])
        with pytest.raises(UsageError, match="no list 'deny'"):
            await ask(stores, "lists", kind="deny")
        assert (await ask(stores, "lists", kind="block"))["patterns"] == ["b.test", "/[?&]sort=/"]
        told = await ask(stores, "change_list", kind="block", remove=["b.test"])
        assert told["patterns"] == ["/[?&]sort=/"]

    async def after(stores: Stores) -> None:
        verdict = stores.admission.judge(stores.admission.candidate(entry("http://a.test/?sort=up", kind=LinkKind.ANCHOR)))
        assert verdict.rule == "scope.block_file"
        await ask(stores, "change_list", kind="block", remove=["/[?&]sort=/"])

    async def at_last(stores: Stores) -> None:
        assert stores.admission.judge(stores.admission.candidate(entry("http://a.test/?sort=up", kind=LinkKind.ANCHOR))).allowed

    asked(place, work)
    asked(place, after)
    asked(place, at_last)


# --- robots, links, steering -----------------------------------------------------------------------------------------


def test_robots_txt_is_told_from_the_cache_with_the_line_that_decides(tmp_path: Path) -> None:
    text = "User-agent: other\nDisallow: /\n\nUser-agent: *\nAllow: /open\nDisallow: /\nCrawl-delay: 7\nSitemap: /map.xml\n"

    async def work(stores: Stores) -> None:
        assert await ask(stores, "robots", host="a.test") is None
        assert await ask(stores, "decides", host="a.test", path="/") is None
        fetched = Fetched(url="http://a.test/robots.txt", outcome=Outcome.OK, status=200, body=Body.of(text.encode()))
        await stores.robots.consult("http://a.test/", stores.user_agent, NOW)
        await stores.robots.learn("http://a.test/", fetched, stores.user_agent, 1.0, NOW)
        told = await ask(stores, "robots", host="a.test")
        assert (told["agent"], told["allow"], told["disallow"]) == ("*", ["/open"], ["/"])
        assert (told["crawl_delay"], told["sitemaps"], told["status"]) == (7.0, ["/map.xml"], 200)
        assert (told["source"], told["fetched_at"], told["origin"]) == (text, NOW, "http://a.test")
        assert await ask(stores, "robots", host="a.test:8080") is None
        denied, allowed = [await ask(stores, "decides", host="http://a.test", path=path) for path in ("/x", "/open/1")]
        assert (denied["verdict"], denied["line"]) == ("denied", "disallow: /")
        assert (allowed["verdict"], allowed["line"]) == ("allowed", "allow: /open")
        await ask(stores, "set_policy", name="a.test", changes={"user_agent": "other/1.0"})
        assert (await ask(stores, "robots", host="a.test"))["agent"] == "other"

    asked(tmp_path / "crawl", work)


def test_the_links_of_a_page_are_told_in_both_directions_with_what_became_of_them(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        pages = [f"{SEED}{number}" for number in range(7)]
        await stores.frontier.discover([entry(url) for url in pages], NOW)
        names = [fingerprint(url) for url in pages]
        anchor = NUMBERS[LinkKind.ANCHOR]
        await stores.graph.put([(names[0], pack([*names[1:], 99], [anchor] * 6 + [anchor | NOFOLLOW]))])
        await stores.graph.put([(name, pack([names[0]], [anchor])) for name in names[1:]])
        first = await ask(stores, "links", url=pages[0], limit=4)
        second = await ask(stores, "links", id=f"{names[0]:016x}", limit=4, cursor=first["next"])
        items = [*first["items"], *second["items"]]
        assert [item["url"] for item in items] == [*pages[1:], ""] and second["next"] is None
        assert items[0] == {
            **{"url": pages[1], "id": f"{names[1]:016x}", "kind": "anchor", "nofollow": False},
            **{"state": "waiting", "outcome": None},
        }
        assert (items[-1]["nofollow"], items[-1]["state"], items[-1]["id"]) == (True, "unknown", f"{99:016x}")
        into = await ask(stores, "links", url=pages[0], direction="in", limit=10)
        assert sorted(item["url"] for item in into["items"]) == pages[1:]
        for wrong in ({"id": "12"}, {"id": "x" * 16}, {"url": SEED, "direction": "up"}):
            with pytest.raises(UsageError):
                await ask(stores, "links", **wrong)
        with pytest.raises(CursorError):
            await ask(stores, "links", url=pages[1], cursor=first["next"])

    asked(tmp_path / "crawl", work)


def test_a_graph_that_is_too_large_to_be_looked_through_in_time_is_a_typed_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "SECONDS", 0.0)

    async def work(stores: Stores) -> None:
        await stores.graph.put([(1, pack([2], [1]))])
        for direction in links.DIRECTIONS:
            with pytest.raises(TookTooLong, match="too large to be looked through in 0 s"):
                await ask(stores, "links", url=SEED, direction=direction)

    asked(tmp_path / "crawl", work)


def test_a_stopped_crawl_can_be_paused_but_not_stopped(tmp_path: Path) -> None:
    place = tmp_path / "crawl"

    async def work(stores: Stores) -> None:
        assert await ask(stores, "workers") == []
        assert await ask(stores, "pause") == {"paused": True, "running": False, "stopping": False, "under_way": 0}
        with pytest.raises(NotRunning, match="nothing to stop"):
            await ask(stores, "stop")

    async def after(stores: Stores) -> None:
        assert (await ask(stores, "status"))["paused"] is True
        assert (await ask(stores, "resume"))["paused"] is False

    asked(place, work)
    asked(place, after)
    told = [(one["what"], one["before"], one["after"]) for one in asked(place, words)]
    assert told == [("pause", False, True), ("resume", True, False)]


def test_the_chronicle_tells_of_ten_thousand_seeds_by_the_first_and_their_number(tmp_path: Path) -> None:
    async def work(stores: Stores) -> None:
        await ask(stores, "seed", urls=[f"http://{number}.test/" for number in range(1_000)])

    asked(tmp_path / "crawl", work)
    (word,) = asked(tmp_path / "crawl", words)
    assert (len(word["arguments"]["urls"]), word["arguments"]["urls_count"]) == (100, 1_000)
    assert (word["before"]["seeds"], word["after"]["seeds"], word["after"]["waiting"]) == (1, 1_001, 1_000)


# --- the loop --------------------------------------------------------------------------------------------------------


def test_no_question_holds_the_loop_of_a_crawl_of_a_hundred_thousand_hosts(tmp_path: Path) -> None:
    async def work(stores: Stores) -> dict[str, float]:
        for start in range(0, 100_000, 2_000):
            found = [entry(f"http://h{number}.test/") for number in range(start, start + 2_000)]
            await stores.frontier.discover(found, NOW)
        questions: dict[str, tuple[str, dict[str, Any]]] = {
            "busiest": ("busiest", {}),
            "by name": ("hosts", {"order": "name", "limit": 500}),
            "by turn": ("hosts", {"order": "next", "limit": 200}),
            "paused": ("hosts", {"state": "paused"}),
            "pending": ("pending", {}),
            "overdue": ("overdue", {"seconds": 0.0}),
            "lessons": ("lessons", {}),
            "explained": ("explain_all", {"urls": [SEED] * 100}),
            "seed": ("seed", {"urls": [f"http://s{number}.test/" for number in range(2_000)]}),
        }
        return {name: (await held_by(ask(stores, word, **given))).longest for name, (word, given) in questions.items()}

    with collected_seldom():  # as in a crawl
        holds = asked(tmp_path / "crawl", work)
    assert max(holds.values()) < 0.05, holds


def test_cursors_carry_infinity_and_any_text() -> None:
    cursor = cursors.cursor_of(("x",), float("inf"), "ü.test")
    assert cursors.place_in(cursor, ("x",), float, str) == [float("inf"), "ü.test"]
    assert cursors.place_in("", ("x",), float, str) is None
