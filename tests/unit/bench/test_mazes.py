"""The figures of the two crawls of the trap zoo are those of the ledger's judge, added up."""

import pytest
from bench import __main__ as program
from bench.mazes import Crawled, compared, row_of
from bench.measure import Usage

from gossamer.simweb.mazes import zoo
from gossamer.simweb.mazes.spent import Spent

USAGE = Usage(seconds=10.0, cpu_seconds=4.0, peak=0, code=0, yardstick=0.0, each=[])


def crawl(shop: int, calendar: int) -> Crawled:
    """A crawl that found so many of the shop's four pages, and spent so many requests on a calendar with one."""
    hosts = {}
    for exhibit in zoo.EXHIBITS:
        contents = frozenset({"only"})
        hosts[f"{exhibit}.maze.sim"] = Spent(exhibit, contents, requests=1, brought={"only"}, reached={"only"})
    pages = ["a", "b", "c", "d"]
    found = set(pages[:shop])
    hosts["shop.maze.sim"] = Spent("shop", frozenset(pages), requests=shop, brought=found, reached=found)
    hosts["calendar.maze.sim"].requests = calendar
    hosts["markov.maze.sim"].contents = frozenset()
    return Crawled(100, hosts, USAGE)


def test_a_crawl_is_summed_up_over_all_hosts() -> None:
    row = row_of("with", crawl(shop=2, calendar=11))
    others = len(zoo.EXHIBITS) - 2
    assert row["requests"] == 2 + 11 + others
    assert row["share"] == pytest.approx(100 * (2 + 1 + others) / (2 + 11 + others))
    assert row["least"] == 50.0
    assert row["giants"] == pytest.approx(100 * 5 / 7)  # two of the shop's four pages, and one each of three others
    assert row["ordinary"] == 100.0


def test_two_crawls_stand_side_by_side() -> None:
    rows = {row["exhibit"]: row for row in compared(crawl(shop=4, calendar=11), crawl(shop=1, calendar=500))}
    assert (rows["shop"]["coverage"], rows["shop"]["reached"]) == (100.0, 25.0)
    assert (rows["calendar"]["wasted"], rows["calendar"]["lost"]) == (10, 499)
    assert rows["markov"]["coverage"] is None


def test_it_runs_only_when_it_is_asked_for() -> None:
    assert {"mazes", "memory"} <= program.ASKED_FOR <= set(program.BENCHMARKS)
