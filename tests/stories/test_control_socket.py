"""The control socket of a crawl that is kept: questions that interleave, are too long, are wrong; one who does not read."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from crawling import CLEAN, run_gossamer, simweb_running
from doors import serving

from gossamer.children import LENGTH, receive
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.keeping import PROGRAM
from gossamer.jobs.sockets import short
from gossamer.jobs.wire import MOST, Question, reply_of, sent


def until(holds: Callable[[], Any], what: str) -> Any:
    """Return what a condition comes to when it holds."""
    end = time.monotonic() + 30
    while not (found := holds()):
        assert time.monotonic() < end, f"waited for: {what}"
        time.sleep(0.02)
    return found


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kept")
    with simweb_running(place, hosts=2, pages=10) as web:
        run = run_gossamer("crawl", "--dir", place / "crawl", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    return place / "crawl"


KEEP = """
import sys
from pathlib import Path
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.keep import keep
keep(CrawlDirectory(Path(sys.argv[1])), idle=1.0)
"""


def start_keeper(path: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*PROGRAM, str(path)], env=CLEAN, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.fixture
def kept(crawled: Path) -> Iterator[Path]:
    keeper = start_keeper(crawled)
    try:
        until(lambda: answers(crawled), "the keeper answers")
        yield crawled
    finally:
        keeper.terminate()
        keeper.wait(20)


def connect(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    with short(path / "control.sock") as address:
        connection.connect(address)
    return connection


def answers(path: Path) -> bool:
    try:
        with connect(path) as connection:
            connection.sendall(sent(Question(1, "pulse")))
            return reply_of(receive(connection)).answer is not None
    except OSError:
        return False


def test_questions_interleave_and_each_reply_carries_its_number(kept: Path) -> None:
    with connect(kept) as connection:
        for number in range(1, 101):
            connection.sendall(sent(Question(number, "status" if number % 2 else "pulse")))
        replies = [reply_of(receive(connection)) for _ in range(100)]
    assert sorted(reply.id for reply in replies) == list(range(1, 101))
    assert all(("directory" in reply.answer) == bool(reply.id % 2) for reply in replies)


def test_wrong_questions_are_told_so_with_the_kind_of_error(kept: Path) -> None:
    with connect(kept) as connection:
        for number, operation, arguments in ((1, "no such", {}), (2, "host", {"nobody": 1}), (3, "stop", {})):
            connection.sendall(sent(Question(number, operation, arguments)))
            problem = reply_of(receive(connection)).problem
            assert problem is not None and problem.kind == ("NotRunning" if operation == "stop" else "UsageError")
        connection.sendall((5).to_bytes(LENGTH, "big") + b"hello")
        problem = reply_of(receive(connection)).problem
        assert problem is not None and "not understood" in problem.detail
        connection.sendall((MOST + 1).to_bytes(LENGTH, "big"))
        problem = reply_of(receive(connection)).problem
        assert problem is not None and "ask for less" in problem.detail
        assert connection.recv(1) == b"", "what is behind it cannot be read"


def test_the_chronicle_names_the_token_on_whose_behalf_somebody_asked(kept: Path) -> None:
    with connect(kept) as connection:
        connection.sendall(sent(Question(1, "set_policy", {"name": "h0.sim", "changes": {"max_qps": 2.0}}, "grafana")))
        assert reply_of(receive(connection)).problem is None
        told = until(lambda: "(grafana)" in run_gossamer("log", kept, "--json").stdout, "the word is told")
    assert told


def test_one_who_watches_and_does_not_read_holds_up_nobody(kept: Path) -> None:
    with connect(kept) as deaf:
        for number in range(1, 200):
            deaf.sendall(sent(Question(number, "watch")))
        assert answers(kept)


def test_a_killed_keeper_leaves_a_socket_that_is_nobody(crawled: Path) -> None:
    keeper = start_keeper(crawled)
    until(lambda: answers(crawled), "the keeper answers")
    keeper.send_signal(signal.SIGKILL)
    keeper.wait(10)
    assert (crawled / "control.sock").exists()
    assert run_gossamer("status", crawled).returncode == 0
    assert run_gossamer("resume", crawled, "--quiet").returncode == 0


def test_a_run_gets_the_crawl_from_a_keeper_that_still_opens_it(crawled: Path) -> None:
    for _ in range(5):
        keeper = start_keeper(crawled)
        until(lambda: CrawlDirectory(crawled).holder() is not None, "the keeper has the lock")
        resumed = run_gossamer("resume", crawled, "--quiet")
        assert resumed.returncode == 0, resumed.stderr
        keeper.wait(20)


def test_of_several_keepers_one_stays_and_commands_ask_it(crawled: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        keepers = list(pool.map(start_keeper, [crawled] * 4))
    try:
        until(lambda: answers(crawled) and sum(keeper.poll() is None for keeper in keepers) == 1, "one keeper is left")
        assert run_gossamer("status", crawled).returncode == 0
        assert run_gossamer("hosts", crawled).returncode == 0
        held = CrawlDirectory(crawled).holder()
        assert held is not None and held[1] == "keeper", "the keeper has answered, and still does"
        assert os.stat(crawled / "control.sock").st_mode & 0o077 == 0
    finally:
        for keeper in keepers:
            keeper.terminate()
            keeper.wait(20)


def test_a_keeper_that_nobody_asks_ends_and_one_that_is_asked_does_not(crawled: Path) -> None:
    words = [sys.executable, "-P", "-c", KEEP, str(crawled)]
    keeper = subprocess.Popen(words, env=CLEAN, stderr=subprocess.PIPE)
    until(lambda: answers(crawled), "the keeper answers")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert answers(crawled) and keeper.poll() is None, "it is asked, and stays"
    _, errors = keeper.communicate(timeout=20)
    assert keeper.returncode == 0 and errors == b""
    assert not (crawled / "control.sock").exists() and CrawlDirectory(crawled).holder() is None


def test_a_keeper_yields_to_prune(crawled: Path) -> None:
    keeper = start_keeper(crawled)
    until(lambda: answers(crawled), "the keeper answers")
    pruned = run_gossamer("prune", crawled, "--versions", "1")
    assert pruned.returncode == 0, pruned.stderr
    assert keeper.wait(20) == 0


def test_a_keeper_of_a_crawl_that_cannot_be_written_answers_and_changes_nothing(crawled: Path, tmp_path: Path) -> None:
    place = tmp_path / "home" / "media"
    shutil.copytree(crawled, place, ignore=shutil.ignore_patterns("*.sock"))
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with serving(place.parent, read_only=place) as door:
        assert door.get("api/v1/stats")[0] == 200
        status, listed = door.get("api/v1/domains")
        host = listed["items"][0]["host"]
        assert status == 200 and door.get(f"api/v1/domains/{host}")[0] == 200
        for path, body in ((f"api/v1/domains/{host}/pause", None), ("api/v1/urls/seed", {"urls": ["http://h0.sim/new"]})):
            status, problem = door.post(path, body)
            assert status == 507 and problem["type"].endswith(":read-only"), (path, problem)
        assert door.get(f"api/v1/domains/{host}")[1]["paused"] is False
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
