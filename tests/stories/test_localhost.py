"""The machine one sits at is where everybody tries first: what is not public is said before a crawl begins, with the remedy."""

import json
import socket
import time
from pathlib import Path

import pytest
from crawling import run_gossamer, simweb_running
from serving import page, site_running

QUICK = ["--delay", "0", "--quiet"]


def crawl(directory: Path, *words: object, code: int = 2) -> str:
    """Crawl; return what is said about it."""
    result = run_gossamer("crawl", *words, "--dir", directory / "crawl", *QUICK)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("host", "remedy"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("localhost", "127.0.0.0/8"),
        ("LOCALHOST.", "127.0.0.0/8"),
        ("app.localhost", "127.0.0.0/8"),
        ("2130706433", "127.0.0.0/8"),
        ("[::1]", "::1/128"),
        ("192.168.1.20", "192.168.0.0/16"),
        ("nas.test", "10.0.0.0/8"),
    ],
)
def test_a_private_seed_is_refused_before_the_crawl_with_what_allows_it(tmp_path: Path, host: str, remedy: str) -> None:
    words = crawl(tmp_path, f"http://{host}:8000/", "--resolve", "nas.test:10.1.2.3")
    (line,) = words.splitlines()
    assert line.startswith("gossamer: http://") and line.endswith(f"--allow-private {remedy} allows it")
    assert not (tmp_path / "crawl").exists()


def test_so_is_a_name_that_a_name_server_says_is_private(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=3, plain=True, dns=True) as web:
        words = crawl(tmp_path, f"http://h0000.sim:{web.port}/", "--set", f"dns.servers=127.0.0.1:{web.dns_port}")
        assert web.requests() == 0
    assert "127.0.0.1 is not public (loopback); --allow-private 127.0.0.0/8 allows it" in words
    assert not (tmp_path / "crawl").exists()


def test_what_the_sentence_says_can_be_typed(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        url = site.url(host="localhost")
        words = crawl(tmp_path, url)
        option, value = words.partition("; ")[2].split()[:2]
        crawl(tmp_path, url, option, value, code=0)
    assert site.paths == ["/"]


def test_beside_others_it_is_told_before_and_the_others_are_crawled(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        seeds = [f"http://10.0.0.{number}/" for number in range(12)]
        words = crawl(tmp_path, *seeds, site.url(), "--allow-private", "127.0.0.0/8", code=0)
    lines = words.splitlines()
    assert lines[0] == "12 seed(s) lead to addresses that are not contacted:"
    assert (
        lines[1]
        == "  http://10.0.0.0/ is not contacted: 10.0.0.0 is not public (private); --allow-private 10.0.0.0/8 allows it"
    )
    assert lines[11] == "  ... and 2 more"
    answer = json.loads(run_gossamer("explain", tmp_path / "crawl", seeds[0], "--json").stdout)
    assert answer["outcome"] == "address_refused"


def test_several_private_seeds_are_one_sentence(tmp_path: Path) -> None:
    words = crawl(tmp_path, "http://localhost/", "http://10.0.0.1/", "http://10.0.0.2/")
    assert words.startswith("gossamer: http://localhost/ is not contacted, nor are 2 other seeds: 127.0.0.1 is not public")


def test_a_name_server_that_says_nothing_holds_no_crawl_up(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        knobs = ["--set", f"dns.servers=127.0.0.1:{silent.getsockname()[1]}", "--set", "dns.timeout=20", "--max-time", "1s"]
        began = time.monotonic()
        crawl(tmp_path, "http://somewhere.test/", *knobs, "--set", "fetch.total_timeout=1", code=7)
        assert time.monotonic() - began < 60
    assert (tmp_path / "crawl").exists()
