"""The REST API over a crawl that has ended: what it kept and learned is told, and what it will do next is changed."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import pytest
from crawling import run_gossamer
from doors import Door, serving
from serving import Answer, page, site_running

from gossamer.client import ServerClient, ServerProblem

HOST = "127.0.0.1"
CALENDAR = [f"/calendar/{day}" for day in range(40)]
TWINS = ["/twin/one", "/twin/two"]
LISTS = "api/v1/jobs/ended/lists"
SETTINGS = "api/v1/jobs/ended/settings"


def text(seed: str, more: str = "") -> Answer:
    """Return a page with many words."""
    status, headers, body = page(title=seed)
    return status, headers, body + " ".join([*(f"{seed}{number}" for number in range(400)), more]).encode()


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server of one crawl, which has met a trap and two pages that are nearly the same."""
    home = tmp_path_factory.mktemp("ended")
    routes = {"/": page(*CALENDAR, *TWINS)} | dict.fromkeys(CALENDAR, text("calendar"))
    routes |= {path: text("twin", path) for path in TWINS}
    with site_running(routes) as site:
        quick = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "traps.probe_after=1000", "--quiet"]
        result = run_gossamer("crawl", site.url(), "--dir", home / "ended", *quick)
        assert result.returncode == 0, result.stderr
    with serving(home) as opened:
        yield opened


@pytest.fixture
def server(door: Door) -> Iterator[ServerClient]:
    with ServerClient(door.url, door.token) as client:
        yield client


def test_the_near_duplicates_of_a_page_are_told_with_their_distance(server: ServerClient) -> None:
    one, two = (next(row for row in server.pages() if row.url.endswith(path)) for path in TWINS)
    [near] = [row for row in server.near(one.id) if row.url == two.url]
    assert near.id == two.id and 0 <= near.distance <= 8
    with pytest.raises(ServerProblem) as refused:
        server.near("0" * 16)
    assert refused.value.problem.status == 404


def test_a_lesson_is_overruled_and_the_word_stands_until_it_is_taken_back(server: ServerClient, door: Door) -> None:
    def trap() -> Any:
        return next(one for one in server.lessons(HOST, "template") if one.name == "/calendar/{n}")

    assert trap().ruling == "none" and trap().facts
    for ruling in ("allow", "block", "none"):
        server.overrule(trap(), ruling)
        assert trap().ruling == ruling
    path = f"api/v1/lessons/{HOST}/template/{quote('/calendar/{n}', safe='')}"
    assert door.put(path, {"ruling": "perhaps"})[0] == 422
    assert door.put(f"api/v1/lessons/{HOST}/template/{quote('/never/{n}', safe='')}", {"ruling": "none"})[0] == 404


@pytest.mark.parametrize("kind", ["template", "parameter", "probe", "words", "view", "habit"])
def test_a_word_above_something_that_cannot_be_is_refused_and_the_next_request_is_answered(door: Door, kind: str) -> None:
    status, problem = door.put(f"api/v1/lessons/other.example/{kind}", {"ruling": "allow"})
    assert status == 422 and problem["detail"]
    assert door.get("api/v1/lessons?host=other.example") == (200, {"items": [], "next": None, "as_of": None})


def test_a_pace_so_slow_that_it_has_no_delay_is_refused(door: Door) -> None:
    for field in ("max_qps", "recrawl_interval_hours"):
        status, problem = door.put(f"api/v1/domains/{HOST}/policy", {field: 5e-324})
        assert status == 422 and problem["errors"][0]["where"] == f"body.{field}"


def test_the_example_of_the_clients_page_runs(door: Door) -> None:
    page_of_docs = Path(__file__).parents[2] / "docs" / "reference" / "client.md"
    [example] = re.findall(r"(?ms)^```python title=[^\n]*\n(.*?)^```$", page_of_docs.read_text("utf-8"))
    given = {**os.environ, "GOSSAMER_URL": door.url, "GOSSAMER_TOKEN": door.token}
    run = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, env=given, timeout=30)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].endswith(" pages") and "twin" in run.stdout and lines[-1] == "not-found"


def test_a_list_has_the_patterns_that_it_is_given_and_an_old_tag_changes_nothing(door: Door) -> None:
    before = door.ask("GET", f"{LISTS}/block")
    assert before.body == {"kind": "block", "patterns": [], "file": ""}
    patterns = ["ads.example", "*.ads.example", "http://a.example/private/", "/[?&]sort=/"]
    changed = door.ask("PUT", f"{LISTS}/block", {"patterns": patterns}, headers={"If-Match": before.headers["etag"]})
    assert changed.status == 200 and changed.body["patterns"] == patterns
    late = door.ask("PUT", f"{LISTS}/block", {"patterns": []}, headers={"If-Match": before.headers["etag"]})
    assert late.status == 412 and door.get(f"{LISTS}/block")[1]["patterns"] == patterns
    assert door.put(f"{LISTS}/block", {"patterns": ["ads.example"]})[1]["patterns"] == ["ads.example"]
    assert door.get(f"{LISTS}/allow")[1]["patterns"] == []
    assert door.get(f"{LISTS}/neither")[0] == 422


@pytest.mark.parametrize("pattern", ["(a", "/(a/", "/(?=a)b/", "http://", "a b", "#", " ", "a\nb"])
def test_a_line_that_is_no_host_no_beginning_and_no_expression_is_refused_with_its_sentence(door: Door, pattern: str) -> None:
    before = door.get(f"{LISTS}/block")[1]
    status, problem = door.put(f"{LISTS}/block", {"patterns": ["fine.example", pattern]})
    assert status == 422 and problem["detail"], problem
    assert door.get(f"{LISTS}/block")[1] == before


def test_settings_are_changed_by_name_and_an_old_tag_changes_nothing(door: Door) -> None:
    before = door.ask("GET", SETTINGS)
    tag = {"If-Match": before.headers["etag"]}
    changed = door.ask("PUT", SETTINGS, {"settings": {"politeness.delay": 2.5}}, headers=tag)
    assert changed.status == 200 and changed.body["settings"]["politeness.delay"] == 2.5
    assert changed.headers["etag"] != before.headers["etag"] and "fetch.allow_private" in changed.body["refused"]
    late = door.ask("PUT", SETTINGS, {"settings": {"politeness.delay": 3}}, headers=tag)
    assert late.status == 412 and late.body["type"].startswith("urn:gossamer:problem:")
    assert door.get(SETTINGS)[1]["settings"]["politeness.delay"] == 2.5
    assert door.put(SETTINGS, {"settings": {"politeness.delay": -1}})[0] == 422
    assert door.put(SETTINGS, {"settings": {"politeness.dely": 1}})[0] == 422
    assert door.put(SETTINGS, {"settings": {"robots.obey": False}})[0] == 403


def test_what_was_done_is_told_oldest_first_and_its_head_moves_with_every_word(server: ServerClient) -> None:
    visits = list(server.audit(kind="visit"))
    assert {one.host for one in visits} == {HOST} and {one.said["outcome"] for one in visits} >= {"ok"}
    assert [one.at for one in visits] == sorted(one.at for one in visits)
    assert {one.kind for one in server.audit()} >= {"begun", "visit", "ended"}
    assert list(server.audit(host="nobody.example")) == [] and list(server.audit(until=1.0)) == []
    head = server.audit_head()
    assert len(head.hash) >= 32 and head.at >= visits[-1].at
    server.pause(HOST)
    deadline = monotonic() + 30
    while not any(one.said["what"] == "set_policy" for one in server.audit(kind="word", host=HOST)):
        assert monotonic() < deadline, "the chronicle tells of a pause within a second"
        sleep(0.05)
    assert server.audit_head().hash != head.hash
    server.resume(HOST)
