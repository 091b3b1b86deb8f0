"""Several spellings of one URL, as ordinary sites have them: what a browser reaches is reached, and nothing is asked twice."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from crawling import run_gossamer
from serving import Answer, Asked, Route, Site, page, site_running

OPTIONS = ("--delay=0", "--allow-private", "127.0.0.0/8", "--set=traps.soft_404=false", "--json")
NOT_THERE: Answer = (404, {"content-type": "text/html"}, b"not there")


def moved(to: str, *cookies: str, status: int = 301) -> Answer:
    headers = {"location": to} | ({"set-cookie": cookies[0]} if cookies else {})
    return status, headers, b"moved"


def crawled(site: Site, place: Path, *options: str, seed: str = "/") -> dict[str, Any]:
    """Crawl a site from a path of it; return the summary."""
    result = run_gossamer("crawl", site.url(seed), "--dir", place / "crawl", *OPTIONS, *options)
    assert result.returncode == 0, result.stderr
    verified = run_gossamer("verify", place / "crawl")
    assert verified.returncode == 0, verified.stdout
    summary: dict[str, Any] = json.loads(result.stdout)
    return summary


def kept(site: Site, place: Path) -> set[str]:
    """Return the paths of the pages that were kept, by the URL that answered."""
    lines = run_gossamer("pages", place / "crawl", "--outcome", "ok", "--json", "-n", 0).stdout.splitlines()
    return {json.loads(line)["url"].removeprefix(site.url("")) for line in lines}


def explained(site: Site, place: Path, path: str) -> dict[str, Any]:
    result = run_gossamer("explain", place / "crawl", site.url(path), "--json")
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_a_directory_without_its_slash_leads_to_the_directory_and_all_below_it(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/": page("/docs", title="front"),
        "/docs": moved("/docs/"),
        "/docs/": page("a.html", "sub", title="docs"),
        "/docs/a.html": page("/docs/", "/docs", title="a"),
        "/docs/sub": moved("/docs/sub/"),
        "/docs/sub/": page("b.html", title="sub"),
        "/docs/sub/b.html": page(title="b"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 5
        assert kept(site, tmp_path) == {"/", "/docs/", "/docs/a.html", "/docs/sub/", "/docs/sub/b.html"}
        assert max(Counter(site.paths).values()) == 1
        assert explained(site, tmp_path, "/docs/")["outcome"] == "ok"
        assert explained(site, tmp_path, "/docs")["outcome"] == "redirected"
        shown = run_gossamer("show", tmp_path / "crawl", site.url("/docs/"), "--part", "text")
        assert "docs" in shown.stdout


def test_a_seed_without_its_slash_is_the_directory(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/docs": moved("/docs/"),
        "/docs/": page("a.html", title="docs"),
        "/docs/a.html": page(title="a"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path, seed="/docs")["pages"] == 2
        assert kept(site, tmp_path) == {"/docs/", "/docs/a.html"}


def test_a_redirect_that_takes_tracking_away_leads_to_the_page(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/": page("/p?utm_source=x", title="front"),
        "/p?utm_source=x": moved("/p"),
        "/p": page("/q?utm_source=x&b=2&a=1", title="p"),
        "/q?utm_source=x&b=2&a=1": moved("/q?a=1&b=2"),
        "/q?a=1&b=2": page(title="q"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 3
        assert kept(site, tmp_path) == {"/", "/p", "/q?a=1&b=2"}


def test_a_circle_of_spellings_is_walked_once(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/": page("/a", "/b", "/c?utm_source=1", title="front"),
        "/a": moved("/a/"),
        "/a/": moved("/a"),
        "/b": moved("/b"),
        "/c?utm_source=1": moved("/c?utm_source=2"),
        "/c?utm_source=2": moved("/c?utm_source=1"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 1
        assert max(Counter(site.paths).values()) == 1
        assert explained(site, tmp_path, "/b")["outcome"] == "redirected"
        assert "circle" in explained(site, tmp_path, "/a/")["reason"]


def test_a_page_that_sets_a_cookie_and_redirects_to_itself_is_a_page(tmp_path: Path) -> None:
    def gate(asked: Asked) -> Answer:
        given = asked.headers.get("cookie", "")
        if "first=1" not in given:
            return moved("/gate", "first=1; Path=/; HttpOnly", status=302)
        if "second=2" not in given:
            return moved("/gate", "second=2", status=302)
        return page("/behind", title="gate")

    routes: dict[str, Route] = {"/": page("/gate", "/other", title="front"), "/gate": gate}
    routes |= {"/behind": page(title="behind"), "/other": page(title="other")}
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 4
        assert kept(site, tmp_path) == {"/", "/gate", "/behind", "/other"}
        assert Counter(site.paths)["/gate"] == 3
        others = [asked for asked in site.asked if asked.path != "/gate"]
        assert not [asked.path for asked in others if "cookie" in asked.headers]  # forgotten with the end of the chain


def test_a_page_that_sends_us_away_for_a_cookie_and_back_is_a_page(tmp_path: Path) -> None:
    def gate(asked: Asked) -> Answer:
        return page("/behind", title="gate") if "ok=1" in asked.headers.get("cookie", "") else moved("/check", status=302)

    routes: dict[str, Route] = {
        "/": page("/gate", title="front"),
        "/gate": gate,
        "/check": moved("/gate", "ok=1; Path=/", status=302),
        "/behind": page(title="behind"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 3
        assert kept(site, tmp_path) == {"/", "/gate", "/behind"}


def test_a_new_cookie_at_every_turn_is_no_reason_to_go_on_for_ever(tmp_path: Path) -> None:
    count = 0

    def gate(asked: Asked) -> Answer:
        nonlocal count
        count += 1
        return moved("/gate", f"visit={count}", status=302)

    with site_running({"/": page("/gate", title="front"), "/gate": gate}) as site:
        assert crawled(site, tmp_path)["pages"] == 1
        assert Counter(site.paths)["/gate"] == 11
        assert explained(site, tmp_path, "/gate")["outcome"] == "redirected"


def test_a_404_of_one_spelling_does_not_hide_the_other(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/": page("/about/", "/about", "/late/", "/next", title="front"),
        "/about/": NOT_THERE,
        "/about": page("/team", title="about"),
        "/team": page(title="team"),
        "/late/": NOT_THERE,
        "/next": page("/late", title="next"),
        "/late": page(title="late"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 5
        assert kept(site, tmp_path) == {"/", "/about", "/team", "/next", "/late"}
        assert max(Counter(site.paths).values()) == 1
        assert explained(site, tmp_path, "/about/")["outcome"] == "gone"
        assert explained(site, tmp_path, "/about")["outcome"] == "ok"


def test_no_other_spelling_of_a_page_is_asked_for_and_explain_says_so(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/": page("/about", "/about/", "/about?utm_source=x", title="front"),
        "/about": page(title="about"),
    }
    with site_running(routes) as site:
        assert crawled(site, tmp_path)["pages"] == 2
        assert site.paths == ["/", "/about"]
        told = explained(site, tmp_path, "/about/")
        assert told["requested"] == site.url("/about") and site.url("/about") in told["reason"]
        assert explained(site, tmp_path, "/about")["requested"] == site.url("/about")


def test_a_parameter_that_was_learned_and_is_redirected_away_loses_nothing(tmp_path: Path) -> None:
    """Each page is the same with any value of `ref`; when that is known, the site begins to redirect from one to another."""
    count = 60
    routes: dict[str, Route] = {}
    for number in range(count):
        words = " ".join(f"word{number}x{place}" for place in range(40))
        next_ones = [f"/item?id={number + 1}&ref={name}" for name in ("a", "b")] if number + 1 < count else []
        answer = page(*next_ones, title=words)
        for name in ("a", "b", "c"):
            routes[f"/item?id={number}&ref={name}"] = (
                moved(f"/item?id={number}&ref=c") if number > 40 and name != "c" else answer
            )
    routes["/"] = page("/item?id=0&ref=a", "/item?id=0&ref=b", title="front")
    with site_running(routes) as site:
        crawled(site, tmp_path, "--max-depth=100")
        lines = run_gossamer("pages", tmp_path / "crawl", "--json", "-n", 0).stdout.splitlines()
        pages = [json.loads(line) for line in lines]
        numbers = {page["url"].partition("id=")[2].partition("&")[0] for page in pages if page["status"] == 200}
        assert {str(number) for number in range(count)} <= numbers
