"""Requests as people need them: rules for hosts, and secrets that go to these hosts and stand nowhere else."""

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer
from secrecy import shown_secrets
from serving import Answer, Asked, Site, page, site_running

PASSWORD = "open-sesame-4711"
BASIC = b64encode(f"ann:{PASSWORD}".encode()).decode()
QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "robots.wait=0.1"]


def guarded(*links: str) -> object:
    """A page that only those see who log in."""

    def answer(asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Basic {BASIC}":
            return 401, {"www-authenticate": "Basic"}, b"who are you?"
        return page(*links, title=f"welcome to {asked.path}")

    return answer


@pytest.fixture
def site() -> Iterator[Site]:
    """A site with a login."""
    with site_running({"/": guarded("/inner"), "/inner": guarded(), "/robots.txt": guarded()}) as running:  # type: ignore[dict-item]
        yield running


def outcomes(directory: Path, *urls: str) -> list[str]:
    """Return how URLs ended."""
    answered = run_gossamer("explain", directory, "-", "--json", stdin="".join(f"{url}\n" for url in urls))
    return [json.loads(line)["outcome"] for line in answered.stdout.splitlines()]


def crawl_with(rules: str, tmp_path: Path, *words: object) -> list[str]:
    """Crawl with a configuration; return all that was printed."""
    config = tmp_path / "rules.toml"
    config.write_text(rules)
    result = run_gossamer("crawl", *words, "--dir", tmp_path / "crawl", "--config", config, *QUICK)
    assert result.returncode == 0, result.stderr
    return [result.stdout, result.stderr]


def test_a_site_behind_a_login_is_crawled_and_its_password_stands_nowhere(site: Site, tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    rule = f'[[requests]]\nhosts = "{site.url("")}"\nuser = "ann"\npassword_file = "password"\n'
    printed = crawl_with(rule, tmp_path, site.url())
    assert outcomes(tmp_path / "crawl", site.url(), site.url("/inner")) == ["ok", "ok"]
    assert {one.headers["authorization"] for one in site.asked} == {f"Basic {BASIC}"}
    assert shown_secrets(tmp_path / "crawl", printed, PASSWORD, BASIC) == []
