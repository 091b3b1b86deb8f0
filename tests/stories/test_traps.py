"""What a crawl learned, on the command line: shown with its evidence, and an operator's word above it, running or not."""

from collections.abc import Iterator
from typing import Any

import pytest
from asked import Crawled
from crawling import run_gossamer
from serving import Answer, page, site_running

from gossamer.errors import UsageError

HOST = "127.0.0.1"
QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
CALENDAR = [f"/calendar/{day}" for day in range(60)]
MARKED = [f"/page{number}/x?id={number}&view={view}" for number in range(4) for view in range(3)]
TWINS = ["/twin/one", "/twin/two"]


def text(seed: str, words: int = 400) -> Answer:
    """Return a page with many words."""
    status, headers, body = page(title=seed)
    return status, headers, body + " ".join(f"{seed}{number}" for number in range(words)).encode()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    directory = tmp_path_factory.mktemp("traps") / "crawl"
    nothing = text("nothing")
    nothing = nothing[0], nothing[1], nothing[2].replace(b"<title>nothing", b"<title>Page not found")
    routes = {"/": page("/gone", *CALENDAR, *MARKED, *TWINS), "/gone": nothing}
    routes |= dict.fromkeys(CALENDAR, text("calendar"))
    routes |= {path: text(f"p{path[5]}x") for path in MARKED}
    routes |= {path: (200, {"content-type": "text/html"}, text("twin")[2] + path.encode()) for path in TWINS}
    with site_running(routes) as site:
        result = run_gossamer("crawl", site.url(), "--dir", directory, *QUICK, "--set", "traps.probe_after=1000")
        assert result.returncode == 0, result.stderr
        yield Crawled(site, directory)


def test_a_trap_is_listed_with_its_evidence_and_cost_few_requests(crawled: Crawled) -> None:
    fetched = [path for path in crawled.site.paths if path in CALENDAR]
    [trap] = [one for one in crawled.lines("traps", "--host", HOST) if one["name"] == "/calendar/{n}"]
    assert (trap["fetched"], trap["refused"]) == (len(fetched), len(CALENDAR) - len(fetched))
    assert trap["one_in"] > 1 and trap["refused"] > 10
    shown = crawled.run("traps").stdout
    assert "/calendar/{n}" in shown and f"{trap['refused']} not" in shown and "copy" in shown
    assert "/twin/" not in shown, "what is not in force is not shown"
    missed = next(path for path in CALENDAR if path not in fetched)
    [answer] = crawled.lines("explain", crawled.site.url(missed))
    assert (answer["outcome"], answer["rule"]) == ("trap", "traps.template")
    assert answer["evidence"]["decided_by"] in ("/calendar/{n}", "~/{w}/{n}")


def test_a_cosmetic_parameter_is_listed_with_its_evidence(crawled: Crawled) -> None:
    [rule] = crawled.lines("rules")
    assert (rule["host"], rule["name"], rule["cosmetic"], rule["other"]) == (HOST, "view", True, 0)
    assert rule["same"] >= 5 and len(rule["examples"]) == 3


def test_a_page_that_seemed_to_say_not_found_was_fetched_again_after_a_probe(crawled: Crawled) -> None:
    paths = [one.path for one in crawled.site.asked]
    first, last = paths.index("/gone"), len(paths) - 1 - paths[::-1].index("/gone")
    assert [path.startswith("/gossamer-probe-") for path in paths[first:last]].count(True) == 1
    [answer] = crawled.lines("explain", crawled.site.url("/gone"))
    assert (answer["outcome"], paths.count("/gone")) == ("ok", 2), "the host is honest, so it is a page like others"


def test_near_duplicates_are_listed_nearest_first(crawled: Crawled) -> None:
    found = crawled.lines("pages", "--near", crawled.site.url(TWINS[1]))
    assert {one["url"] for one in found} == {crawled.site.url(twin) for twin in TWINS}
    assert {one["outcome"] for one in found} == {"ok", "near_duplicate"}
    assert [one["distance"] for one in found] == sorted(one["distance"] for one in found)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "--drop", "view"], "name the one with --host"),
        (["rules", "--host", HOST, "--learn", "never"], "nothing was learned about never"),
        (["traps", "--host", HOST, "--learn", "/never/{n}"], "nothing was learned about /never/{n}"),
        (["pages", "--near", f"http://{HOST}/never"], "is no page of this crawl"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(crawled: Crawled, words: list[str], message: str) -> None:
    error = crawled.run(*words).exception
    assert isinstance(error, UsageError) and message in str(error)


def test_an_error_is_an_exit_code(crawled: Crawled) -> None:
    result = run_gossamer("traps", crawled.directory, "--block", "/x")
    assert result.returncode == 2 and "name the one with --host" in result.stderr and "Traceback" not in result.stderr


def test_rulings_on_a_stopped_crawl_stay(crawled: Crawled) -> None:
    def ruled(command: str, option: str, name: str) -> dict[str, Any]:
        lines = crawled.lines(command, "--all", "--host", HOST, option, name)
        [one] = [one for one in lines if one["name"] == name]
        return one

    blocked = ruled("traps", "--block", "/twin/{w}")
    assert (blocked["ruling"], blocked["one_in"], blocked["fetched"]) == ("block", 0, 2)
    assert ruled("traps", "--allow", "/calendar/{n}")["one_in"] == 1
    shown = crawled.run("traps", "--host", HOST, "--learn", "/calendar/{n}").stdout
    assert "blocked by an operator" in shown and "/calendar/{n}" in shown
    assert ruled("rules", "--keep", "view")["cosmetic"] is False
    assert ruled("rules", "--learn", "view")["cosmetic"] is True
    shown = crawled.run("rules", "--host", HOST, "--drop", "lang").stdout
    assert "lang" in shown and "by an operator" in shown and "view" in shown and "0 different" in shown
