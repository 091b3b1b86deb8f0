"""What failed is asked for again when somebody says so: a robots.txt out of reach, a host given up, an address or certificate
that was not accepted before."""

import json
import ssl
from pathlib import Path

import pytest
import trustme
from crawling import run_gossamer
from serving import Route, closed_port, page, site_running

LOCAL = ["--allow-private", "127.0.0.0/8"]
QUICK = ["--delay", "0", "--set", "robots.wait=0.1", "--set", "retry.wait=0.1", "--set", "traps.soft_404=false", "--quiet"]
AGAIN = [["resume", "--retry-failed"], ["recrawl", "--failed"]]
IDS = ["resume", "recrawl"]


def crawl(directory: Path, url: str, *options: object) -> None:
    run_gossamer("crawl", url, "--dir", directory / "crawl", *QUICK, *LOCAL, *options)


def again(command: list[str], directory: Path, *options: object) -> dict[str, int]:
    """Ask again; return the outcomes of that run."""
    name, *switches = command
    result = run_gossamer(name, directory / "crawl", *switches, *options, "--json")
    assert result.stdout, result.stderr
    outcomes: dict[str, int] = json.loads(result.stdout)["outcomes"]
    return outcomes


@pytest.mark.parametrize("command", AGAIN, ids=IDS)
def test_a_robots_txt_that_was_out_of_reach_is_asked_for_again(tmp_path: Path, command: list[str]) -> None:
    with site_running({"/robots.txt": (500, {}, b""), "/": page("/a"), "/a": page(title="a")}) as site:
        crawl(tmp_path, site.url())
        assert site.paths == []
        site.routes["/robots.txt"] = (404, {}, b"")
        assert again(command, tmp_path) == {"ok": 2}
        assert run_gossamer("verify", tmp_path / "crawl").returncode == 0


@pytest.mark.parametrize("command", AGAIN, ids=IDS)
def test_a_host_that_was_given_up_is_asked_again(tmp_path: Path, command: list[str]) -> None:
    names = [f"/{number}" for number in range(6)]
    broken: Route = (500, {}, b"")
    with site_running({"/": page(*names), **dict.fromkeys(names, broken)}) as site:
        crawl(tmp_path, site.url(), "--set", "breaker.failures=2", "--set", "breaker.open_for=0.1", "--set", "retry.times=1")
        status = json.loads(run_gossamer("status", tmp_path / "crawl", "--json").stdout)
        assert status["outcomes"].get("breaker_open"), status["outcomes"]
        site.routes |= {name: page(title=f"well again {name}") for name in names}
        asked = len(site.paths)
        outcomes = again(command, tmp_path)
        assert set(site.paths[asked:]) >= set(names)
    assert outcomes["ok"] == 6 and "breaker_open" not in outcomes


def test_a_host_that_still_fails_is_asked_once_and_given_up_again(tmp_path: Path) -> None:
    names = [f"/{number}" for number in range(6)]
    broken: Route = (500, {}, b"")
    knobs = ["--set", "breaker.failures=2", "--set", "breaker.open_for=0.1", "--set", "retry.times=1"]
    with site_running({"/": page(*names), **dict.fromkeys(names, broken)}) as site:
        crawl(tmp_path, site.url(), *knobs)
        asked = len(site.paths)
        outcomes = again(AGAIN[0], tmp_path)
        assert len(site.paths) - asked == 1, "a host that is given up gets one request to see whether it is back"
    assert outcomes == {"breaker_open": 6}


def test_a_page_that_failed_is_asked_for_again_and_what_was_kept_is_not(tmp_path: Path) -> None:
    with site_running({"/": page("/late", "/gone"), "/late": (500, {}, b"")}) as site:
        crawl(tmp_path, site.url())
        site.routes["/late"] = page(title="late")
        asked = len(site.paths)
        assert again(AGAIN[0], tmp_path) == {"ok": 1, "gone": 1}
        assert sorted(site.paths[asked:]) == ["/gone", "/late"]


@pytest.mark.parametrize("command", AGAIN, ids=IDS)
def test_a_certificate_may_be_accepted_then(tmp_path: Path, command: list[str]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with site_running({"/": page()}, context) as site:
        crawl(tmp_path, site.url())
        assert again(command, tmp_path) == {"tls_failed": 1}
        assert again(command, tmp_path, "--insecure") == {"ok": 1}


@pytest.mark.parametrize("command", AGAIN, ids=IDS)
def test_an_address_may_be_allowed_then(tmp_path: Path, command: list[str]) -> None:
    with site_running({"/": page(title="near")}, address="127.0.0.2") as near:
        with site_running({"/": page(near.url(host="127.0.0.2"))}) as site:
            options = ["--scope", "any", "--quiet", *QUICK, "--allow-private", "127.0.0.1/32"]
            run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
            assert again(command, tmp_path)["address_refused"] == 1
            outcomes = again(command, tmp_path, *LOCAL)
        assert "address_refused" not in outcomes
        assert near.paths == ["/"]


def test_a_server_that_was_not_there_is_found_when_it_is(tmp_path: Path) -> None:
    with closed_port() as port:
        crawl(tmp_path, f"http://127.0.0.1:{port}/")
        assert again(AGAIN[0], tmp_path) == {"connect_failed": 1}
    assert again(["resume"], tmp_path) == {}, "a plain resume asks for nothing that has ended"
