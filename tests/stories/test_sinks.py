"""Consumers are told what a crawl did: every settled visit, beside the crawl and after it; one that is down holds nobody up."""

import json
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme
from consumers import Nats, Valkey, Webhook, consumer_running
from crawling import run_gossamer, start_gossamer
from hiding import run_without
from serving import Site, closed_port, page, site_running

from gossamer.records.event import Event

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--set", "events.linger=0.05"]
PAGES = {"/": page("/a", "/b", "/gone"), "/a": page("/b", title="the first"), "/b": page(title="the second")}
PATHS = {"/", "/a", "/b", "/gone"}
SECRET = "correct horse battery staple"


def visits(events: list[Event]) -> dict[str, dict[str, Any]]:
    """Return what is said of visits, by path."""
    return {"/" + event.said["url"].split("/", 3)[3]: event.said for event in events if event.kind == "visit"}


def crawled(site: Site, place: Path, *options: object) -> Path:
    """Crawl a site to its end."""
    result = run_gossamer("crawl", site.url(), "--dir", place / "crawl", *QUICK, *options)
    assert result.returncode == 0, result.stderr
    return place / "crawl"


def sinks_of(directory: Path) -> list[dict[str, Any]]:
    """Return what `status` says of the sinks of a crawl."""
    answer = json.loads(run_gossamer("status", directory, "--json").stdout)
    sinks: list[dict[str, Any]] = answer["sinks"]
    return sinks


def until(happened: Callable[[], bool]) -> None:
    """Return when something has happened that another process does."""
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        threading.Event().wait(0.02)


# --- a crawl and its sinks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["webhook", "redis", "nats", "kafka"])
def test_a_crawl_tells_a_consumer_of_every_visit(kind: str, tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running(kind, tmp_path / kind) as consumer:
        directory = crawled(site, tmp_path, "--events", consumer.uri)
        told = consumer.events()
    assert set(visits(told)) >= PATHS
    logged = [json.loads(line)["id"] for line in run_gossamer("log", directory, "--json").stdout.splitlines()]
    assert sorted(event.id for event in told) == logged
    (sink,) = sinks_of(directory)
    assert (sink["sink"], sink["lag"], sink["error"]) == (consumer.uri, 0, "")
    assert f"{consumer.uri}: told everything" in run_gossamer("status", directory).stdout


def test_a_crawl_of_several_processes_tells_of_every_visit(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as webhook:
        directory = crawled(site, tmp_path, "--workers", "2", "--events", webhook.uri)
    assert {said["worker"] for said in visits(webhook.events()).values()} <= {"w1", "w2"}
    assert set(visits(webhook.events())) >= PATHS
    assert [sink["lag"] for sink in sinks_of(directory)] == [0]


def test_a_visit_is_told_with_the_row_of_the_catalog(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as webhook:
        directory = crawled(site, tmp_path, "--events", webhook.uri)
    said = visits(webhook.events())
    rows = [json.loads(line) for line in run_gossamer("pages", directory, "--json", "-n", "0").stdout.splitlines()]
    assert {path: said[path]["page"] for path in PATHS} == {"/" + row["url"].split("/", 3)[3]: row for row in rows}
    assert said["/a"]["page"]["title"] == "the first"
    assert "text" not in said["/a"]


def test_the_content_of_pages_is_told_on_request(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as webhook:
        crawled(site, tmp_path, "--events", f"{webhook.uri}?with=text,links")
        said = visits(webhook.events())
        assert "the first" in said["/a"]["text"]
        assert [link["url"] for link in said["/a"]["links"]] == [site.url("/b")]
    assert webhook.requests[0][0] == "/events"  # what is ours is not sent to others


def test_standard_output_has_nothing_but_events(tmp_path: Path) -> None:
    with site_running(PAGES) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--events", "stdout:"]
        result = run_gossamer(*words)
        again = run_gossamer("relay", tmp_path / "crawl", "--to", "stdout:")
        both = run_gossamer("resume", tmp_path / "crawl", "--events", "stdout:", "--json")
    assert result.returncode == 0
    assert "done: nothing waits" in result.stderr
    assert {json.loads(line)["kind"] for line in result.stdout.splitlines()} >= {"visit"}
    assert (again.returncode, again.stdout) == (0, "")
    assert both.returncode == 2
    assert "--json and --events stdout:" in both.stderr


# --- a sink that is down ---------------------------------------------------------------------------------------------


def test_a_sink_that_is_down_costs_no_page_and_relay_tells_the_rest(tmp_path: Path) -> None:
    webhook = Webhook()
    with site_running(PAGES) as site:
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--events", webhook.uri)
        assert result.returncode == 0, result.stderr
    assert "gossamer relay" in result.stdout
    (sink,) = sinks_of(tmp_path / "crawl")
    assert sink["lag"] >= len(PATHS)
    assert sink["failures"] > 0
    assert "refused" in sink["error"].lower()
    assert f"{sink['lag']} behind" in run_gossamer("status", tmp_path / "crawl").stdout
    webhook.start()
    relayed = run_gossamer("relay", tmp_path / "crawl", "--to", webhook.uri, "--json")
    again = run_gossamer("relay", tmp_path / "crawl", "--to", webhook.uri)
    webhook.stop()
    assert relayed.returncode == 0, relayed.stderr
    assert json.loads(relayed.stdout)["lag"] == 0
    assert set(visits(webhook.events())) >= PATHS
    assert again.stdout.startswith("0 events told")
    assert [sink["lag"] for sink in sinks_of(tmp_path / "crawl")] == [0]


def test_a_subject_without_a_stream_is_named(tmp_path: Path) -> None:
    served = Nats(tmp_path / "nats")
    served.start()
    with site_running(PAGES) as site:
        directory = crawled(site, tmp_path, "--events", served.uri)
    served.stop()
    (sink,) = sinks_of(directory)
    assert sink["error"] == "no JetStream stream has this subject; make one"
    assert sink["lag"] >= len(PATHS)


def test_a_sink_that_comes_up_while_the_crawl_runs_is_told_from_the_beginning(tmp_path: Path) -> None:
    webhook = Webhook()
    chain = {f"/{number}": page(f"/{number + 1}") for number in range(60)}
    with site_running({"/": page("/0"), **chain}) as site:
        words = [site.url(), "--dir", tmp_path / "crawl", *QUICK, "--delay", "0.1", "--events", webhook.uri]
        crawler = start_gossamer("crawl", *words)
        site.wait_for("/3")
        assert [sink["error"] != "" for sink in sinks_of(tmp_path / "crawl")] == [True]
        webhook.start()
        until(lambda: {"/", "/0", "/1", "/2"} <= visits(webhook.events()).keys())
        assert crawler.poll() is None
        crawler.terminate()
        crawler.communicate(timeout=60)
    webhook.stop()
    (sink,) = sinks_of(tmp_path / "crawl")
    assert (sink["lag"], sink["error"]) == (0, "")


def test_a_refusal_is_never_skipped(tmp_path: Path) -> None:
    webhook = Webhook()
    webhook.answer = lambda number: (422, {}) if number < 3 else (204, {})
    webhook.start()
    with site_running(PAGES) as site:
        directory = crawled(site, tmp_path)
        assert run_gossamer("relay", directory, "--to", webhook.uri).returncode == 0
    webhook.stop()
    assert len({body for _, _, body in webhook.requests[:3]}) == 1  # the same batch until it is taken
    assert set(visits(webhook.events())) >= PATHS


# --- beside and after ------------------------------------------------------------------------------------------------


def test_a_relay_beside_a_crawl_tells_what_happens_and_two_do_not_tell_one_sink(tmp_path: Path) -> None:
    chain = {f"/{number}": page(f"/{number + 1}") for number in range(60)}
    with site_running({"/": page("/0"), **chain}) as site, consumer_running("webhook", tmp_path) as webhook:
        crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--delay", "0.1")
        site.wait_for("/3")
        relaying = start_gossamer("relay", tmp_path / "crawl", "--to", webhook.uri, "--follow", "--set", "events.linger=0.05")
        until(lambda: {"/", "/0", "/1", "/2"} <= visits(webhook.events()).keys())
        second = run_gossamer("relay", tmp_path / "crawl", "--to", webhook.uri)
        until(lambda: "/8" in visits(webhook.events()))
        crawler.terminate()
        crawler.communicate(timeout=60)
        until(lambda: sinks_of(tmp_path / "crawl")[0]["lag"] == 0)
        relaying.terminate()
        relaying.communicate(timeout=60)
    assert second.returncode == 3
    assert f"is told by process {relaying.pid}" in second.stderr
    told = [event.id for event in webhook.events()]
    assert len(told) == len(set(told))


def test_what_a_later_run_does_is_told_by_itself(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as webhook:
        directory = crawled(site, tmp_path, "--events", webhook.uri)
        before = webhook.events()
        assert run_gossamer("recrawl", directory, "--quiet").returncode == 0
        after = webhook.events()[len(before) :]
    assert set(visits(after)) >= {"/", "/a", "/b"}
    assert not {event.id for event in before} & {event.id for event in after}


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_webhook_is_signed_and_its_secret_is_written_nowhere(tmp_path: Path) -> None:
    webhook, secret = Webhook(SECRET), tmp_path / "secret"
    secret.write_text(f"{SECRET}\n")
    webhook.start()
    with site_running(PAGES) as site:
        uri = f"{webhook.uri}?key=k1&secret_file={secret}"
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK[:-3], "--events", uri)
        secret.write_text("another one")
        refused = run_gossamer("recrawl", tmp_path / "crawl", "--quiet", "--set", "events.drain=0.5")
    webhook.stop()
    assert set(visits(webhook.events())) >= PATHS
    assert webhook.requests[0][0] == "/events?key=k1"
    assert webhook.requests[0][1]["content-type"] == "application/x-ndjson"
    status = run_gossamer("status", tmp_path / "crawl")
    assert "answered 401" in status.stdout
    said = [result.stdout, result.stderr, refused.stdout, refused.stderr, status.stdout]
    kept = [path.read_bytes() for path in (tmp_path / "crawl").rglob("*") if path.is_file() and path.name != "LOCK"]
    assert [text for text in said if SECRET in text or "k1" in text] == []
    assert [text for text in kept if SECRET.encode() in text] == []


def test_a_webhook_over_tls_is_trusted_by_its_certificate_alone(tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    webhook = Webhook(context=context)
    webhook.start()
    with site_running(PAGES) as site:
        directory = crawled(site, tmp_path, "--insecure", "--events", webhook.uri)  # which is said of pages
        (sink,) = sinks_of(directory)
        assert "certificate" in sink["error"]
        assert (
            run_gossamer("relay", directory, "--to", webhook.uri, "--set", f"fetch.ca_file={tmp_path}/ca.pem").returncode == 0
        )
    webhook.stop()
    assert set(visits(webhook.events())) >= PATHS


@pytest.mark.parametrize("kind", ["redis", "nats user", "nats token"])
def test_a_server_that_wants_a_password_gets_it_from_a_file(kind: str, tmp_path: Path) -> None:
    secret, place = tmp_path / "secret", tmp_path / "served"
    secret.write_text("s3cret")
    place.mkdir()
    served: Valkey | Nats
    if kind == "redis":
        served, user = Valkey(place, "s3cret"), ""
    elif kind == "nats user":
        served, user = Nats(place, ("--user", "me", "--pass", "s3cret")), "me@"
        served.options = {"user": "me", "password": "s3cret"}
    else:
        served, user = Nats(place, ("--auth", "s3cret")), ""
        served.options = {"token": "s3cret"}
    served.start()
    try:
        if isinstance(served, Nats):
            served.make_stream()
        uri = served.uri.replace("://", f"://{user}")
        with site_running(PAGES) as site:
            directory = crawled(site, tmp_path, "--events", uri, "--set", "events.drain=1")
        (sink,) = sinks_of(directory)
        assert "auth" in sink["error"].lower()  # without it nobody is let in
        words = ["relay", directory, "--to", f"{uri}{'&' if '?' in uri else '?'}secret_file={secret}"]
        assert run_gossamer(*words).returncode == 0
        assert set(visits(served.events())) >= PATHS
    finally:
        served.stop()


# --- what bad input gets ---------------------------------------------------------------------------------------------

REFUSED = {
    "webhook+http://127.0.0.1:9/": "127.0.0.1 is not public (loopback); --allow-private 127.0.0.0/8 allows it",
    "webhook+https://[::1]/": "::1 is not public (loopback); --allow-private ::1/128 allows it",
    "webhook+https:///events": "is no address of a webhook; write it like webhook+https://example.org/events",
    "redis://:pa55word@localhost/": "add ?secret_file=PATH, or name an environment variable with ?secret_env=NAME",
    "redis://localhost/?strem=x": "has no parameter strem; did you mean stream?",
    "redis://localhost/zero": "is no Redis; write it like redis://localhost:6379/0?stream=NAME",
    "redis://localhost:port/": "names no host and port; write it like redis://localhost:6379",
    "nats://localhost": "names no subject of a NATS server; write it like nats://localhost:4222/SUBJECT",
    "kafka://localhost:9092": "names no topic of a Kafka; write it like kafka://localhost:9092/TOPIC",
    "stdout:here": "write stdout:",
    "kafak://localhost/t": "there is no sink 'kafak'; did you mean kafka?",
    "events": "there is no sink 'events'; it must be one of stdout",
    "redis://localhost/?with=html": "no sink is told 'html' of pages; it must be one of text, links",
    "redis://localhost/?secret_file=/nowhere/at/all": "cannot be read from /nowhere/at/all",
    "redis://localhost/?secret_env=NO_SUCH_NAME": "is empty; put it into the environment variable NO_SUCH_NAME",
}


@pytest.mark.parametrize("uri", REFUSED)
def test_a_sink_that_can_never_work_is_refused_before_anything_begins(uri: str, tmp_path: Path) -> None:
    words = ["crawl", "http://example.org/", "--dir", tmp_path / "crawl", "--quiet", "--events", uri]
    result = run_gossamer(*words)
    assert (result.returncode, result.stdout) == (2, "")
    assert REFUSED[uri] in result.stderr
    assert "pa55word" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_webhook_that_redirects_or_leads_to_a_private_address_is_told_nothing(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as other, closed_port() as port:
        webhook = Webhook()
        webhook.answer = lambda number: (307, {"location": other.uri.removeprefix("webhook+")})
        webhook.start()
        directory = crawled(site, tmp_path)
        drained = ["--quiet", "--set", "events.drain=0.5"]
        run_gossamer("recrawl", directory, *drained, "--set", f"events.to=['{webhook.uri}']")
        named = ["--set", f"events.to=['webhook+http://inside.test:{port}/']", "--resolve", "inside.test:10.1.2.3"]
        run_gossamer("recrawl", directory, *drained, *named)
        webhook.stop()
    inside, redirected = sorted(sinks_of(directory), key=lambda sink: "inside" not in sink["sink"])
    assert "redirects are not followed" in redirected["error"]
    assert other.events() == webhook.events() == []
    assert "10.1.2.3 is not public (private); --allow-private 10.0.0.0/8 allows it" in inside["error"]


@pytest.mark.parametrize(
    ("uri", "module"),
    [("redis://localhost/", "redis"), ("nats://localhost/s", "nats"), ("kafka://localhost/t", "confluent_kafka")],
)
def test_a_sink_whose_package_is_missing_says_what_to_install(uri: str, module: str, tmp_path: Path) -> None:
    result = run_without([module], "crawl", "http://example.org/", "--dir", tmp_path / "crawl", "--quiet", "--events", uri)
    assert result.returncode == 5
    assert f"needs {module}, which is not installed: pip install gossamer[events]" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_copy_of_a_crawl_knows_what_was_told(tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running("webhook", tmp_path) as webhook:
        directory = crawled(site, tmp_path, "--events", webhook.uri)
        assert run_gossamer("checkpoint", directory, tmp_path / "copy").returncode == 0
        told = run_gossamer("relay", tmp_path / "copy", "--to", webhook.uri)
    assert told.stdout.startswith("0 events told")


def test_a_crawl_without_a_chronicle_has_nothing_to_tell(tmp_path: Path) -> None:
    words = ["--set", "chronicle.level=off", "--events", "stdout:", "--quiet"]
    result = run_gossamer("crawl", "http://example.org/", "--dir", tmp_path / "crawl", *words)
    assert result.returncode == 2
    assert "set chronicle.level to visits" in result.stderr
