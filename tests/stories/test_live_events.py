"""The live stream: nothing is lost however often a reader comes and goes, and it ends when whoever reads may not any more."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from crawling import run_gossamer, simweb_running, start_gossamer
from doors import Door, serving

TOLD = "kinds=visit,word,begun,ended"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that has ended."""
    place = tmp_path_factory.mktemp("streamed")
    with simweb_running(place, hosts=1, pages=3) as web:
        run = run_gossamer("crawl", "--dir", place / "crawl", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    return place / "crawl"


@contextmanager
def crawling(directory: Path, *options: object) -> Iterator["Popen[str]"]:
    """Crawl for a while."""
    crawl = start_gossamer("crawl", "--dir", directory, *options, "--quiet")
    try:
        yield crawl
    finally:
        crawl.terminate()
        crawl.communicate(timeout=60)


def ids_of(directory: Path) -> list[str]:
    """Return the ids of all events, as the log has them."""
    log = run_gossamer("log", directory, "--json")
    assert log.returncode == 0, log.stderr
    return [json.loads(line)["id"] for line in log.stdout.splitlines()]


def until(path: Path) -> None:
    """Wait for a file."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_nothing_is_lost_and_nothing_told_twice_over_forced_reconnects_and_two_runs(tmp_path: Path) -> None:
    directory = tmp_path / "home" / "one"
    directory.parent.mkdir()
    with simweb_running(tmp_path, hosts=2, pages=40) as web, serving(directory.parent) as door:
        with crawling(directory, *web.crawl_options, "--delay", "0.1", "--max-pages", "40") as first:
            until(directory / "chronicle")
            seen = list(_read(door, "", 7, lambda: first.poll() is not None))
        with start_gossamer("resume", directory, "--set", "crawl.max_pages=90", "--quiet") as second:
            seen += _read(door, seen[-1], 11, lambda: second.poll() is not None)
            second.communicate(timeout=60)
        told = ids_of(directory)
    assert seen == told[told.index(seen[0]) :], "each event once, in order"
    assert len(seen) > 60


def _read(door: Door, last: str, at_once: int, is_over: object) -> Iterator[str]:
    """Read a few events, hang up, come again, as a browser does; until the crawl is over and nothing more comes."""
    while True:
        over = is_over()  # type: ignore[operator]
        with door.stream(f"api/v1/events?{TOLD}&after=", {"Last-Event-ID": last} if last else {}, timeout=2.5) as events:
            assert events.status == 200
            count = 0
            try:
                for event in events:
                    last = event["id"]
                    yield last
                    count += 1
                    if count == at_once:
                        break
            except TimeoutError:
                if over and not count:
                    return


def test_without_an_id_only_what_comes_is_told_and_with_one_what_came_since(ended: Path) -> None:
    told = ids_of(ended)
    with serving(ended) as door:
        with door.stream(f"api/v1/events?{TOLD}", timeout=3) as events:
            first = events.line()
            while not first.startswith("id:"):
                first = events.line()
            assert first == f"id: {told[-1]}", "a reader that comes again says where it was"
            with pytest.raises(TimeoutError):
                next(iter(events))
        with door.stream(f"api/v1/events?{TOLD}&after={told[-4]}") as events:
            later = iter(events)
            assert [next(later)["id"] for _ in range(3)] == told[-3:]
        with door.stream(f"api/v1/events?{TOLD}&after=00000000-00000009-0001") as events:
            assert next(iter(events))["id"] == told[0], "an id of a crawl that stood here before: all is new"
        assert door.get(f"api/v1/events?{TOLD}&after=nonsense")[0] == 422
        assert door.get("api/v1/events?kinds=gossip")[0] == 422


def test_a_stream_outlives_the_runs_of_its_crawl(tmp_path: Path) -> None:
    directory = tmp_path / "home" / "one"
    with (
        simweb_running(tmp_path, hosts=1, pages=300) as web,
        crawling(directory, *web.crawl_options, "--delay", "0.1") as first,
    ):
        until(directory / "control.sock")
        with serving(directory) as door, door.stream("api/v1/events?kinds=pulse", timeout=20) as events:
            pulses = (json.loads(event["data"])["state"] for event in events)
            assert "running" in _states(pulses, "running")
            first.terminate()
            first.communicate(timeout=60)
            assert "stopped" in _states(pulses, "stopped")
            assert not (directory / "control.sock").exists(), "nobody is made to hold a crawl because it is watched"
            with start_gossamer("resume", directory, "--quiet") as second:
                assert "running" in _states(pulses, "running")
                second.terminate()
                second.communicate(timeout=60)


def _states(pulses: Iterator[str], wanted: str) -> set[str]:
    """Read pulses until one has the state that is wanted."""
    seen = set()
    for state in pulses:
        seen.add(state)
        if state == wanted:
            break
    return seen


def test_a_stream_ends_with_its_token_or_session(ended: Path) -> None:
    with serving(ended) as door:
        token = door.post("api/v1/tokens", {"name": "watcher"})[1]["token"]
        cookie = door.ask("POST", "api/v1/session", {"token": door.token}, token="").headers["set-cookie"].partition(";")[0]
        ours = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin", "X-Gossamer": "1"}
        for headers, end in (
            ({"Authorization": f"Bearer {token}"}, lambda: door.delete("api/v1/tokens?name=watcher")),
            (ours | {"Authorization": ""}, lambda: door.ask("DELETE", "api/v1/session", token="", headers=ours)),
        ):
            with door.stream("api/v1/events?kinds=pulse", headers) as events:
                assert events.status == 200 and next(iter(events))
                end()
                assert isinstance(list(events), list), "it ends"


def test_one_stream_too_many(ended: Path) -> None:
    with serving(ended, "--set", "serve.streams=1") as door, door.stream("api/v1/events") as events:
        assert next(iter(events))
        status, problem = door.get("api/v1/events")
        assert status == 429 and "1 streams" in problem["detail"]


def test_a_worker_that_dies_is_told_as_trouble_and_counted(tmp_path: Path) -> None:
    directory = tmp_path / "home" / "one"
    with (
        simweb_running(tmp_path, hosts=8, pages=400) as web,
        crawling(directory, *web.crawl_options, "--delay", "0.2", "--workers", 2),
    ):
        until(directory / "control.sock")
        with serving(directory) as door, door.stream("api/v1/events?kinds=pulse,trouble", timeout=30) as events:
            told = ((event["event"], json.loads(event["data"])) for event in events)
            first = next(pulse for kind, pulse in told if kind == "pulse" and len(pulse["workers"]) == 2)
            assert first["worker_deaths"] == 0 and all(worker["pid"] for worker in first["workers"])
            victim = first["workers"][0]
            os.kill(victim["pid"], signal.SIGKILL)
            trouble = next(event for kind, event in told if kind == "trouble" and event.get("died"))
            assert trouble["worker"] == victim["name"] and trouble["what"] and "trace" not in trouble
            later = next(pulse for kind, pulse in told if kind == "pulse" and _is_replaced(pulse, victim["pid"]))
            assert later["worker_deaths"] == 1
            rows = door.get("api/v1/workers")[1]["items"]
            assert {row["pid"] for row in rows} == {worker["pid"] for worker in later["workers"]}
            assert "gossamer_worker_deaths_total" in door.get("metrics")[1]


def _is_replaced(pulse: dict[str, Any], pid: int) -> bool:
    return len(pulse["workers"]) == 2 and all(worker["pid"] != pid for worker in pulse["workers"])
