"""kill -9 of a crawl that goes on for ever, again and again: no page leaves the cycle, and nothing learned begins anew."""

import random
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from living import Living, living_crawl

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import show_page
from gossamer.simweb.living.site import LISTS, LivingSite
from gossamer.simweb.settings import SimwebSettings

HOSTS = 3
ROUNDS = 1  # of all pages, after the first
KILLS = 2  # in each
DELAY = 0.02

Known = dict[str, dict[str, Any]]


@dataclass
class Survived:
    """A crawl that was killed again and again, and what it said that it knew before each death."""

    living: Living
    said: list[Known] = field(default_factory=list)
    round_began: list[int] = field(default_factory=list)  # lines of the ledger
    known: Known = field(default_factory=dict)  # in the end

    def lines(self, start: int = 0) -> list[dict[str, Any]]:
        """Return the requests for pages and lists since a line of the ledger."""
        self.living.seen = start
        return self.living.visits()


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two workers"])
def survived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survived]:
    """Kill a crawl in the middle of each round of visits, and when it has nothing to do; of several processes, the node."""
    chance = random.Random(request.param)
    options = ("--workers", request.param, "--delay", DELAY)
    with living_crawl(tmp_path_factory.mktemp("forever"), *options, hosts=HOSTS) as living:
        it = Survived(living)
        for number in range(1 + ROUNDS):
            it.round_began.append(living.web.requests())
            for _ in range(KILLS):
                living.start()
                living.wait_for_requests(chance.randrange(5, 25))
                it.said.append(living.known())
                living.end(signal.SIGKILL)
            living.start()
            it.known = living.wait_until_idle()
            it.said.append(it.known)
            living.end(signal.SIGKILL if number < ROUNDS else signal.SIGTERM)
            if number < ROUNDS:
                living.pass_time(max(known["queue"]["due"] for known in it.known.values()) + 60 - living.now)
        yield it


def url_of(line: dict[str, Any], survived: Survived) -> str:
    return survived.living.url(line["path"], line["host"].partition(".")[0])


def test_every_page_is_visited_again_in_every_round(survived: Survived) -> None:
    for begin, end in zip(survived.round_began, [*survived.round_began[1:], None], strict=True):
        lines = survived.lines(begin)
        asked = {url_of(line, survived) for line in (lines[: len(lines) - len(survived.lines(end))] if end else lines)}
        assert asked == set(survived.living.urls)
    assert {known["state"] for known in survived.known.values()} == {"waiting"}


def test_what_was_served_last_is_what_is_kept(survived: Survived) -> None:
    versions = {url_of(line, survived): line for line in survived.lines()}
    crawl = CrawlDirectory.open(survived.living.directory)
    for url, line in versions.items():
        if line["path"] not in LISTS:
            said = LivingSite(line["host"].partition(".")[0], SimwebSettings().seed).words(line["path"], line["version"])[1]
            assert said in " ".join(show_page(crawl, url).text.split()), f"{url} is not kept as it was served last"


def test_no_estimate_begins_anew(survived: Survived) -> None:
    told: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for known in survived.said:
        for url, facts in known.items():
            freshness = (facts["page"] or {}).get("freshness") or {"visits": 0, "changes": 0}
            told[url].append((freshness["visits"], freshness["changes"]))
    assert set(told) == set(survived.living.urls)
    for url, counts in told.items():
        assert [visits for visits, _ in counts] == sorted(visits for visits, _ in counts), url
        assert [changes for _, changes in counts] == sorted(changes for _, changes in counts), url
        assert counts[-1][0] >= 1 + ROUNDS
    asked = Counter(url_of(line, survived) for line in survived.lines())
    deaths = (1 + ROUNDS) * KILLS
    assert sum(asked.values()) - sum(counts[-1][0] for counts in told.values()) <= deaths * HOSTS, "visits were forgotten"
    assert all(asked[url] >= counts[-1][0] for url, counts in told.items())


def test_verify_finds_no_fault_and_no_host_was_pressed(survived: Survived) -> None:
    result = survived.living.run("verify", survived.living.directory, "--ledger", survived.living.web.ledger_file)
    assert result.stdout.splitlines()[-1] == "13 passed, 0 failed", result.stdout
