"""No link of a page is lost: not the 650th, not one of a copy, not one of a page that looks like another; a cut is told."""

import json
from collections.abc import Mapping
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer
from serving import Answer, Route, Site, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "storage.durability=fast"]
HTML = {"content-type": "text/html"}


def crawl(site: Site, directory: Path, *options: object) -> dict[str, Any]:
    """Crawl a site from its root; return the summary."""
    result = run_gossamer("crawl", site.url(), "--dir", directory, *QUICK, *options, "--json")
    assert result.returncode == 0, result.stderr
    summary: dict[str, Any] = json.loads(result.stdout)
    return summary


def explained(directory: Path, url: str) -> dict[str, Any]:
    """Return what `explain` says of a URL."""
    facts: dict[str, Any] = json.loads(run_gossamer("explain", directory, url, "--json").stdout)
    return facts


def html(text: str) -> Answer:
    """Return an answer of HTML."""
    return 200, HTML, text.encode()


def own_words(name: str) -> str:
    """Return a text that has not a phrase in common with any other."""
    return " ".join(sha1(f"{name} {number}".encode()).hexdigest() for number in range(12))


def missing(site: Site, routes: Mapping[str, Route]) -> list[str]:
    """Return the pages of a site that were never asked for."""
    return sorted(set(routes) - set(site.paths))


# --- many links --------------------------------------------------------------------------------------------------------------


def test_all_seven_hundred_links_of_a_page_are_followed(tmp_path: Path) -> None:
    numbers = range(700)
    routes: dict[str, Route] = {f"/{number}": page(title=f"page {number} of its own") for number in numbers}
    routes["/"] = page(*routes)
    with site_running(routes) as site:
        summary = crawl(site, tmp_path / "crawl")
        assert missing(site, routes) == []
        assert explained(tmp_path / "crawl", site.url("/650"))["outcome"] == "ok"
    assert summary["pages"] == 701
    assert summary["links_cut"] == {"links": 0, "pages": 0}


def test_the_first_links_of_a_page_keep_their_class_and_those_beyond_wait_in_the_lowest(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with site_running({"/": page(*(f"/{number}" for number in range(60)))}) as site:
        crawl(site, directory, "--max-pages", 1, "--set", "documents.top_links=50")
        classes = [explained(directory, site.url(f"/{number}"))["queue"]["priority"] for number in (0, 49, 50, 59)]
    assert classes == ["high", "high", "low", "low"]


def test_a_target_with_thousands_of_fragments_is_one_link(tmp_path: Path) -> None:
    parts = [f"/chapter/{chapter}#part-{part}" for chapter in range(3) for part in range(3_000)]
    routes: dict[str, Route] = {f"/chapter/{chapter}": page(title=f"chapter {chapter} of the book") for chapter in range(3)}
    routes |= {"/appendix": page(title="the appendix"), "/": page(*parts, "/appendix")}
    with site_running(routes) as site:
        summary = crawl(site, tmp_path / "crawl", "--set", "documents.max_links=4")
        assert missing(site, routes) == []
    assert summary["links_cut"] == {"links": 0, "pages": 0}


def test_links_that_were_cut_are_told_everywhere(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    routes: dict[str, Route] = {f"/{number}": page(title=f"page {number} of its own") for number in range(30)}
    routes["/"] = page(*routes)
    with site_running(routes) as site:
        result = run_gossamer("crawl", site.url(), "--dir", directory, *QUICK, "--set", "documents.max_links=20")
        home, lost = site.url("/"), site.url("/29")
    told = "10 links of 1 page were cut (documents.max_links)"
    assert told in result.stdout
    status = run_gossamer("status", directory)
    assert told in status.stdout
    assert json.loads(run_gossamer("status", directory, "--json").stdout)["links_cut"] == {"links": 10, "pages": 1}
    verified = run_gossamer("verify", directory)
    assert verified.returncode == 0
    assert f"10 links of {home} were cut" in verified.stdout
    assert "20 are known, 10 more were cut (documents.max_links)" in run_gossamer("explain", directory, home).stdout
    assert explained(directory, home)["page"]["links_cut"] == 10
    facts = explained(directory, lost)
    assert facts["state"] == "unknown"
    assert facts["reason"] == "it would be fetched; it may be one of 10 links that were cut (documents.max_links)"


# --- copies ------------------------------------------------------------------------------------------------------------------


def folders(index: Answer, names: tuple[str, ...], count: int) -> dict[str, Route]:
    """Return a site with the same index in several folders, and in each the pages that it links, which are its own."""
    routes: dict[str, Route] = {"/": page(*(f"/part{number}/" for number in range(count)), title="home")}
    for number in range(count):
        routes[f"/part{number}/"] = index
        for name in names:
            routes[f"/part{number}/{name}"] = page(title=own_words(f"{number}{name}"))
    return routes


STUBS = {
    "stubs": html("<title>Contents</title><p><a href=one.html>one</a> <a href=two.html>two</a> <a href=three.html>three</a>"),
    "framesets": html(
        "<title>Contents</title><frameset cols='20%,80%'><frame src=one.html><frame src=two.html><frame src=three.html>"
    ),
}


@pytest.mark.parametrize("kind", STUBS)
@pytest.mark.parametrize("count", [5, 40])
def test_relative_links_of_identical_pages_are_followed_from_each_of_them(kind: str, count: int, tmp_path: Path) -> None:
    routes = folders(STUBS[kind], ("one.html", "two.html", "three.html"), count)
    directory = tmp_path / "crawl"
    with site_running(routes) as site:
        summary = crawl(site, directory)
        assert missing(site, routes) == []
        copies = [json.loads(line) for line in _pages(directory, "--outcome", "duplicate").splitlines()]
        inlinks = run_gossamer("pages", directory, "--inlinks", site.url("/part1/two.html")).stdout
    assert summary["outcomes"]["duplicate"] == count - 1
    assert {copy["title"] for copy in copies} == {"Contents"}
    assert {copy["links"] for copy in copies} == {3}
    assert site.url("/part1") in inlinks
    assert run_gossamer("verify", directory).returncode == 0


def test_verify_looks_at_the_links_of_copies_too(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with site_running(folders(STUBS["stubs"], ("one.html", "two.html", "three.html"), 5)) as site:
        crawl(site, directory)
    checks = json.loads(run_gossamer("verify", directory, "--json").stdout)["checks"]
    (links,) = [check for check in checks if check["promise"] == "P3"]
    assert links["count"] == 1 + 5 + 5 * 3  # home, the indexes, what they link


def _pages(directory: Path, *options: object) -> str:
    return run_gossamer("pages", directory, *options, "-n", 0, "--json").stdout


# --- pages that look alike ---------------------------------------------------------------------------------------------------


def listing(folder: str, names: list[str]) -> Answer:
    """Return what a server shows of a folder, with its own ways to sort it."""
    rows = "".join(f'<tr><td><a href="{name}">{name}</a><td>2024-01-01 12:00<td>1.2K\n' for name in names)
    columns = {"N": "Name", "M": "Last modified", "S": "Size", "D": "Description"}
    sorts = "".join(f'<th><a href="?C={letter};O=D">{word}</a>' for letter, word in columns.items())
    return html(
        f"<title>Index of {folder}</title><h1>Index of {folder}</h1><table><tr>{sorts}\n"
        f'<tr><td><a href="../">Parent Directory</a>\n{rows}</table>'
    )


def test_no_file_is_lost_behind_directory_listings_that_look_alike(tmp_path: Path) -> None:
    names = [f"measurement-{number:02d}.txt" for number in range(21)]
    routes: dict[str, Route] = {"/": page("/pool/", title="home")}
    places = [f"/pool/station{number:02d}/" for number in range(32)]
    routes["/pool/"] = listing("/pool/", [place.removeprefix("/pool/") for place in places])
    sorted_ones: dict[str, Route] = {}
    for place in places:
        routes[place] = listing(place, names)
        sorted_ones |= {f"{place}?C={letter};O=D": listing(place, names[::-1]) for letter in "NMSD"}
        for name in names:
            routes[place + name] = (200, {"content-type": "text/plain"}, own_words(place + name).encode())
    with site_running(routes | sorted_ones) as site:
        summary = crawl(site, tmp_path / "crawl")
        assert missing(site, routes) == []
    assert summary["outcomes"]["near_duplicate"] >= 20  # or nothing was tried here
