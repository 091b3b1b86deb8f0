"""What somebody begins with: a prompt with one page at hand, and a project whose test runs."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import CLEAN, run_gossamer
from serving import Site, page, site_running

LOCAL = ["--allow-private", "127.0.0.0/8"]


@pytest.fixture
def site() -> Iterator[Site]:
    robots = (200, {}, b"user-agent: *\ndisallow: /private\n")
    with site_running({"/": page("/a", title="home"), "/private": page(), "/robots.txt": robots}) as running:
        yield running


def test_the_shell_fetches_once_politely_and_has_the_page_at_hand(site: Site) -> None:
    result = run_gossamer("shell", site.url(), *LOCAL, "-c", "page.title, page.status, len(page.links)")
    assert (result.returncode, result.stdout) == (0, "('home', 200, 1)\n"), result.stderr
    assert [one.path for one in site.asked] == ["/robots.txt", "/"]


def test_the_shell_is_a_prompt(site: Site) -> None:
    result = run_gossamer("shell", site.url(), *LOCAL, stdin="print(page.join('b'))\n")
    assert site.url("/b") in result.stdout and "page is <page" in result.stderr


def test_the_shell_obeys_robots_txt_and_says_so(site: Site) -> None:
    result = run_gossamer("shell", site.url("/private"), *LOCAL, "-c", "page")
    assert result.returncode == 2 and "robots.txt forbids" in result.stderr and site.paths == []
    assert run_gossamer("shell", site.url("/private"), *LOCAL, "--ignore-robots", "-c", "page").returncode == 0


def test_the_shell_tries_a_reader_and_tells_an_error_by_its_line(site: Site, tmp_path: Path) -> None:
    script = tmp_path / "shop.py"
    script.write_text("from gossamer.script import reads\n@reads('text/html')\ndef item(page):\n    yield {'t': page.title}\n")
    result = run_gossamer("shell", site.url(), *LOCAL, "--script", script, "-c", "list(item(page))")
    assert result.stdout == "[{'t': 'home'}]\n"
    for words, told in [("page.nothing", "AttributeError"), ("1 +", "line 1: "), ("list(item(None))", "AttributeError")]:
        result = run_gossamer("shell", site.url(), *LOCAL, "--script", script, "-c", words)
        assert result.returncode == 5 and told in result.stderr and "Traceback" not in result.stderr


def test_a_new_projects_test_runs_and_its_settings_are_used(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "my-shop"
    result = run_gossamer("init", project)
    assert result.returncode == 0 and "readers.py" in result.stdout
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    tested = subprocess.run(words, cwd=project, env=CLEAN, capture_output=True, text=True, check=False)
    assert tested.returncode == 0 and "1 passed" in tested.stdout, tested.stdout
    monkeypatch.chdir(project)
    crawled = run_gossamer("crawl", site.url(), "--config", "gossamer.toml", "--dir", "crawl", "--delay", "0", *LOCAL)
    assert crawled.returncode == 0 and "product of readers.py" in crawled.stderr, crawled.stderr
    monkeypatch.chdir(tmp_path)
    resumed = run_gossamer("resume", project / "crawl")
    assert resumed.returncode == 0 and "product of readers.py" in resumed.stderr, "its script is not found from elsewhere"


def test_a_directory_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    result = run_gossamer("init", tmp_path / "mine")
    assert result.returncode == 2 and "is there already" in result.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]
