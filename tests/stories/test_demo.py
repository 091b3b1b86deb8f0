"""The demo: on a terminal its crawl can be watched in a browser and it stays; elsewhere it ends by itself."""

import json
import re
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer
from terminals import Terminal

SMALL = ("--hosts", 4, "--pages", 60)
LINK = r"{}:\s+(http://127\.0\.0\.1:\d+/)#token=(\S+)"


def states(url: str, token: str) -> list[str]:
    """Return the states of the crawls that a server shows."""
    asked = urllib.request.Request(f"{url}metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=20) as answer:
        return re.findall(r'(?m)^gossamer_crawl_state{crawl="[^"]+",state="([a-z]+)"} 1\.0$', answer.read().decode())


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A demo on a terminal."""
    terminal = Terminal("demo", "--dir", tmp_path / "demo.crawl", *SMALL)
    yield terminal
    terminal.close()


def test_on_a_terminal_the_demo_is_watched_while_it_runs_and_stays_until_it_is_interrupted(terminal: Terminal) -> None:
    url, token = terminal.read_until(LINK.format("watch it in a browser")).groups()
    assert states(url, token) == ["running"]
    terminal.read_until(" 0 failed")
    assert terminal.read_until(LINK.format("until Ctrl-C")).groups() == (url, token)
    assert terminal.process.poll() is None
    assert states(url, token) == ["finished"]
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.process.wait(20) == 0
    with pytest.raises(urllib.error.URLError):
        states(url, token)


def test_an_interrupted_demo_takes_its_server_along(terminal: Terminal) -> None:
    url, token = terminal.read_until(LINK.format("watch it in a browser")).groups()
    terminal.process.send_signal(signal.SIGINT)
    terminal.process.wait(60)
    with pytest.raises(urllib.error.URLError):
        states(url, token)


def test_without_a_terminal_the_demo_serves_nothing_and_ends(tmp_path: Path) -> None:
    done = run_gossamer("demo", "--dir", tmp_path / "demo.crawl", *SMALL)
    assert done.returncode == 0 and " 0 failed" in done.stdout
    assert "#token=" not in done.stdout + done.stderr
    assert json.loads(run_gossamer("status", tmp_path / "demo.crawl", "--json").stdout)["state"] == "finished"
