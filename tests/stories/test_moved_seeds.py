"""A seed that redirects is still a seed: the scope follows to where the seeds ended, and says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from crawling import run_gossamer
from serving import Answer, Asked, Route, Site, page, site_running

NAMES = ("old.example", "www.old.example", "new.test", "hop.test", "stranger.test", "other.example")
RESOLVE = [word for name in NAMES for word in ("--resolve", f"{name}:127.0.0.1")]
OPTIONS = ("--delay=0", "--allow-private", "127.0.0.0/8", "--set=traps.soft_404=false", *RESOLVE)


def moved(to: str) -> Answer:
    return 301, {"location": to}, b"moved"


def by_host(answers: dict[str, Answer]) -> Route:
    """Answer by the host that was asked, which is told with its port."""

    def answer(asked: Asked) -> Answer:
        return answers.get(asked.headers["host"].partition(":")[0], (404, {}, b"nobody"))

    return answer


@pytest.fixture
def site() -> Iterator[Site]:
    """Serve a site that moved, by two hops, and somebody else's."""
    with site_running({}) as site:
        new, hop, stranger = (site.url("/", host) for host in ("new.test", "hop.test", "stranger.test"))
        site.routes["/"] = by_host(
            {
                "old.example": moved(hop),
                "hop.test": moved(new),
                "new.test": page("/a", site.url("/aside", "hop.test"), stranger, site.url("/b", "old.example"), title="new"),
                "stranger.test": page(title="stranger"),
            }
        )
        site.routes["/a"] = by_host({"new.test": page(site.url("/c", "new.test"), title="a")})
        site.routes["/b"] = by_host({"old.example": page(title="b")})
        site.routes["/c"] = by_host({"new.test": page(title="c")})
        yield site


def pages(place: Path) -> set[str]:
    lines = run_gossamer("pages", place, "--outcome", "ok", "--json", "-n", 0).stdout.splitlines()
    return {json.loads(line)["url"] for line in lines}


def explained(place: Path, url: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run_gossamer("explain", place, url, "--json").stdout)
    return answer


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("scope", ["host", "domain", "prefix"])
def test_the_scope_follows_a_seed_to_another_domain(tmp_path: Path, site: Site, scope: str, workers: int) -> None:
    crawl = tmp_path / "crawl"
    words = ("--dir", crawl, "--scope", scope, "--workers", workers)
    result = run_gossamer("crawl", site.url("/", "old.example"), *words, *OPTIONS)
    assert result.returncode == 0, result.stderr
    kept = {("new.test", "/"), ("new.test", "/a"), ("new.test", "/c"), ("old.example", "/b")}
    assert pages(crawl) == {site.url(path, host) for host, path in kept}
    told = f"the seed {site.url('/', 'old.example')} led to {site.url('/', 'new.test')}"
    assert told in result.stderr, "the first lines say so"
    assert explained(crawl, site.url("/", "stranger.test"))["rule"] == "scope.within"
    assert explained(crawl, site.url("/aside", "hop.test"))["rule"] == "scope.within", "passing through is not arriving"
    arrived = explained(crawl, site.url("/", "new.test"))
    assert arrived["found"]["kind"] == "seed" and arrived["found"]["via"] == site.url("/", "hop.test")
    assert run_gossamer("verify", crawl).returncode == 0


def test_where_a_seed_ended_is_remembered(tmp_path: Path, site: Site) -> None:
    crawl = tmp_path / "crawl"
    result = run_gossamer("crawl", site.url("/", "old.example"), "--dir", crawl, "--max-pages", 1, *OPTIONS)
    assert result.returncode == 0, result.stderr
    site.routes["/a"] = by_host({"new.test": page("/late", title="a")})
    site.routes["/late"] = by_host({"new.test": page(title="late")})
    result = run_gossamer("resume", crawl, "--max-pages", 100)
    assert site.url("/late", "new.test") in pages(crawl), result.stderr
    assert "new.test" in result.stderr, "a resumed crawl says where its seeds ended"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_refused_before_a_seed_arrived_is_not_lost(tmp_path: Path, site: Site, workers: int) -> None:
    """The other seed's page names a page of the new site, before anybody knows that a seed leads there."""
    site.routes["/only"] = by_host({"new.test": page(title="only")})
    ready = page(site.url("/only", "new.test"), title="other")
    site.routes["/first"] = by_host({"other.example": ready})
    seeds = (site.url("/first", "other.example"), site.url("/slow", "old.example"))

    def slow(asked: Asked) -> Answer:
        if not any(one.path == "/first" for one in site.asked):
            return 503, {"retry-after": "1"}, b"later"
        return moved(site.url("/", "new.test"))

    site.routes["/slow"] = slow
    crawl = tmp_path / "crawl"
    result = run_gossamer("crawl", *seeds, "--dir", crawl, "--workers", workers, *OPTIONS)
    assert result.returncode == 0, result.stderr
    assert site.url("/only", "new.test") in pages(crawl)


def test_a_seed_that_moved_to_a_folder_or_to_www_is_crawled(tmp_path: Path) -> None:
    with site_running({}) as site:
        www = site.url("/en/", "www.old.example")
        site.routes["/"] = by_host({"old.example": moved(www)})
        site.routes["/en/"] = by_host({"www.old.example": page("a", "/fr/", title="en")})
        site.routes["/en/a"] = by_host({"www.old.example": page(title="a")})
        site.routes["/fr/"] = by_host({"www.old.example": page(title="fr")})
        words = ("--dir", tmp_path / "crawl", "--scope", "prefix")
        run_gossamer("crawl", site.url("/", "old.example"), *words, *OPTIONS)
        assert pages(tmp_path / "crawl") == {www, f"{www}a"}


def test_a_seed_that_moved_to_https_is_crawled(tmp_path: Path) -> None:
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("old.example").configure_cert(context)
    routes: dict[str, Route] = {"/": page("/a", title="front"), "/a": page(title="a")}
    with site_running(routes, context) as secure, site_running({"/": moved(secure.url("/", "old.example"))}) as plain:
        words = ("--dir", tmp_path / "crawl", "--insecure")
        result = run_gossamer("crawl", plain.url("/", "old.example"), *words, *OPTIONS)
        assert result.returncode == 0, result.stderr
        assert pages(tmp_path / "crawl") == {secure.url("/", "old.example"), secure.url("/a", "old.example")}


def test_a_blocked_host_is_not_entered_by_way_of_a_seed(tmp_path: Path, site: Site) -> None:
    crawl = tmp_path / "crawl"
    words = ("--dir", crawl, "--set", "scope.block_hosts=new.test")
    run_gossamer("crawl", site.url("/", "old.example"), *words, *OPTIONS)
    assert explained(crawl, site.url("/", "new.test"))["rule"] == "scope.block_hosts"
    assert not [asked for asked in site.asked if asked.headers["host"].startswith("new.test")]
