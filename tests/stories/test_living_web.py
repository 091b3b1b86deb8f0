"""A crawl that goes on for weeks over pages that change on their own clocks, stopped and resumed all the time.

The servers' ledger is the judge: which version each answer carried, whether it was asked for with a condition, and when.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from checking import WARCIO
from faulting import faults_found
from living import DAY, Living, Step, living_crawl

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import show_page, versions_of
from gossamer.simweb.living.site import HOUR, LISTS, PAGES, LivingSite
from gossamer.simweb.settings import SimwebSettings

STILL = [path for path, manner in PAGES.items() if not manner.every]
ROUNDS = 5
SITE = LivingSite("l00", SimwebSettings().seed)


@dataclass
class Life:
    """A crawl, and what happened in each of its runs."""

    living: Living
    steps: list[Step] = field(default_factory=list)

    def visits(self, path: str, *steps: Step) -> list[dict[str, Any]]:
        """Return every request for a path in some steps or all, in order."""
        return [line for step in steps or self.steps for line in step.visits if line["path"] == path]

    def has_just_changed(self, path: str, step: Step) -> bool:
        """Tell whether a page changed while a step was made, or shortly before."""
        if path not in PAGES:
            return False
        return SITE.changed_at(path, step.ended - self.living.began) > step.began - self.living.began - 150

    def rows(self, path: str) -> list[dict[str, Any]]:
        """Return what was known of a path after each run."""
        return [step.known[path] for step in self.steps]

    @property
    def end(self) -> dict[str, dict[str, Any]]:
        """What is known in the end, by path."""
        return self.steps[-1].known


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Run a crawl again and again: now until half of what is known is due, now until all that never changes is."""
    with living_crawl(tmp_path_factory.mktemp("life")) as living:
        life = Life(living, [living.step()])
        for number in range(ROUNDS):
            dues = {path: known["queue"]["due"] for path, known in life.end.items()}
            date = median(dues.values()) if number % 2 else max(dues[path] for path in STILL)
            living.pass_time(date + 60 - living.now)
            life.steps.append(living.step())
        yield life


def test_pages_that_were_not_changed_cost_a_304_and_every_304_was_asked_for(life: Life) -> None:
    statuses = Counter((line["status"], line.get("conditional", False)) for step in life.steps for line in step.visits)
    assert set(statuses) == {(200, False), (200, True), (304, True)} and statuses[304, True] > 10, statuses
    for path, manner in PAGES.items():
        first, *later = life.visits(path)
        assert later and not first.get("conditional"), path
        assert {line.get("conditional", False) for line in later} == {manner.tag or manner.dated}, path
        same = [line["version"] == before["version"] for before, line in pairwise(life.visits(path))]
        expected = [304 if is_same and (manner.tag or manner.dated) else 200 for is_same in same]
        assert [line["status"] for line in later] == expected, path


def test_a_page_is_visited_when_its_interval_is_over_and_never_before_unless_a_list_calls_it(life: Life) -> None:
    for before, step in pairwise(life.steps):
        visited = Counter(line["path"] for line in step.visits)
        dues = {path: known["queue"]["due"] for path, known in before.known.items()}
        due = {path for path in dues if dues[path] <= step.began}
        assert due and due <= set(visited), "a change in it would not have been caught within its interval"
        for path in visited:
            if life.has_just_changed(path, step):
                continue  # a list names seconds: whether it was before the visit or after it cannot be told
            assert visited[path] == 1, f"once was enough for {path}"
            if dues[path] > step.ended:
                assert PAGES[path].told in visited, f"nobody called {path}"
                versions = [line["version"] for line in (before_it(life, path, step), *life.visits(path, step))]
                assert versions[0] != versions[1] or PAGES[path].by_day, f"{path} was called in vain"


def before_it(life: Life, path: str, step: Step) -> dict[str, Any]:
    """Return the last request for a path before a step."""
    return life.visits(path, *life.steps[: life.steps.index(step)])[-1]


def test_every_change_between_two_visits_was_noticed_and_nothing_else_was_called_one(life: Life) -> None:
    for path in (*PAGES, *LISTS):
        versions = [line["version"] for line in life.visits(path)]
        freshness = life.end[path]["page"]["freshness"]
        changed = sum(one != two for one, two in pairwise(versions))
        assert (freshness["visits"], freshness["changes"]) == (len(versions), changed), f"{path} was {versions}"
    assert life.end["/ticking/still.html"]["page"]["freshness"]["changes"] == 0
    assert len(life.visits("/ticking/still.html")) > 2 and life.end["/lively/bare.html"]["page"]["freshness"]["changes"] > 2


def test_pages_that_never_change_are_asked_less_and_less_often(life: Life) -> None:
    for path in STILL:
        intervals = list(
            dict.fromkeys(known["queue"]["due"] - known["page"]["fetched_at"] for known in life.rows(path))
        )  # one a visit
        assert len(intervals) > 2, f"{path} was hardly visited"
        assert all(later > before for before, later in pairwise(intervals)), f"{path}: {intervals}"


def records(directory: Path) -> list[tuple[str, ...]]:
    """Return type, URL, date, and what it refers to, of every record, as warcio reads them."""
    fields = "warc-type,warc-target-uri,warc-date,warc-refers-to-target-uri,warc-refers-to-date,http:status"
    files = sorted(map(str, (directory / "warc").glob("*.warc.gz")))
    words = [*WARCIO[:-1], "index", "-f", fields, *files]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return [tuple(json.loads(line).get(name, "") for name in fields.split(",")) for line in lines]


def test_every_revisit_resolves_to_the_record_it_confirms(life: Life) -> None:
    found = records(life.living.directory)
    kept = {(url, date) for kind, url, date, *_ in found if kind == "response"}
    revisits = [one for one in found if one[0] == "revisit"]
    assert [one for one in revisits if one[3:5] not in kept] == []
    (copy,) = [path for path, known in life.steps[0].known.items() if known["page"]["outcome"] == "duplicate"]
    assert len(life.visits(copy)) > 2
    assert [one[1] for one in revisits].count(life.living.url(copy)) == 1, "a copy that stays one refers to its original once"
    confirmed = Counter(life.living.url(line["path"]) for step in life.steps for line in step.visits if line["status"] == 304)
    del confirmed[life.living.url(copy)]
    assert Counter(one[1] for one in revisits if one[5] == "304") == confirmed


def test_what_a_page_said_before_is_listed_and_shown_and_pruned_and_the_rest_stays_whole(life: Life, tmp_path: Path) -> None:
    living, directory = life.living, tmp_path / "crawl"
    shutil.copytree(living.directory, directory)
    path = "/lively/bare.html"
    served = [line["version"] for line in life.visits(path)][::-1]
    told = living.run("pages", directory, "--versions", living.url(path), "--json")
    listed = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(listed) == len(set(served)) > 3
    shown = living.run("show", directory, living.url(path), "--part", "text", "--version", "2")
    assert SITE.words(path, served[1])[1] in " ".join(shown.stdout.split())
    pruned = living.run("prune", directory, "--versions", "2", "--json")
    assert pruned.returncode == 0, pruned.stderr
    files = sorted((directory / "warc").glob("*.warc.gz"))
    judged = subprocess.run([*WARCIO, *map(str, files)], capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    crawl = CrawlDirectory.open(directory)
    assert [one.digest for one in versions_of(crawl, living.url(path))] == [one["digest"] for one in listed[:2]]
    assert all(show_page(crawl, living.url(each)).text for each in PAGES)
    found = records(directory)
    kept = {(url, date) for kind, url, date, *_ in found if kind == "response"}
    assert [one for one in found if one[0] == "revisit" and one[3:5] not in kept] == []
    assert faults_found(directory) == []


def test_no_promise_was_broken_as_the_servers_saw_it(life: Life) -> None:
    result = life.living.run("verify", life.living.directory, "--ledger", life.living.web.ledger_file)
    assert result.stdout.splitlines()[-1] == "13 passed, 0 failed", result.stdout


TOLD = [path for path, manner in PAGES.items() if manner.told and manner.every > 10 * DAY]


def test_a_page_with_a_long_interval_comes_back_when_a_sitemap_or_a_feed_says_that_it_changed(tmp_path: Path) -> None:
    knobs = ("--set", "recrawl.policy=adaptive", "--set", "recrawl.interval=4d")
    with living_crawl(tmp_path, *knobs) as living:
        living.step()
        for days in (4, 12):  # lists change and are read again in half the time, pages do not and in twice the time
            living.pass_time(days * DAY + HOUR - living.ahead)
            before = living.step()
        assert {path: SITE.version(path, living.ahead) for path in TOLD} == dict.fromkeys(TOLD, 1)
        living.pass_time(7 * DAY)
        assert {path: SITE.version(path, living.ahead) for path in TOLD} == dict.fromkeys(TOLD, 2)
        assert min(before.known[path]["queue"]["due"] for path in (*TOLD, *STILL)) > living.now + 7 * DAY
        after = living.step()
    visited = {line["path"] for line in after.visits}
    assert set(TOLD) <= visited and {PAGES[path].told for path in TOLD} == set(LISTS)
    assert visited.isdisjoint(STILL), "of these nobody said anything"
    assert {after.known[path]["page"]["freshness"]["changes"] for path in TOLD} == {1}


def test_a_host_that_is_down_for_days_loses_no_page_and_no_estimate(tmp_path: Path) -> None:
    hasty = ("breaker.failures=3", "breaker.open_for=0.1", "breaker.openings=1", "breaker.give_up_for=1d", "retry.times=0")
    with living_crawl(tmp_path, *(word for knob in hasty for word in ("--set", knob))) as living:
        before = living.step()
        living.order("down/l00.living.sim")
        living.pass_time(max(known["queue"]["due"] for known in before.known.values()) + 60 - living.now)
        during = living.step()
        living.order("up/l00.living.sim")
        living.pass_time(max(known["queue"]["due"] for known in during.known.values()) + 60 - living.now)
        after = living.step()
    assert {line["status"] for line in during.visits} <= {500}
    for path, known in during.known.items():
        for what in ("place", "digest", "freshness"):
            assert known["page"][what] == before.known[path]["page"][what], path
    assert {line["path"] for line in after.visits} == set(before.known)
    assert all(known["page"]["freshness"]["visits"] >= 2 for known in after.known.values())
