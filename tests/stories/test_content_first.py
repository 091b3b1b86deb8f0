"""Content first: what shows a page once more in another way waits behind all pages, and is fetched all the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from crawling import run_gossamer
from serving import Answer, Route, Site, site_running

ARTICLES = 40
TOOLS = ("?do=edit", "?do=history", "?do=diff&rev=170012", "?do=export", "?do=login")


def text(name: str) -> str:
    """Return words of its own for a page."""
    return " ".join(f"{name}-{number}-{crc32(name.encode()) * (number + 7) % 9973}" for number in range(60))


def html(name: str, links: list[str]) -> Answer:
    """Return a page with links before its text."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return 200, {"content-type": "text/html"}, f"<title>{name}</title>{anchors}<p>{text(name)}</p>".encode()


def wiki() -> dict[str, Route]:
    """Return a wiki whose pages have their tools before their links, and its folder of files with sort orders."""
    routes: dict[str, Route] = {"/": html("home", ["/wiki/page-a0", "/files/"])}
    for number in range(ARTICLES):
        path = f"/wiki/page-a{number}"
        links = [f"/wiki/page-a{other}" for other in (2 * number + 1, 2 * number + 2) if other < ARTICLES]
        tools = [f"{path}{tool}" for tool in TOOLS] + [f"/log/page-a{number}"]
        routes[path] = html(path, [*tools, *links])
        routes |= {tool: html(tool, tools) for tool in tools}
        routes[f"/log/page-a{number}"] = html(f"log{number}", tools)
    routes["/files/"] = html("files", [f"/files/{number}.zip" for number in range(5)])
    routes |= {f"/files/{number}.zip": (200, {"content-type": "application/zip"}, b"PK%d" % number) for number in range(5)}
    return routes


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two workers"])
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """A wiki that was crawled until it had as many pages as it takes for all of its content, and a few more."""
    with site_running(wiki()) as site:
        directory = tmp_path_factory.mktemp("content-first") / "crawl"
        options = ["--allow-private", "127.0.0.0/8", "--delay", 0, "--max-pages", 150, "--workers", request.param]
        done = run_gossamer("crawl", site.url(), "--dir", directory, *options)
        assert done.returncode in (0, 3, 4), done.stderr
        yield site, directory


def test_all_content_is_fetched_within_two_and_a_half_requests_a_page(crawled: tuple[Site, Path]) -> None:
    site, _ = crawled
    content = {f"/wiki/page-a{number}" for number in range(ARTICLES)}
    positions = [site.paths.index(path) for path in content]
    assert max(positions) <= 2.5 * ARTICLES


def test_views_and_archives_are_fetched_after_content(crawled: tuple[Site, Path]) -> None:
    site, _ = crawled
    last = max(site.paths.index(f"/wiki/page-a{number}") for number in range(ARTICLES))
    assert min(site.paths.index(path) for path in site.paths if path.endswith(".zip")) > last
    assert any("?do=" in path for path in site.paths[last:]), "what is last is fetched too"


def test_rules_lists_the_marks_of_views_with_their_evidence(crawled: tuple[Site, Path]) -> None:
    _, directory = crawled
    listed = [json.loads(line) for line in run_gossamer("rules", directory, "--json").stdout.splitlines()]
    marks = {one["name"]: one for one in listed if one["kind"] == "view"}
    assert {"?do=edit", "?do=history", "?do=diff", "?do=export", "?do=login", "/log/*"} <= set(marks)
    assert marks["?do=edit"]["beside"] >= 8
    assert marks["?do=edit"]["shown"][-1]["url"] == marks["?do=edit"]["shown"][-1]["page"] + "?do=edit"
    assert "?do=edit" in run_gossamer("rules", directory).stdout


def test_explain_says_why_a_view_waits_and_an_operator_has_the_last_word(crawled: tuple[Site, Path]) -> None:
    site, directory = crawled
    waiting = next(
        path for number in reversed(range(ARTICLES)) if (path := f"/wiki/page-a{number}?do=export") not in site.paths
    )
    said = run_gossamer("explain", directory, site.url(waiting)).stdout
    assert "waits in the last class: a view: ?do=export stood beside" in said
    assert run_gossamer("rules", directory, "--host", "127.0.0.1", "--first", "?do=export").returncode == 0
    assert "?do=export stood" not in run_gossamer("explain", directory, site.url(waiting)).stdout
    shown = run_gossamer("rules", directory, "--all", "--json").stdout.splitlines()
    (ruled,) = [one for one in map(json.loads, shown) if one["name"] == "?do=export"]
    assert ruled["ruling"] == "allow" and not ruled["last"]
    assert run_gossamer("rules", directory, "--host", "127.0.0.1", "--learn", "?do=export").returncode == 0


def test_files_that_only_their_answers_tell_are_learned_by_their_make(tmp_path: Path) -> None:
    """`Content-Disposition` says of the first ones that they are no pages; the others wait behind all that are."""
    download = {"content-type": "application/octet-stream", "content-disposition": 'attachment; filename="x"'}
    routes: dict[str, Route] = {f"/get/{number}": (200, download, b"%d" % number) for number in range(60)}
    routes |= {f"/page/{number + 500}": html(f"page{number}", []) for number in range(30)}
    routes |= {f"/list/{number + 100}": html(f"list{number}", [f"/page/{number + 500}"]) for number in range(30)}
    routes |= {
        "/": html("home", [f"/get/{number}" for number in range(60)] + [f"/list/{number + 100}" for number in range(30)])
    }
    with site_running(routes) as site:
        options = ["--allow-private", "127.0.0.0/8", "--delay", 0]
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options).returncode == 0
        before = site.paths[: max(site.paths.index(f"/page/{number + 500}") for number in range(30))]
    assert sum(path.startswith("/get/") for path in before) <= 20
    assert set(routes) <= set(site.paths), "none is refused for it"
    (rule,) = [json.loads(line) for line in run_gossamer("rules", tmp_path / "crawl", "--json").stdout.splitlines()]
    assert rule["name"] == "=/get/{n}" and rule["beside"] >= 8
    assert "a file: " in run_gossamer("explain", tmp_path / "crawl", site.url("/get/1"), "--all").stdout
