"""Jobs of a server: submitted, queued, run beside it, stopped, and found again by the next server."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, run_gossamer, simweb_running
from doors import Door, serving

from gossamer.jobs.job import JobWish, read_run, write_wish
from gossamer.jobs.supervise import LONGEST_WAIT, MOST_DEATHS, Supervisor
from gossamer.testing.clock import VirtualClock

LET = ("--let", "fetch.allow_private", "--let", "dns.overrides")
REACHED = {"fetch.allow_private": ["127.0.0.0/8"], "dns.overrides": ["*.sim:127.0.0.1"], "politeness.delay": 0}
PATIENCE = 30.0


def until(holds: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """Return what a condition comes to when it holds."""
    end = time.monotonic() + patience
    while not (found := holds()):
        assert time.monotonic() < end, f"waited {patience:g} s for: {what}"
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simweb]:
    with simweb_running(tmp_path_factory.mktemp("web"), hosts=3, pages=30) as web:
        yield web


@contextmanager
def opened(home: Path, *options: object) -> Iterator[Door]:
    with serving(home, *LET, *options) as door:
        yield door


def submitted(door: Door, web: Simweb, name: str, **more: Any) -> Any:
    settings = {**REACHED, **more.pop("settings", {})}
    body = {"urls": web.seeds.read_text().split(), "name": name, "settings": settings, **more}
    status, answer = door.post("api/v1/crawl/submit", body)
    assert status == 202, answer
    return answer


def state_of(door: Door, job: str) -> str:
    status, row = door.get(f"api/v1/jobs/{job}")
    assert status == 200, row
    return str(row["state"])


def runner_of(home: Path, job: str) -> int:
    return int((home / job / "lock").read_text().split()[0])


SLOW = {"politeness.delay": 0.5}  # of a crawl that is to run for a while


def test_a_submitted_crawl_is_run_and_finishes(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        answer = door.ask(
            "POST",
            "api/v1/crawl/submit",
            {"urls": [*web.seeds.read_text().split(), "no url", "file:///etc/passwd"], "settings": REACHED},
        )
        assert answer.status == 202
        job = answer.body["job_id"]
        assert answer.headers["location"] == f"/api/v1/jobs/{job}" and answer.body["status"] == "queued"
        assert [one["index"] for one in answer.body["refused"]] == [
            len(web.seeds.read_text().split()),
            len(web.seeds.read_text().split()) + 1,
        ]
        until(lambda: state_of(door, job) == "finished", "the crawl finishes")
        status, told = door.get(f"api/v1/crawl/status/{job}")
        assert (
            status == 200 and told["status"] == "finished" and told["pages_crawled"] > 0 and told["politeness_violations"] == 0
        )
        assert told["end"] == "finished"
        status, rows = door.get("api/v1/jobs")
        assert [row["job"] for row in rows["items"]] == [job]


def test_a_crawl_outlives_its_server_and_the_next_one_attaches(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "long", settings=SLOW)
        until(lambda: state_of(door, "long") == "running" and door.get("api/v1/crawl/status/long")[1]["requests"], "it runs")
        pid = runner_of(tmp_path, "long")
        door.process.send_signal(signal.SIGKILL)
        door.process.wait(10)
    os.kill(pid, 0)
    with opened(tmp_path) as door:
        assert state_of(door, "long") == "running"
        assert runner_of(tmp_path, "long") == pid
        assert door.post("api/v1/jobs/long/stop")[0] == 202
        until(lambda: state_of(door, "long") == "stopped", "it stops")
    assert json.loads((tmp_path / "long" / "job.json").read_text())["wanted"] == "stopped"


def test_a_killed_crawl_is_started_again_and_a_stopped_one_is_not(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "killed", settings=SLOW)
        until(lambda: state_of(door, "killed") == "running" and (tmp_path / "killed" / "control.sock").exists(), "it runs")
        pid = runner_of(tmp_path, "killed")
        os.kill(pid, signal.SIGKILL)
        until(lambda: state_of(door, "killed") == "running" and runner_of(tmp_path, "killed") != pid, "another process runs it")
        assert door.post("api/v1/jobs/killed/stop")[0] == 202
        until(lambda: state_of(door, "killed") == "stopped", "it stops")
        assert door.post("api/v1/jobs/killed/start")[0] == 202
        until(lambda: state_of(door, "killed") == "running", "it runs again")
        door.post("api/v1/jobs/killed/stop")
        until(lambda: state_of(door, "killed") == "stopped", "it stops again")


def test_more_jobs_than_may_run_wait_in_the_order_they_were_asked_for(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path, "--set", "serve.jobs=1") as door:
        for name in ("one", "two", "three"):
            submitted(door, web, name, settings=SLOW)
        submitted(door, web, "four", settings=SLOW, priority="high")
        until(lambda: state_of(door, "one") == "running", "the first runs")
        rows = {row["job"]: row for row in door.get("api/v1/jobs")[1]["items"]}
        assert {name: row["queue"] for name, row in rows.items()} == {"one": None, "four": 1, "two": 2, "three": 3}
        door.post("api/v1/jobs/one/stop")
        door.post("api/v1/jobs/four/stop")
        until(lambda: state_of(door, "two") == "running", "the next runs")
        assert state_of(door, "three") == "queued"
        for name in ("three", "two"):
            door.post(f"api/v1/jobs/{name}/stop")
        until(lambda: {state_of(door, name) for name in rows} == {"stopped"}, "all stop")


def test_a_job_that_cannot_run_has_failed_with_its_sentence(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "broken", start=False)
        assert state_of(door, "broken") == "stopped"
        (tmp_path / "broken" / "gossamer.toml").write_text("[fetch]\nno_such_knob = 1\n")
        (tmp_path / "broken" / "crawl.seal").unlink()
        assert door.post("api/v1/jobs/broken/start")[0] == 202
        row = until(lambda: (row := door.get("api/v1/jobs/broken")[1])["state"] == "failed" and row, "it fails")
        assert "no_such_knob" in row["why"]
        assert door.get("api/v1/crawl/status/broken")[1]["status"] == "failed"


def test_a_job_that_dies_again_and_again_without_getting_on_has_failed_with_its_sentence(tmp_path: Path, web: Simweb) -> None:
    clock = VirtualClock(time.time())
    with opened(tmp_path) as door:
        submitted(door, web, "doomed", start=False)
    path = tmp_path / "doomed"
    write_wish(path, JobWish(wanted="running", asked=clock.now()))
    supervisor = Supervisor(tmp_path, lambda: {"doomed": path}, clock)
    pids = set()
    while (run := read_run(path)) is None or not run.is_over:
        supervisor.look()
        if (run := read_run(path)) is not None and run.pid and run.pid not in pids:
            pids.add(run.pid)
            os.kill(run.pid, signal.SIGKILL)  # before it gets anywhere
        clock.advance(LONGEST_WAIT)
    assert len(pids) == MOST_DEATHS == run.deaths
    with opened(tmp_path) as door:
        row = door.get("api/v1/jobs/doomed")[1]
        assert row["state"] == "failed" and "died 5 times without getting on" in row["why"] and "SIGKILL" in row["why"]


def test_a_pause_lasts_over_runs_and_ends_with_resume(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "held", start=False)
        assert door.post("api/v1/jobs/held/pause")[0] == 204
        door.post("api/v1/jobs/held/start")
        row = until(lambda: (row := door.get("api/v1/jobs/held")[1])["state"] == "paused" and row, "it is paused")
        assert row["why"] and row["pages"] == 0
        assert door.post("api/v1/jobs/held/resume")[0] == 204
        until(lambda: state_of(door, "held") == "finished", "it finishes")


def test_names_and_settings_that_cannot_be_are_refused(tmp_path: Path, web: Simweb) -> None:
    seeds = web.seeds.read_text().split()
    with serving(tmp_path) as door:
        for name in ("../../etc", "a/b", "A", "-a", "a" * 64, ".hidden", "a b"):
            status, problem = door.post("api/v1/crawl/submit", {"urls": seeds, "name": name})
            assert (status, problem["errors"][0]["where"]) == (422, "body.name"), name
        for setting in ("fetch.allow_private", "robots.obey", "storage.kv", "dns.servers", "documents.scripts", "events.to"):
            status, problem = door.post("api/v1/crawl/submit", {"urls": seeds, "settings": {setting: "x"}})
            assert (status, problem["type"]) == (403, "urn:gossamer:problem:setting"), setting
        status, problem = door.post("api/v1/crawl/submit", {"urls": ["file:///etc/passwd", "x y"]})
        assert status == 422 and [one["where"] for one in problem["errors"]] == ["body.urls[0]", "body.urls[1]"]
        status, problem = door.post("api/v1/crawl/submit", {"urls": seeds, "settings": {"crawl.max_pages": -1}})
        assert status == 422 and "crawl.max_pages" in problem["detail"]
        status, problem = door.post("api/v1/crawl/submit", {"urls": ["http://a.example/"] * 10_001})
        assert status == 422
        assert door.post("api/v1/crawl/submit", {"urls": seeds, "name": "taken", "start": False})[0] == 202
        assert door.post("api/v1/crawl/submit", {"urls": seeds, "name": "taken", "start": False})[0] == 409
        for path in ("..%2f..%2fetc", "a%2fb", "x" * 300, "nobody"):
            assert door.get(f"api/v1/jobs/{path}")[0] in (404, 422), path
        (tmp_path / "linked").symlink_to(tmp_path / "taken")
        assert door.get("api/v1/jobs/linked")[0] == 404
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_dir()) == ["linked", "taken"]


def test_a_job_is_removed_only_when_it_is_stopped_and_its_name_is_given_twice(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "gone", settings=SLOW)
        until(lambda: state_of(door, "gone") == "running", "it runs")
        assert door.delete("api/v1/jobs/gone?confirm=gone")[0] == 409
        door.post("api/v1/jobs/gone/stop")
        until(lambda: state_of(door, "gone") == "stopped", "it stops")
        assert door.delete("api/v1/jobs/gone")[0] == 422
        assert door.get("api/v1/stats?job=gone")[0] == 200  # a keeper has it, and yields
        assert door.delete("api/v1/jobs/gone?confirm=gone")[0] == 204
        assert door.get("api/v1/jobs/gone")[0] == 404
    assert not (tmp_path / "gone").exists()


def test_a_checkpoint_stands_below_the_home_and_is_a_crawl(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "copied")
        until(lambda: state_of(door, "copied") == "finished", "it finishes")
        status, answer = door.post("api/v1/jobs/copied/checkpoint")
        assert status == 200
        assert run_gossamer("status", tmp_path / answer["checkpoint"]).returncode == 0
        assert [row["job"] for row in door.get("api/v1/jobs")[1]["items"]] == ["copied"]


def test_a_recrawl_visits_again(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        submitted(door, web, "again")
        until(lambda: state_of(door, "again") == "finished", "it finishes")
        before = door.get("api/v1/crawl/status/again")[1]["requests"]
        assert door.post("api/v1/jobs/again/recrawl")[0] == 202
        until(lambda: door.get("api/v1/crawl/status/again")[1]["requests"] > before, "it is visited again")
        until(lambda: state_of(door, "again") == "finished", "it finishes again")


def test_a_plan_says_what_would_become_of_links_and_begins_nothing(tmp_path: Path, web: Simweb) -> None:
    with opened(tmp_path) as door:
        seeds = web.seeds.read_text().split()
        status, plan = door.post("api/v1/crawl/plan", {"urls": seeds, "settings": {**REACHED, "scope.block": ["/page/1"]}})
        assert status == 200, plan
        assert plan["seeds"][0]["outcome"] == "ok" and plan["links"]
        assert {one["becomes"] for one in plan["links"]} <= {"queued", "refused"}
        status, plan = door.post("api/v1/crawl/plan", {"urls": ["http://127.0.0.1:1/"]})
        assert status == 200 and plan["seeds"][0]["outcome"] != "ok" and not plan["links"]
    assert not any(each.is_dir() for each in tmp_path.iterdir())


def test_the_schema_tells_every_setting_and_whether_it_may_be_set(tmp_path: Path) -> None:
    with opened(tmp_path) as door:
        rows = {row["name"]: row for row in door.get("api/v1/settings/schema")[1]}
        assert rows["crawl.max_pages"]["may_be_set"] and not rows["storage.kv"]["may_be_set"]
        assert rows["fetch.allow_private"]["may_be_set"], "the server was started so"
        assert rows["scope.within"]["choices"] == ["host", "domain", "prefix", "any"]
        assert all(row["help"] for row in rows.values())


def test_the_same_idempotency_key_submits_once_over_servers(tmp_path: Path, web: Simweb) -> None:
    body = {"urls": web.seeds.read_text().split(), "start": False}
    names = set()
    for _ in range(2):
        with serving(tmp_path) as door:
            answer = door.ask("POST", "api/v1/crawl/submit", body, headers={"Idempotency-Key": "k1"})
            assert answer.status == 202
            names.add(answer.body["job_id"])
    assert len(names) == 1
