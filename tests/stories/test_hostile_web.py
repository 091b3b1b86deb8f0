"""Honest hosts beside farms that want to be crawled for ever: until all honest pages are there, farms get little.

The witness is the ledger: what was asked for before the last honest page was asked for the first time.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from crawling import Simweb, run_gossamer, simweb_running

from gossamer.simweb.mazes.hostile import SitemapFarm
from gossamer.simweb.mazes.zoo import HOSTILE

HONEST = {"hosts": 10, "pages": 2400, "plain": True, "min_bytes": 2000, "max_bytes": 2500}
EAGER = ("--delay", 0, "--set", "storage.durability=fast")


def hostile_share(web: Simweb) -> tuple[float, Counter[str]]:
    """Return the share of requests that farms got until all honest pages had been asked for, and how many each host got."""
    wanted = {tuple(entry["url"].removeprefix("http://").partition("/")[::2]) for entry in web.manifest if entry["fetch"]}
    wanted = {(host.partition(":")[0], f"/{path}") for host, path in wanted if ".maze.sim" not in host}
    spent: Counter[str] = Counter()
    for seen in web.ledger():
        spent[seen["host"]] += 1
        wanted.discard((seen["host"], seen["path"]))
        if not wanted:
            break
    assert not wanted, f"{len(wanted)} honest pages were never asked for"
    return sum(count for host, count in spent.items() if host.endswith(".maze.sim")) / spent.total(), spent


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_farms_get_a_tenth_of_all_requests_at_most_until_all_honest_pages_are_there(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    with simweb_running(tmp_path, **HONEST, mazes=",".join(HOSTILE)) as web:
        crawl = tmp_path / "crawl"
        result = run_gossamer("crawl", *web.crawl_options, "--dir", crawl, *EAGER, "--max-pages", 2640, *workers)
        assert result.returncode == 0, result.stderr
        share, spent = hostile_share(web)
    assert share <= 0.1, spent
    shown = [json.loads(line) for line in run_gossamer("traps", crawl, "--json").stdout.splitlines()]
    sinking = {one["host"] for one in shown if one.get("sinks")}
    assert {f"{name}.maze.sim" for name in HOSTILE if "word" in name} <= sinking <= {f"{name}.maze.sim" for name in HOSTILE}
    farm, *_, lists = [line for line in web.seeds.read_text().split() if ".maze.sim" in line]
    told = run_gossamer("explain", crawl, f"{farm}anything", "--all").stdout
    assert "traps.growth" in told and "yields only itself" in told, told
    assert "sinks" in run_gossamer("traps", crawl).stdout
    allowed = run_gossamer("traps", crawl, "--host", "word-farm-1.maze.sim", "--allow", "growth")
    assert allowed.returncode == 0 and "left alone by an operator" in allowed.stdout, allowed.stderr
    listed = re.findall(r"<loc>/(.*?)</loc>", SitemapFarm("sitemap-farm-2", 1).answer("/sitemap.xml").html.decode())
    asked = run_gossamer("explain", crawl, "-", "--json", stdin="".join(f"{lists}{path}\n" for path in listed)).stdout
    reasons = [json.loads(line)["reason"] for line in asked.splitlines()]
    assert any("sitemaps were fetched" in reason for reason in reasons), reasons
