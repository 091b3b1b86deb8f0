"""Consumers are told what a crawl did: every settled visit, beside the crawl and after it; one that is down holds nobody up."""

import json
from pathlib import Path
from typing import Any

import pytest
from consumers import consumer_running
from crawling import run_gossamer
from serving import Site, page, site_running

from gossamer.records.event import Event

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--set", "events.linger=0.05"]
PAGES = {"/": page("/a", "/b", "/gone"), "/a": page("/b", title="the first"), "/b": page(title="the second")}


def visits(events: list[Event]) -> dict[str, dict[str, Any]]:
    """Return what is said of visits, by path."""
    return {"/" + event.said["url"].split("/", 3)[3]: event.said for event in events if event.kind == "visit"}


def crawled(site: Site, place: Path, *options: object) -> Path:
    """Crawl a site to its end."""
    result = run_gossamer("crawl", site.url(), "--dir", place / "crawl", *QUICK, *options)
    assert result.returncode == 0, result.stderr
    return place / "crawl"


def status_of(directory: Path) -> list[dict[str, Any]]:
    """Return what `status` says of the sinks of a crawl."""
    answer = json.loads(run_gossamer("status", directory, "--json").stdout)
    sinks: list[dict[str, Any]] = answer["sinks"]
    return sinks


@pytest.mark.parametrize("kind", ["webhook", "redis", "nats", "kafka"])
def test_a_crawl_tells_a_consumer_of_every_visit(kind: str, tmp_path: Path) -> None:
    with site_running(PAGES) as site, consumer_running(kind, tmp_path / kind) as consumer:
        directory = crawled(site, tmp_path, "--events", consumer.uri)
        told = consumer.events()
    assert set(visits(told)) >= {"/", "/a", "/b", "/gone"}
    logged = [json.loads(line) for line in run_gossamer("log", directory, "--json").stdout.splitlines()]
    assert {event.id for event in told} == {line["id"] for line in logged}
    assert len(told) == len(logged)
    (sink,) = status_of(directory)
    assert (sink["sink"], sink["lag"], sink["error"]) == (consumer.uri, 0, "")
