"""What a run may spend, who says so, and how a crawl goes on when it is spent."""

import json
import signal
import threading
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Site, page, site_running

OPTIONS = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "traps.soft_404=false"]
LEAVES = [f"/{number}" for number in range(19)]
TWENTY = {"/": page(*LEAVES), **{leaf: page(title=f"leaf {leaf}") for leaf in LEAVES}}


def crawl(directory: Path, site: Site, *options: object) -> str:
    """Crawl a site, quietly; return the last line of the summary."""
    result = run_gossamer("crawl", site.url(), "--dir", directory / "crawl", *OPTIONS, "--quiet", *options)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()[-1]


def resume(directory: Path, *options: object) -> dict[str, object]:
    """Go on with it; return the summary."""
    result = run_gossamer("resume", directory / "crawl", *options, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_budget_given_to_resume_counts_for_that_run(tmp_path: Path, workers: int) -> None:
    with site_running(TWENTY) as site:
        crawl(tmp_path, site, "--max-pages", 3, "--workers", workers)
        again = resume(tmp_path, "--max-pages", 5)
        assert (again["end"], again["pages"]) == ("budget spent", 5)
        assert len(site.paths) == 8
        assert resume(tmp_path, "--max-pages", 100)["end"] == "finished"
    assert sorted(site.paths) == sorted(TWENTY)


def test_a_spent_budget_names_its_option_and_a_plain_resume_spends_it_once_more(tmp_path: Path) -> None:
    with site_running(TWENTY) as site:
        last = crawl(tmp_path, site, "--max-pages", 3)
        command = f"gossamer resume {tmp_path / 'crawl'} --max-pages 3"
        assert last == f"done: the budget is spent (--max-pages 3), 17 URLs wait; go on with: {command}"
        result = run_gossamer("resume", tmp_path / "crawl")
        assert "budget:     3 pages more (--max-pages)" in result.stderr
        assert len(site.paths) == 6
        assert resume(tmp_path, "--max-time", "1h")["spent"] == {"setting": "crawl.max_pages", "limit": 3}
    assert len(site.paths) == 9


def test_an_interrupted_crawl_goes_on_with_what_is_left_of_its_budget(tmp_path: Path) -> None:
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page(title="held")

    with site_running({**TWENTY, "/": page("/held", *LEAVES), "/held": held}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *OPTIONS, "--set", "crawl.order=breadth-first", "--quiet"]
        crawler = start_gossamer(*words, "--max-pages", 5)
        site.wait_for("/held")
        crawler.send_signal(signal.SIGINT)
        go.set()
        crawler.communicate(timeout=60)
        assert crawler.returncode == 130
        kept = len(site.paths)
        assert 1 < kept < 5
        assert resume(tmp_path)["pages"] == 5 - kept


@pytest.mark.parametrize(
    ("option", "value", "setting"), [("--max-bytes", "1kB", "max_bytes"), ("--max-time", "3s", "max_seconds")]
)
def test_bytes_and_time_are_named_too(tmp_path: Path, option: str, value: str, setting: str) -> None:
    with site_running(TWENTY) as site:
        last = crawl(tmp_path, site, option, value, "--delay", "0.3")
        assert f"the budget is spent ({option} {value})" in last
        assert last.endswith(f" {option} {value}")
        asked = len(site.paths)
        again = resume(tmp_path, option, value)
        assert again["spent"]["setting"] == f"crawl.{setting}"  # type: ignore[index]
    assert len(site.paths) > asked


def test_a_budget_that_was_just_enough_leaves_nothing_to_advise(tmp_path: Path) -> None:
    with site_running(TWENTY) as site:
        assert crawl(tmp_path, site, "--max-pages", 20) == "done: nothing waits"
