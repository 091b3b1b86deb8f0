"""A crawl of the trap zoo. Witnesses: the ledger (what was asked for) and the zoo's own judge (what had content of its own)."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from crawling import Crawled, run_gossamer, simweb_running

from gossamer.simweb import ledger
from gossamer.simweb.mazes import zoo
from gossamer.simweb.mazes.spent import PROBE, Spent, spent
from gossamer.simweb.mazes.views import Viewed

SCALE = 0.02  # of the giants; mazes have no size
DELAY = 0.02
QUICK = ("--delay", DELAY, "--set", "storage.durability=fast")  # syncs cost more than all the rest here
EAGER = ("--delay", 0, "--set", "politeness.connections=4", "--set", "storage.durability=fast")
NOTHING_BESIDE = {"hosts": 1, "pages": 1, "plain": True}
WASTE = {  # requests that brought nothing: about twice as many as were ever seen, or a little less than there are
    "calendar": 200,
    "session-query": 30,
    "session-path": 40,
    "facets": 400,
    "relative-links": 60,  # its copies lead on, so that it has no end but that of the fixed limits
    "soft404": 140,
    "soft404-redirect": 140,
    "link-farm": 130,
    "redirect-maze": 230,
    "markov": 700,
    "pagination": 8,
    "mirror": 20,  # by which of the two is ahead when: 26 of both in a crawl of full size
    "mirror-copy": 20,
    "printer": 130,
    "tracking": 190,
    "repository": 120,  # the other views of its files: there are only so many
    "revisions": 130,
    "translations": 180,  # honest files too
}
DEEP = "calendar"  # most of what it has is found only by going on through empty months
FIRST_OF_THEIR_KIND = 25  # URLs of an exhibit that say nothing new, but that nobody said before them
PAUSE = 20  # delays that a host is paused for when it grows too fast
PROBED_AFTER = 5  # pages: `traps.probe_after`
TEMPLATES = {  # mazes whose URLs have a make of their own
    "calendar",
    "facets",
    "relative-links",
    "link-farm",
    "redirect-maze",
    "markov",
    "printer",
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl the whole zoo, its giants small, once for all tests of this file."""
    place = tmp_path_factory.mktemp("mazes")
    with simweb_running(place, **NOTHING_BESIDE, mazes="all", maze_scale=SCALE) as web:
        directory = place / "crawl"
        result = run_gossamer("crawl", "--dir", directory, *QUICK, *web.crawl_options, "--json")
        yield Crawled(directory, web, result)


@pytest.fixture(scope="module")
def lines(crawled: Crawled) -> dict[str, Spent]:
    """What was spent on every host, by its first label."""
    assert crawled.result.returncode == 0, crawled.result.stderr
    hosts = spent(ledger.read(crawled.web.ledger_file), scale=SCALE)
    return {host.partition(".")[0]: line for host, line in hosts.items()}


def test_a_web_without_end_is_crawled_to_its_end(crawled: Crawled) -> None:
    assert crawled.result.returncode == 0, crawled.result.stderr
    summary = json.loads(crawled.result.stdout)
    assert summary["end"] == "finished"
    assert summary["frontier"]["waiting"] == summary["frontier"]["leased"] == 0
    assert summary["learned"]["templates"] >= len(TEMPLATES)
    assert summary["learned"]["parameters"] >= 2
    assert summary["learned"]["refused"] > 1_000


@pytest.mark.parametrize("host", [*zoo.GIANTS, *zoo.ORDINARY])
def test_honest_hosts_are_crawled_whole_and_nothing_of_them_twice(host: str, lines: dict[str, Spent]) -> None:
    assert lines[host].coverage >= 0.99
    assert lines[host].wasted <= 2  # a page that may be a soft 404 is asked for again when that is known


@pytest.mark.parametrize("host", WASTE)
def test_a_maze_gets_few_requests_more_than_it_has_content(host: str, lines: dict[str, Spent]) -> None:
    assert lines[host].wasted <= WASTE[host]


@pytest.mark.parametrize("host", zoo.VIEWS)
def test_no_honest_page_is_lost_for_the_sake_of_its_views_and_copies(
    host: str, crawled: Crawled, lines: dict[str, Spent]
) -> None:
    (site,) = zoo.choose(host)
    asked = {seen["path"] for seen in crawled.web.ledger() if seen["host"] == site.host}
    assert isinstance(site, Viewed) and set(site.honest()) - asked == set()
    assert lines[host].contents - lines[host].reached == set()


def test_what_is_real_behind_a_maze_is_found(lines: dict[str, Spent]) -> None:
    assert {host: line.coverage for host, line in lines.items() if host != DEEP and line.coverage < 0.95} == {}


@pytest.mark.parametrize("host", [*zoo.ORDINARY, "forum", "wiki", "archive"])
def test_nobody_waits_for_a_maze(host: str, crawled: Crawled) -> None:
    turns: Counter[str] = Counter()
    when_it_was_done: Counter[str] = Counter()
    for seen in crawled.web.ledger():
        turns[seen["host"]] += 1
        if seen["host"] == f"{host}.maze.sim":
            when_it_was_done = turns.copy()
    own = when_it_was_done[f"{host}.maze.sim"]
    assert {other: count for other, count in when_it_was_done.items() if count > 2 * own} == {}
    assert sum(turns[other] > own for other in turns) >= len(TEMPLATES)  # they were under way, and went on


def test_verify_finds_no_fault_and_no_host_was_pressed(crawled: Crawled) -> None:
    result = run_gossamer("verify", crawled.directory, "--ledger", crawled.web.ledger_file)
    assert result.stdout.splitlines()[-1] == "13 passed, 0 failed", result.stdout


def test_a_host_with_enough_pages_is_probed_once_a_directory(crawled: Crawled, lines: dict[str, Spent]) -> None:
    probes: Counter[tuple[str, str]] = Counter()
    pages: Counter[str] = Counter()
    too_early = []
    for seen in crawled.web.ledger():
        directory, _, name = seen["path"].rpartition("/")
        if name.startswith(PROBE):
            probes[seen["host"], directory] += 1
            if pages[seen["host"]] < PROBED_AFTER:
                too_early.append(seen)
        elif seen["path"] != "/robots.txt":
            pages[seen["host"]] += 1
    assert set(probes.values()) == {1}
    assert too_early == []
    assert {host for host, line in lines.items() if not line.probes} == set()


# --- explain -----------------------------------------------------------------------------------------------------------------


class Explained:
    """What `explain` says of every URL of the zoo's manifest."""

    def __init__(self, crawled: Crawled) -> None:
        self.entries = {entry["url"]: entry for entry in crawled.web.manifest if entry["maze"]}
        stdin = "".join(f"{url}\n" for url in self.entries)
        told = run_gossamer("explain", crawled.directory, "-", "--json", stdin=stdin).stdout.splitlines()
        self.answers: dict[str, dict[str, Any]] = dict(zip(self.entries, map(json.loads, told), strict=True))

    def is_told(self, url: str) -> bool:
        """Tell whether a rule that rightly ends a URL is named: as its end, in its verdicts, or for the page it is found by."""
        entry, answer = self.entries[url], self.answers[url]
        if entry["own"] and answer["outcome"] == "ok":
            return True
        learned = [verdict["rule"] for verdict in answer["verdicts"] if verdict["rule"] in _LEARNED and verdict["reason"]]
        if any(_is_among(rule, entry["traps"]) for rule in (answer["rule"], *learned)):
            return True
        found_by = entry["found_by"]
        return answer["outcome"] is None and found_by in self.entries and found_by != url and self.is_told(found_by)


_LEARNED = {"traps.template", "traps.parameter", "traps.mirror", "traps.soft_404"}


def _is_among(rule: str, rules: list[str]) -> bool:
    return any(rule == one or (one.endswith(".*") and rule.startswith(one[:-1])) for one in rules)


@pytest.fixture(scope="module")
def explained(crawled: Crawled) -> Explained:
    return Explained(crawled)


def test_every_url_ends_as_the_manifest_allows(explained: Explained) -> None:
    wrong = {
        url: answer["outcome"]
        for url, answer in explained.answers.items()
        if answer["outcome"] is not None and answer["outcome"] not in explained.entries[url]["outcomes"]
    }
    first = [url for url in wrong if explained.entries[url]["traps"] and wrong[url] == "ok"]  # nothing was known of their host
    counts = Counter(explained.entries[url]["maze"] for url in first)
    assert {maze: count for maze, count in counts.items() if count > FIRST_OF_THEIR_KIND} == {}
    assert {url: outcome for url, outcome in wrong.items() if url not in first} == {}
    honest = [url for url, entry in explained.entries.items() if entry["own"] and not entry["traps"]]
    assert [url for url in honest if explained.answers[url]["outcome"] != "ok"] == []


def test_explain_names_the_right_trap_for_every_url(explained: Explained) -> None:
    untold = [url for url in explained.entries if not explained.is_told(url)]
    assert [url for url in untold if explained.answers[url]["outcome"] != "ok"] == []
    counts = Counter(explained.entries[url]["maze"] for url in untold)
    assert {maze: count for maze, count in counts.items() if count > FIRST_OF_THEIR_KIND} == {}
    assert [url for url in untold if not explained.answers[url]["evidence"]["templates"]] == []


def test_a_verdict_has_rule_numbers_and_an_example(explained: Explained) -> None:
    told: dict[str, list[str]] = {}
    for answer in explained.answers.values():
        if answer["outcome"] is not None and answer["rule"] in _LEARNED:
            told.setdefault(answer["rule"], []).append(f"{answer['rule']}: {answer['reason']}")
    assert set(told) == _LEARNED
    for reasons in told.values():
        assert [reason for reason in reasons if "http://" not in reason] == []
        assert [reason for reason in reasons if not re.search(r"\d", re.sub(r"http://\S+", "", reason))] == []


# --- what an operator sees ---------------------------------------------------------------------------------------------------


def listed(directory: Path, command: str, *options: object) -> list[dict[str, Any]]:
    """Return what a command lists."""
    result = run_gossamer(command, directory, *options, "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_traps_lists_templates_and_soft_404s_with_their_evidence(crawled: Crawled) -> None:
    found = listed(crawled.directory, "traps")
    throttled = {one["host"].partition(".")[0] for one in found if one["kind"] == "template" and one["one_in"] > 1}
    soft = {one["host"].partition(".")[0] for one in found if one["kind"] == "probe" and one["found"]}
    assert throttled >= TEMPLATES
    assert soft >= {"soft404", "soft404-redirect"}
    assert throttled & {*zoo.GIANTS, *zoo.ORDINARY, "translations"} == set()
    for one in found:
        if one["kind"] == "template":
            assert one["fetched"] > one["fresh"] and one["bad"] and sum(one["barren"].values()) == one["fetched"] - one["fresh"]
    [printer] = [one for one in found if one["host"] == "printer.maze.sim" and one["name"] == "/print/{n}"]
    assert printer["refused"]
    table = run_gossamer("traps", crawled.directory, "--host", "printer.maze.sim").stdout
    assert "/print/{n}" in table and f"{printer['fresh']} new of {printer['fetched']}" in table


def test_rules_lists_parameters_that_make_no_difference(crawled: Crawled) -> None:
    found = {(one["host"].partition(".")[0], one["name"]): one for one in listed(crawled.directory, "rules")}
    assert ("session-query", "s") in found
    assert ("session-path", "/(S({id}))/") in found
    parameters = {place: one for place, one in found.items() if one["kind"] == "parameter"}
    tracking = {name for host, name in parameters if host == "tracking"}
    assert {"from_block", "pos&src"} <= tracking <= {"from_block", "pos&src", "pos", "src"}  # these two always change together
    assert {host for host, _ in found} & {*zoo.GIANTS, *zoo.ORDINARY} == set()
    assert {name for host, name in parameters if host == "revisions"} <= {"skin"}, "a revision matters"
    for one in parameters.values():
        assert one["same"] >= 5 and one["examples"]
    assert "s\tdropped" in run_gossamer("rules", crawled.directory, "--host", "session-query.maze.sim").stdout


def test_pages_near_shows_an_article_beside_its_copy_for_the_printer(crawled: Crawled) -> None:
    [copy, *_] = listed(crawled.directory, "pages", "--host", "printer.maze.sim", "--outcome", "near_duplicate", "-n", 1)
    cluster = {page["url"]: page["distance"] for page in listed(crawled.directory, "pages", "--near", copy["duplicate_of"])}
    assert cluster[copy["duplicate_of"]] == 0
    assert cluster[copy["url"]] <= 3
    assert copy["url"] in {page["url"] for page in listed(crawled.directory, "pages", "--near", copy["url"])}


def test_an_operators_word_on_a_template_stands_above_the_evidence_and_can_be_taken_back(crawled: Crawled) -> None:
    here = ("--host", "printer.maze.sim")
    refused = listed(crawled.directory, "pages", *here, "--outcome", "trap", "-n", 1)[0]["url"]

    def rule(word: str) -> tuple[str, int]:
        [told] = [one for one in listed(crawled.directory, "traps", *here, word, "/print/{n}") if one["name"] == "/print/{n}"]
        return told["ruling"], told["one_in"]

    def verdicts() -> list[bool]:
        [told] = listed(crawled.directory, "explain", refused)
        return [one["allowed"] for one in told["verdicts"] if one["rule"] == "traps.template"]

    assert rule("--allow") == ("allow", 1)
    assert verdicts() == []
    assert rule("--block") == ("block", 0)
    assert verdicts() == [False]
    ruling, one_in = rule("--learn")
    assert ruling == "" and one_in > 1


def test_a_parameter_dropped_by_an_operator_leaves_the_keys_of_what_is_found_from_then_on(tmp_path: Path) -> None:
    directory, here = tmp_path / "crawl", ("--host", "session-query.maze.sim")
    with simweb_running(tmp_path, **NOTHING_BESIDE, mazes="session-query") as web:
        run_gossamer("crawl", "--dir", directory, *EAGER, "--max-pages", 3, *web.crawl_options, "--quiet")
        [dropped] = listed(directory, "rules", *here, "--drop", "s")
        assert (dropped["name"], dropped["ruling"], dropped["cosmetic"]) == ("s", "block", True)
        assert run_gossamer("resume", directory, "--max-pages", 1_000, "--quiet").returncode == 0
        [line] = spent(ledger.read(web.ledger_file), mazes="session-query").values()
    assert line.coverage == 1.0
    assert line.wasted <= 20  # what was found before
    pages = listed(directory, "pages", *here, "--outcome", "ok", "-n", 0)
    merged = next(page for page in pages if "?s=" in page["url"] and "?s=" not in page["key"])
    assert merged["title"] in run_gossamer("show", directory, merged["url"], "--part", "text").stdout
    [itself] = listed(directory, "pages", "--near", merged["url"])
    assert (itself["url"], itself["distance"]) == (merged["url"], 0)
    sessions = "".join(f"{merged['url'].partition('?')[0]}?s=unseen{number}\n" for number in range(12))
    answers = map(json.loads, run_gossamer("explain", directory, "-", "--json", stdin=sessions).stdout.splitlines())
    same = [answer for answer in answers if answer["rule"] == "traps.parameter" and merged["url"] in answer["reason"]]
    assert len(same) >= 6  # one in 32 would be fetched all the same


def test_verify_finds_an_original_that_is_kept_under_a_learned_key(tmp_path: Path) -> None:
    directory, here = tmp_path / "crawl", ("--host", "tracking.maze.sim")
    with simweb_running(tmp_path, **NOTHING_BESIDE, mazes="tracking") as web:
        run_gossamer("crawl", "--dir", directory, *EAGER, "--max-pages", 2, *web.crawl_options, "--quiet")
        listed(directory, "rules", *here, "--drop", "from_block")
        run_gossamer("resume", directory, "--max-pages", 100, "--quiet")
    pages = {page["url"]: page for page in listed(directory, "pages", *here, "-n", 0)}
    copies = [page["duplicate_of"] for page in pages.values() if page["outcome"] == "duplicate" and page["place"]]
    assert any("?" in url and "?" not in pages[url]["key"] for url in copies)
    assert run_gossamer("verify", directory).stdout.splitlines()[-1].endswith(" passed, 0 failed")


def test_a_host_that_grows_too_fast_is_slowed_and_reported(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with simweb_running(tmp_path, **NOTHING_BESIDE, mazes="facets,ordinary-one") as web:
        limits = ("--set", "traps.growth_urls=100", "--max-pages", 60)
        result = run_gossamer("crawl", "--dir", directory, *QUICK, *limits, *web.crawl_options, "--json")
        starts = [seen["start"] for seen in web.ledger() if seen["host"] == "facets.maze.sim"]
    assert result.returncode == 0, result.stderr
    grown = [one for one in listed(directory, "traps") if one["kind"] == "growth"]
    assert {one["host"] for one in grown} == {"facets.maze.sim"}
    assert all("URLs in an hour" in one["reason"] and one["page"].startswith("http://facets") for one in grown)
    assert max(after - before for before, after in pairwise(starts)) >= PAUSE * DELAY
    events = [json.loads(line) for line in (directory / "crawl.log").read_text().splitlines()]
    assert {event["host"] for event in events if event["event"] == "slowed"} == {"facets.maze.sim"}
    [told] = listed(directory, "explain", grown[0]["page"])
    assert "traps.growth" in {verdict["rule"] for verdict in told["verdicts"]}


# --- the switches ------------------------------------------------------------------------------------------------------------


def test_without_learning_a_maze_takes_whatever_it_is_given(tmp_path: Path) -> None:
    with simweb_running(tmp_path, **NOTHING_BESIDE, mazes="session-query,link-farm") as web:
        switches = ("--set", "traps.learn=false", "--set", "dedupe.near=off", "--max-pages", 300)
        result = run_gossamer("crawl", "--dir", tmp_path / "crawl", *EAGER, *switches, *web.crawl_options, "--json")
        hosts = spent(ledger.read(web.ledger_file), mazes="session-query,link-farm")
    assert json.loads(result.stdout)["end"] == "budget spent", result.stderr
    assert hosts["session-query.maze.sim"].wasted > WASTE["session-query"]
    assert [line.probes for line in hosts.values()] == [0, 0]
    assert listed(tmp_path / "crawl", "traps", "--all") == []


def test_near_duplicates_can_be_left_out_of_the_archive(tmp_path: Path) -> None:
    with simweb_running(tmp_path, **NOTHING_BESIDE, mazes="printer") as web:
        switch = ("--set", "dedupe.near=skip")
        result = run_gossamer("crawl", "--dir", tmp_path / "crawl", *EAGER, *switch, *web.crawl_options, "--quiet")
    assert result.returncode == 0, result.stderr
    copies = listed(tmp_path / "crawl", "pages", "--outcome", "near_duplicate", "-n", 0)
    assert len(copies) >= 8
    assert [page["url"] for page in copies if page["place"] or not page["duplicate_of"]] == []
    assert run_gossamer("verify", tmp_path / "crawl").returncode == 0
