"""TLS is verified; an exception is made for a crawl or for one host, never silently."""

import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from crawling import run_gossamer
from serving import Site, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "robots.wait=0.1", "--quiet"]


@pytest.fixture
def secure() -> Iterator[Site]:
    """A site with a certificate of an unknown authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with site_running({"/": page()}, context) as site:
        yield site


def outcome(directory: Path, url: str) -> tuple[str, str]:
    """Return how a URL ended, and why."""
    answer = json.loads(run_gossamer("explain", directory, url, "--json").stdout)
    return answer["outcome"], answer["reason"]


def test_an_unknown_authority_is_refused(secure: Site, tmp_path: Path) -> None:
    run_gossamer("crawl", secure.url(), "--dir", tmp_path / "crawl", *QUICK)
    ended, reason = outcome(tmp_path / "crawl", secure.url())
    assert ended == "tls_failed"
    assert "certificate" in reason.lower()
    assert secure.asked == []


def test_insecure_accepts_it(secure: Site, tmp_path: Path) -> None:
    run_gossamer("crawl", secure.url(), "--dir", tmp_path / "crawl", *QUICK, "--insecure")
    assert outcome(tmp_path / "crawl", secure.url())[0] == "ok"


def test_fetch_shows_one_request(secure: Site) -> None:
    words = ["fetch", secure.url(), "--allow-private", "127.0.0.0/8", "--insecure", "--json"]
    facts = json.loads(run_gossamer(*words).stdout)
    assert (facts["outcome"], facts["status"], facts["type"]) == ("ok", 200, "text/html")
    assert [one.path for one in secure.asked] == ["/robots.txt", "/"]
