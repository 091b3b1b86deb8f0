"""An end with nothing kept is no success: it has an exit code of its own, and every seed says why."""

import json
import re
import shlex
import ssl
import time
from pathlib import Path

import pytest
import trustme
from crawling import run_gossamer
from serving import Answer, closed_port, page, site_running

LOCAL = ["--allow-private", "127.0.0.0/8"]
QUICK = ["--delay", "0", "--set", "robots.wait=0.1", "--set", "retry.wait=0.1", "--quiet", *LOCAL]
NOTHING_KEPT = 7


def crawl(directory: Path, *words: object, code: int = NOTHING_KEPT) -> list[str]:
    """Crawl; return the lines of the summary."""
    result = run_gossamer("crawl", *words, "--dir", directory / "crawl", *QUICK)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout.splitlines()


def reason(directory: Path, url: str) -> tuple[str, str]:
    """Return what `explain` says of a URL."""
    answer = json.loads(run_gossamer("explain", directory / "crawl", url, "--json").stdout)
    return answer["outcome"], answer["reason"]


def test_a_server_that_is_not_there_is_no_success_and_the_seed_says_why(tmp_path: Path) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/"
        lines = crawl(tmp_path, url)
    outcome, why = reason(tmp_path, url)
    assert outcome == "connect_failed"
    assert f"  {url}: connect_failed: {why}" in lines
    assert lines[-1].startswith("failed: nothing was kept; ask again with: gossamer resume ")
    assert lines[-1].endswith(" --retry-failed")
    assert any(re.match(r"connect_failed\t1\t", line) for line in lines), "the summary's own table has another word for it"


def test_what_is_advised_can_be_typed_whatever_the_directory_is_called(tmp_path: Path) -> None:
    with closed_port() as port:
        lines = crawl(tmp_path / "my crawls", f"http://127.0.0.1:{port}/")
        advised = shlex.split(lines[-1].partition("ask again with: ")[2])
        assert run_gossamer(*advised[1:]).returncode == NOTHING_KEPT


def test_many_seeds_say_it_for_the_first_ten_and_count_the_others(tmp_path: Path) -> None:
    with closed_port() as port:
        urls = [f"http://127.0.0.1:{port}/{number}" for number in range(13)]
        lines = crawl(tmp_path, *urls)
    told = [line for line in lines if line.startswith(f"  http://127.0.0.1:{port}/")]
    assert len(told) == 10
    assert "  ... and 3 seeds more" in lines


def test_a_resume_of_nothing_is_no_success_either_and_json_has_objects(tmp_path: Path) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}/"
        crawl(tmp_path, url)
        result = run_gossamer("resume", tmp_path / "crawl", "--retry-failed", "--json")
    assert result.returncode == NOTHING_KEPT
    summary = json.loads(result.stdout)
    assert (summary["kept"], summary["exit_code"], summary["more_seeds"]) == (0, NOTHING_KEPT, 0)
    (seed,) = summary["seeds"]
    assert (seed["url"], seed["outcome"]) == (url, "connect_failed")


def test_a_certificate_that_nobody_knows_is_called_so(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with site_running({"/": page()}, context) as site:
        lines = crawl(tmp_path, site.url())
    assert any(line.startswith(f"  {site.url()}: tls_failed: ") and "certificate" in line for line in lines)


ANSWERS: dict[str, tuple[Answer, Answer, str]] = {
    "denied": ((200, {}, b"user-agent: *\ndisallow: /\n"), page(), "robots_denied: robots.txt: disallow: /"),
    "unreachable": ((500, {}, b""), page(), "robots_denied: robots.txt: robots.txt unreachable: status 500"),
    "gone": ((404, {}, b""), (404, {}, b""), "gone: status 404"),
    "failing": ((404, {}, b""), (500, {}, b""), "server_error: status 500 after 4 tries"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_whatever_a_server_answers_instead_of_a_page_is_told(tmp_path: Path, case: str) -> None:
    robots, root, why = ANSWERS[case]
    with site_running({"/robots.txt": robots, "/": root}) as site:
        assert f"  {site.url()}: {why}" in crawl(tmp_path, site.url())


def test_where_a_seed_was_redirected_to_says_why(tmp_path: Path) -> None:
    with closed_port() as port:
        target = f"http://127.0.0.1:{port}/there"
        with site_running({"/": (302, {"location": target}, b"")}) as site:
            lines = crawl(tmp_path, site.url(), "--scope", "any")
    assert any(line.startswith(f"  {site.url()} -> {target}: connect_failed: ") for line in lines), lines


def test_a_budget_spent_on_nothing_is_no_success(tmp_path: Path) -> None:
    with site_running({"/robots.txt": (503, {"retry-after": "60"}, b"")}) as site:
        lines = crawl(tmp_path, site.url(), "--max-time", "1s")
    assert lines[-1].startswith("failed: nothing was kept, and the budget is spent (--max-time 1s), 1 URLs wait; ")
    assert any(line.startswith(f"  {site.url()}: waiting: robots.txt unreachable: status 503") for line in lines), lines


def test_an_earlier_run_that_kept_something_is_a_success_still(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        crawl(tmp_path, site.url(), code=0)
    result = run_gossamer("recrawl", tmp_path / "crawl", "--older-than", "1h")
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "done: nothing waits")


NOFOLLOW = (200, {"content-type": "text/html", "x-robots-tag": "nofollow"}, page(*(f"/{n}" for n in range(6)))[2])
OUTSIDE = page("/inside", *(f"http://outside{number}.test/" for number in range(6)))


@pytest.mark.parametrize(("root", "rule"), [(NOFOLLOW, "robots.meta"), (OUTSIDE, "scope.within")])
def test_a_rule_that_refused_most_of_what_was_found_is_named(tmp_path: Path, root: Answer, rule: str) -> None:
    with site_running({"/": root, "/inside": page(title="inside")}) as site:
        lines = crawl(tmp_path, site.url(), code=0)
    found = 6 if rule == "robots.meta" else 7
    (told,) = [line for line in lines if "refused by" in line]
    assert told.startswith(f"6 of {found} URLs that were found were refused by {rule}, such as http://")
    result = run_gossamer("resume", tmp_path / "crawl", "--json")
    assert json.loads(result.stdout)["refused"]["rule"] == rule


def test_a_rule_that_refused_little_is_not(tmp_path: Path) -> None:
    routes = {"/": page("/a", "/b", "http://outside.test/"), "/a": page(title="a"), "/b": page(title="b")}
    with site_running(routes) as site:
        assert not [line for line in crawl(tmp_path, site.url(), code=0) if "refused by" in line]


@pytest.mark.parametrize("seed", ["ftp://127.0.0.1/pub/", "gopher://127.0.0.1/", "ws://127.0.0.1/"])
def test_a_seed_that_nothing_fetches_is_refused_at_once(tmp_path: Path, seed: str) -> None:
    began = time.monotonic()
    result = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", *LOCAL)
    assert result.returncode == 2
    scheme = seed.partition(":")[0]
    assert f"nothing fetches {scheme} URLs" in result.stderr and "http, https" in result.stderr
    assert not (tmp_path / "crawl").exists()
    assert time.monotonic() - began < 10


def test_a_link_that_nothing_fetches_is_refused_as_unsupported_and_never_queued(tmp_path: Path) -> None:
    with site_running({"/": page("ftp://127.0.0.1/file")}) as site:
        began = time.monotonic()
        crawl(tmp_path, site.url(), "--scope", "any", code=0)
        assert time.monotonic() - began < 10
    assert reason(tmp_path, "ftp://127.0.0.1/file") == ("unsupported", "nothing fetches ftp URLs")
    assert not run_gossamer("pages", tmp_path / "crawl", "--outcome", "unsupported", "--json").stdout, "it was visited"
