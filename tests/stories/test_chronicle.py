"""What a crawl did is told line by line, and the line cannot be changed unseen."""

import json
from pathlib import Path

import pytest
from crawling import Crawled, run_gossamer, simweb_running
from faulting import QUICK


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    place = tmp_path_factory.mktemp("chronicle")
    with simweb_running(place, hosts=4, pages=20, seed=3, min_bytes=2_000, max_bytes=4_000) as web:
        result = run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options)
    assert result.returncode == 0, result.stderr
    return Crawled(place / "crawl", web, result)


def told(directory: Path, *options: object) -> list[dict[str, object]]:
    result = run_gossamer("log", directory, "--json", *options)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_request_that_the_servers_saw_is_told(crawled: Crawled) -> None:
    visits = [event["said"] for event in told(crawled.directory) if event["kind"] == "visit"]
    seen = {(request["host"], request["path"]) for request in crawled.web.ledger() if request["path"] != "/robots.txt"}
    assert seen and len(visits) >= len(seen)
