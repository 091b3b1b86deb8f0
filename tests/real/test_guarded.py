"""Logins, client certificates and proxies, judged by servers and proxies that others wrote."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer
from guarded import GuardedNginx, guarded_nginx_running, microsocks_running, tinyproxy_running
from secrecy import shown_secrets
from witnesses import NGINX, PROXIES, missing, not_judged

PASSWORD = "open-sesame-4711"
QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "robots.wait=0.1", "--json"]


@pytest.fixture(scope="module")
def nginx() -> Iterator[GuardedNginx]:
    """The server that asks who we are."""
    if lacking := missing((NGINX, *PROXIES)):
        pytest.skip(not_judged(lacking))
    with guarded_nginx_running("ann", PASSWORD) as running:
        yield running


def pages_of(nginx: GuardedNginx, tmp_path: Path, seed: str, rules: str) -> tuple[int, list[str]]:
    """Crawl with some rules; return how many pages were kept, and all that was printed."""
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    (tmp_path / "rules.toml").write_text(f'[fetch]\nca_file = "{nginx.authority}"\n{rules}')
    result = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", "--config", tmp_path / "rules.toml", *QUICK)
    return json.loads(result.stdout)["pages"], [result.stdout, result.stderr]


def login(hosts: str) -> str:
    return f'[[requests]]\nhosts = "{hosts}"\nuser = "ann"\npassword_file = "password"\n'


def test_nginx_lets_us_in_with_the_password_and_not_without(nginx: GuardedNginx, tmp_path: Path) -> None:
    seed = f"https://127.0.0.1:{nginx.port}/"
    pages, printed = pages_of(nginx, tmp_path, seed, login(f"127.0.0.1:{nginx.port}"))
    assert pages == 2
    assert shown_secrets(tmp_path / "crawl", printed, PASSWORD) == []
    (tmp_path / "other").mkdir()
    assert pages_of(nginx, tmp_path / "other", seed, login("example.org"))[0] == 0


def test_nginx_lets_us_in_with_a_client_certificate_and_not_without(nginx: GuardedNginx, tmp_path: Path) -> None:
    seed = f"https://127.0.0.1:{nginx.certified}/"
    rule = f'[[requests]]\nhosts = "127.0.0.1:{nginx.certified}"\ncertificate = "{nginx.certificate}"\n'
    assert pages_of(nginx, tmp_path, seed, rule)[0] == 2
    (tmp_path / "other").mkdir()
    assert pages_of(nginx, tmp_path / "other", seed, login("example.org"))[0] == 0


@pytest.mark.parametrize("resolves", ["false", "true"])
def test_tinyproxy_takes_us_to_https_with_both_logins(nginx: GuardedNginx, tmp_path: Path, resolves: str) -> None:
    (tmp_path / "proxy-password").write_text("the-proxys-own")
    with tinyproxy_running(tmp_path, "bob the-proxys-own") as proxy:
        rule = f'[[requests]]\nhosts = "*"\nproxy = "http://bob@127.0.0.1:{proxy.port}"\nproxy_resolves = {resolves}\n'
        rules = rule + 'proxy_password_file = "proxy-password"\n' + login(f"localhost:{nginx.port}")
        pages, printed = pages_of(nginx, tmp_path, f"https://localhost:{nginx.port}/", rules)
        assert pages == 2
        assert proxy.connected_to(f"CONNECT 127.0.0.1:{nginx.port}") == 1  # kept for all of the crawl
    assert shown_secrets(tmp_path / "crawl", printed, PASSWORD, "the-proxys-own") == []


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_microsocks_takes_us_to_https(nginx: GuardedNginx, tmp_path: Path, scheme: str) -> None:
    (tmp_path / "proxy-password").write_text("the-proxys-own")
    with microsocks_running(tmp_path, "-u", "bob", "-P", "the-proxys-own") as proxy:
        rule = f'[[requests]]\nhosts = "*"\nproxy = "{scheme}://bob@127.0.0.1:{proxy.port}"\n'
        rules = rule + 'proxy_password_file = "proxy-password"\n' + login(f"127.0.0.1:{nginx.port}")
        pages, printed = pages_of(nginx, tmp_path, f"https://127.0.0.1:{nginx.port}/", rules)
        assert pages == 2
        assert proxy.connected_to(f"connected to 127.0.0.1:{nginx.port}") == 1
    assert shown_secrets(tmp_path / "crawl", printed, PASSWORD, "the-proxys-own") == []


def test_a_crawl_goes_on_through_another_proxy(nginx: GuardedNginx, tmp_path: Path) -> None:
    seed = f"https://ann:{PASSWORD}@127.0.0.1:{nginx.port}/"
    trust = f"fetch.ca_file={nginx.authority}"
    begun = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", *QUICK, "--set", trust, "--max-pages", 1)
    with microsocks_running(tmp_path) as proxy:
        words = ["--proxy", f"socks5://127.0.0.1:{proxy.port}", "--max-pages", 9, "--json"]
        ended = run_gossamer("resume", tmp_path / "crawl", *words)
        assert [json.loads(result.stdout)["pages"] for result in (begun, ended)] == [1, 1]
        assert proxy.connected_to(f"connected to 127.0.0.1:{nginx.port}") == 1


@pytest.mark.parametrize("kind", ["http", "socks5"])
def test_a_proxy_gets_us_to_no_private_address(nginx: GuardedNginx, tmp_path: Path, kind: str) -> None:
    running = tinyproxy_running if kind == "http" else microsocks_running
    with running(tmp_path) as proxy:
        words = ["--proxy", f"{kind}://127.0.0.1:{proxy.port}", "--resolve", "site.test:127.0.0.1"]
        seed = f"http://site.test:{nginx.port}/"
        result = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", *words)
        assert (result.returncode, "is not public" in result.stderr) == (2, True)
        assert proxy.connected_to(f":{nginx.port}") == 0
