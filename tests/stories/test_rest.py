"""The REST API over a real crawl that runs, by a real server: the specification's requests, and the client."""

from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import pytest
from crawling import simweb_running, start_gossamer
from doors import Door, serving

from gossamer.api.types import PolicyChange
from gossamer.client import ServerClient, ServerProblem


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server beside a crawl that runs, slowly, and has kept some pages."""
    place = tmp_path_factory.mktemp("rest")
    with simweb_running(place, hosts=3, pages=60) as web:
        crawl = start_gossamer("crawl", "--dir", place / "home" / "small", *web.crawl_options, "--delay", "0.4", "--quiet")
        try:
            until(lambda: (place / "home" / "small" / "control.sock").exists())
            with serving(place / "home") as opened:
                until(lambda: opened.get("api/v1/pages?outcome=ok&limit=5")[1]["next"] is not None)
                yield opened
        finally:
            crawl.terminate()
            crawl.communicate(timeout=30)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server of a home without a crawl."""
    with serving(tmp_path_factory.mktemp("empty")) as opened:
        yield opened


def until(holds: Any) -> None:
    """Wait for a condition."""
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline
        sleep(0.05)


@pytest.fixture(scope="module")
def page(door: Door) -> dict[str, Any]:
    """A page that was kept."""
    found: dict[str, Any] = door.get("api/v1/pages?outcome=ok&mime=text/html&limit=1")[1]["items"][0]
    return found


POLICY = {"max_qps": 2.0, "crawl_depth": 3, "priority": "low", "recrawl_interval_hours": 24.0, "user_agent": "another/1"}
TODAY = ["pages_crawled_today", "frontier_size", "active_workers", "avg_pages_per_sec", "errors_today"]
# Method, path, body, status, fields of the answer (`items.` are those of a row); {host}, {id}, {worker} are filled in.
REQUESTS: list[tuple[str, str, Any, int, list[str]]] = [
    ("POST", "api/v1/crawl/submit", {"urls": ["http://127.0.0.1:9/"], "priority": "high"}, 202, ["job_id", "status"]),
    ("GET", "api/v1/crawl/status/small", None, 200, ["status", "pages_crawled", "errors", "frontier", "outcomes", "end"]),
    ("GET", "api/v1/crawl/robots/{host}", None, 200, ["allow", "disallow", "crawl_delay", "agent", "sitemaps", "source"]),
    ("POST", "crawler/seeds", {"urls": ["http://{host}/one", "http://{host}/two"]}, 200, ["added"]),
    ("PUT", "crawler/policies/{host}", POLICY, 200, list(POLICY)),
    ("GET", "crawler/status", None, 200, TODAY),
    ("POST", "crawler/domains/{host}/pause", None, 204, []),
    ("POST", "crawler/domains/{host}/resume", None, 204, []),
    ("POST", "api/v1/urls/seed", {"urls": ["http://{host}/three", "no"]}, 200, ["added", "known", "refused"]),
    ("GET", "api/v1/urls/pending", None, 200, ["waiting", "leased", "hosts", "by_priority"]),
    ("GET", "api/v1/urls/pending?host={host}", None, 200, ["queue"]),
    ("GET", "api/v1/domains", None, 200, ["as_of", "items.clock", "items.waiting", "items.delay", "items.policy"]),
    ("GET", "api/v1/domains/{host}", None, 200, ["outcomes", "pages", "bytes", "mean_response_seconds", "robots", "lessons"]),
    ("PUT", "api/v1/domains/{host}/block", {"reason": "for a test"}, 204, []),
    ("DELETE", "api/v1/domains/{host}/block", None, 204, []),
    ("GET", "api/v1/pages?q=page", None, 200, ["items", "next"]),
    ("GET", "api/v1/pages/{id}", None, 200, ["url", "versions", "links"]),
    ("GET", "api/v1/pages/{id}/links", None, 200, ["items.url", "items.id", "items.kind", "items.nofollow", "items.state"]),
    ("GET", "api/v1/workers", None, 200, ["items.id", "items.machine", "items.pid", "items.under_way", "items.rss"]),
    ("GET", "api/v1/workers/{worker}/stats", None, 200, ["outcomes", "bytes", "responses", "stalls", "hosts"]),
    ("GET", "api/v1/stats", None, 200, [*TODAY, "outcomes", "states", "bytes", "coverage", "politeness_violations"]),
    ("GET", "api/v1/stats/throughput", None, 200, ["time", "pages", "errors", "bytes", "waiting"]),
    ("GET", "api/v1/urls/explain?url=http://{host}/never", None, 200, ["state", "verdicts"]),
    ("DELETE", "api/v1/urls/{id}", None, 204, []),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: f"{one[0]} {one[1]}")
def test_each_request_of_the_specification_is_answered_with_its_fields(
    door: Door, empty: Door, page: dict[str, Any], request_: tuple[str, str, Any, int, list[str]]
) -> None:
    method, path, body, status, fields = request_
    worker = door.get("api/v1/workers")[1]["items"][0]["id"]
    filled = path.replace("{host}", page["host"]).replace("{id}", page["id"]).replace("{worker}", quote(worker))
    if body is not None and "urls" in body:
        body |= {"urls": [one.replace("{host}", page["host"]) for one in body["urls"]]}
    asked = empty if path.endswith("/submit") else door  # with a second crawl every other request would have to name its own
    answer = asked.ask(method, filled, body)
    assert answer.status == status, answer.body
    for field in fields:
        name, _, inner = field.partition(".")
        assert inner in answer.body[name][0] if inner else name in answer.body, (field, answer.body)


def test_a_submitted_crawl_is_queued_and_its_status_is_told_by_the_specifications_names(empty: Door) -> None:
    answer = empty.ask("POST", "api/v1/crawl/submit", {"urls": ["http://127.0.0.1:9/"], "priority": "low"})
    job = answer.body["job_id"]
    assert answer.body["status"] == "queued" and answer.headers["location"] == f"/api/v1/jobs/{job}"
    until(lambda: empty.get(f"api/v1/crawl/status/{job}")[1]["status"] == "finished")
    told = empty.get(f"api/v1/crawl/status/{job}")[1]
    assert (told["pages_crawled"], told["outcomes"]) == (0, {"address_refused": 1})


def test_the_workers_of_a_crawl_that_runs_are_told_with_what_they_did(door: Door) -> None:
    with ServerClient(door.url, door.token) as server:
        [worker] = server.workers()
        assert worker.pid > 0 and worker.rss > 1 << 20 and worker.state in ("working", "idle")
        numbers = server.worker_stats(worker.id)
        assert numbers.id == worker.id and numbers.visits >= sum(numbers.outcomes.values()) >= 5
        assert numbers.pages <= numbers.visits and sum(numbers.responses.values()) > 0
        with pytest.raises(ServerProblem) as refused:
            server.worker_stats("nobody")
        assert refused.value.problem.status == 404


def test_throughput_has_columns_of_one_length_in_the_steps_that_were_asked_for(door: Door) -> None:
    with ServerClient(door.url, door.token) as server:
        until(lambda: sum(server.throughput(step=5).pages) > 0)
        told = server.throughput(step=5)
        assert told.step == 5 and {len(one) for one in (told.pages, told.errors, told.bytes, told.waiting)} == {len(told.time)}
        assert told.time == sorted(told.time) and told.since <= told.time[0] and sum(told.bytes) > 0
        assert sum(told.pages) <= server.stats().pages
        for wrong in ({"step": 0.5}, {"since": 20.0, "until": 10.0}):
            with pytest.raises(ServerProblem) as refused:
                server.throughput(**wrong)
            assert refused.value.problem.status == 422


def test_a_kept_page_is_a_download_or_is_shown_where_nothing_of_it_acts(door: Door, page: dict[str, Any]) -> None:
    raw = door.ask("GET", f"api/v1/pages/{page['id']}/content")
    assert raw.status == 200 and raw.headers["content-disposition"].startswith("attachment")
    assert raw.headers["x-content-type-options"] == "nosniff"
    part = door.ask("GET", f"api/v1/pages/{page['id']}/content", headers={"Range": "bytes=0-9"})
    assert part.status == 206 and part.content == raw.content[:10]
    same = door.ask("GET", f"api/v1/pages/{page['id']}/content", headers={"If-None-Match": raw.headers["etag"]})
    assert same.status == 304 and same.content == b""
    shown = door.ask("GET", f"api/v1/pages/{page['id']}/content?as=html")
    policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    assert shown.headers["content-security-policy"] == policy
    assert door.ask("GET", f"api/v1/pages/{page['id']}/content?as=markdown").status == 404


def test_what_is_misspelled_is_told_with_its_place(door: Door, page: dict[str, Any]) -> None:
    for method, path, body, where in (
        ("GET", "api/v1/pages?limt=3", None, "query.limt"),
        ("GET", "api/v1/stats/throughput?step=nan", None, "query.step"),
        ("PUT", f"api/v1/domains/{page['host']}/policy", {"max_qps": "2"}, "body.max_qps"),
        ("PUT", f"api/v1/domains/{page['host']}/policy", {"max_qqs": 2}, "body"),
        ("POST", "api/v1/urls/seed", {"urls": ["x"] * 10_001}, "body.urls"),
        ("POST", "api/v1/urls/seed", {"urls": ["http://a.example/", 3]}, "body.urls[1]"),
    ):
        answer = door.ask(method, path, body)
        assert answer.status == 422 and [one["where"] for one in answer.body["errors"]] == [where], answer.body


def test_a_cursor_of_another_query_and_an_old_tag_are_refused(door: Door, page: dict[str, Any]) -> None:
    cursor = door.get("api/v1/pages?limit=1")[1]["next"]
    status, problem = door.get(f"api/v1/pages?limit=1&outcome=ok&cursor={cursor}")
    assert status == 404 and problem["type"] == "urn:gossamer:problem:cursor"
    path = f"api/v1/domains/{page['host']}/policy"
    tag = door.ask("GET", path).headers["etag"]
    assert door.ask("PUT", path, {"max_qps": 7.0}, headers={"If-Match": tag}).status == 200
    assert door.ask("PUT", path, {"max_qps": 8.0}, headers={"If-Match": tag}).status == 412


def test_the_client_walks_over_lists_reads_pages_and_raises_problems(door: Door) -> None:
    with ServerClient(door.url, door.token) as server:
        pages = list(server.pages(outcome="ok"))
        assert len({one.id for one in pages}) == len(pages) >= 5
        found = next(one for one in pages if one.mime == "text/html")
        assert server.page(found.id).url == found.url and server.page(url=found.url).id == found.id
        assert server.content(found.id) and server.explain(found.url).outcome == "ok"
        assert server.change_policy(found.host, PolicyChange(crawl_depth=9)).crawl_depth == 9
        assert server.stats().politeness_violations == 0
        assert next(server.events("pulse")).data["pages"] > 0
        with pytest.raises(ServerProblem) as refused:
            server.settings("nowhere")
        assert refused.value.kind == "no-such-job"
