"""An answer belongs to its request: what a host says without being asked is never kept under a URL, over TLS or without.

The judge is the server: its ledger knows what it sent for each request, and `verify --ledger` holds every record of the archive
against it. All crawls run at once against one server; each has an archive of its own.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from crawling import Simweb, run_gossamer, simweb_running, start_gossamer

from gossamer.simweb.attacks.unasked import FORGED

ROUNDS = int(os.environ.get("GOSSAMER_SOAK_UNASKED", "1"))
WAYS = [(delay, workers) for delay in ("0", "0.2", "1") for workers in (1, 2)]
OPTIONS = [
    *("--scope=any", "--json", "--set=retry.times=1", "--set=retry.wait=0.2"),
    *("--set=robots.times=2", "--set=robots.wait=0.2"),
]


@dataclass(frozen=True)
class Crawled:
    """A finished crawl."""

    directory: Path
    code: int
    summary: dict[str, Any]


@dataclass(frozen=True)
class Crawls:
    """Crawls of the same hosts, by delay and number of processes."""

    web: Simweb
    finished: dict[tuple[str, int], Crawled]


@pytest.fixture(scope="module", params=range(ROUNDS))
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawls]:
    place = tmp_path_factory.mktemp("unasked")
    authority, trusted, certificate = trustme.CA(), place / "authority.pem", place / "certificate.pem"
    authority.cert_pem.write_to_path(str(trusted))
    authority.issue_cert("*.attack.sim").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    with simweb_running(place, hosts=1, pages=1, plain=True, attacks="unasked,tls", certificate=certificate) as web:
        yield Crawls(web, crawl(place, web, trusted))


def crawl(place: Path, web: Simweb, trusted: Path) -> dict[tuple[str, int], Crawled]:
    """Crawl in all ways at once."""
    options = [*OPTIONS, f"--set=fetch.ca_file={trusted}", *web.crawl_options]
    directories = {way: place / f"delay-{way[0]}-workers-{way[1]}" for way in WAYS}
    running = {
        way: start_gossamer("crawl", "--dir", directory, "--delay", way[0], "--workers", way[1], *options)
        for way, directory in directories.items()
    }
    try:
        said = {way: process.communicate(timeout=100)[0] for way, process in running.items()}
    finally:
        for process in running.values():
            process.kill()
    return {way: Crawled(directories[way], running[way].returncode, json.loads(said[way])) for way in WAYS}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"delay {way[0]}, workers {way[1]}")
def test_every_archived_payload_is_what_the_server_sent_for_that_url(crawls: Crawls, way: tuple[str, int]) -> None:
    crawled = crawls.finished[way]
    told = json.loads(run_gossamer("verify", crawled.directory, "--ledger", crawls.web.ledger_file, "--json").stdout)
    (check,) = [check for check in told["checks"] if check["promise"] == "P19"]
    assert check["offenders"] == []
    assert check["count"] > len(crawls.web.manifest) / 2, "most pages do not fail"


def test_the_crawls_end_by_themselves_with_most_pages(crawls: Crawls) -> None:
    for crawled in crawls.finished.values():
        assert (crawled.code, crawled.summary["end"]) == (0, "finished")
        assert crawled.summary["outcomes"]["ok"] > len(crawls.web.manifest) / 2


def test_no_link_in_words_that_came_with_another_answer_is_followed(crawls: Crawls) -> None:
    asked = [seen["path"] for seen in crawls.web.ledger() if seen["host"].endswith("-at-once.attack.sim")]
    assert len(asked) > len(WAYS) and FORGED not in asked
