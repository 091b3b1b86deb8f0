"""The difference of two crawls, and of two dates of one: what the server says that it changed, no more and no less."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, run_gossamer, simweb_running
from living import DAY, Living, living_crawl
from readonly import on_read_only_media
from serving import Answer, Site, page, site_running

SITE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--set", "traps.soft_404=false"]
PROSE = [f"word{number} of line {number % 7}" for number in range(120)]


def prose(*lines: str, links: tuple[str, ...] = (), title: str = "a page") -> Answer:
    """Return a page with a line a paragraph."""
    paragraphs = "".join(f"<p>{line}</p>\n" for line in lines)
    anchors = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
    return 200, {"content-type": "text/html"}, f"<title>{title}</title>{paragraphs}{anchors}".encode()


def differences(*arguments: object) -> list[dict[str, Any]]:
    result = run_gossamer("diff", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def crawl_of(site: Site, place: Path) -> Path:
    assert run_gossamer("crawl", site.url(), "--dir", place, *SITE).returncode == 0
    return place


@contextmanager
def changed_site() -> Iterator[tuple[Site, dict[str, Any]]]:
    """Serve a site, and give what it has later."""
    first = [*PROSE, "the beginning"]
    before = {
        "/": page("/same", "/edited", "/touched", "/removed", "/moved", "/renamed", "/restyled", title="home"),
        "/same": prose(*PROSE, title="same"),
        "/restyled": prose(*PROSE, "in other clothes", title="restyled"),
        "/edited": prose(*first, title="edited"),
        "/touched": prose(*PROSE, "visitor 1", title="touched"),
        "/removed": page(title="removed"),
        "/moved": prose("it stays", title="moved"),
        "/renamed": prose("a text of its own", title="renamed"),
    }
    after = before | {
        "/": page(
            "/same", "/edited", "/touched", "/removed", "/moved", "/new-name", "/brand-new", "/restyled", title="home, again"
        ),
        "/restyled": (200, {"content-type": "text/html"}, before["/restyled"][2].replace(b"<p>", b"<p class=new>")),
        "/edited": prose(*(f"other {number} and {number + 1}" for number in range(120)), "the end", title="edited"),
        "/touched": prose(*PROSE, "visitor 2", title="touched"),
        "/moved": (301, {"location": "/now-here"}, b""),
        "/now-here": prose("it stays", title="moved"),
        "/new-name": before["/renamed"],
        "/brand-new": page(title="brand new"),
    }
    del after["/removed"], after["/renamed"]
    with site_running(dict(before)) as site:  # type: ignore[arg-type]
        yield site, after


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Path, Path]:
    """Crawl a site before and after it changed."""
    place = tmp_path_factory.mktemp("diff")
    with changed_site() as (site, after):
        one = crawl_of(site, place / "before")
        site.routes.clear()
        site.routes.update(after)
        return site, one, crawl_of(site, place / "after")


def test_pages_are_told_as_added_gone_moved_changed_or_nearly_the_same(crawls: tuple[Site, Path, Path]) -> None:
    site, before, after = crawls
    found = {(one["change"], one["url"].removeprefix(site.url()[:-1])): one for one in differences(before, after)}
    assert set(found) == {
        ("added", "/brand-new"),
        ("gone", "/removed"),
        ("moved", "/moved"),
        ("moved", "/renamed"),
        ("changed", "/"),
        ("changed", "/edited"),
        ("near", "/touched"),
        ("near", "/restyled"),
    }
    assert found["gone", "/removed"]["now"] == "404 gone"
    moved = {path: (one["target"], one["how"]) for (kind, path), one in found.items() if kind == "moved"}
    assert moved == {
        "/moved": (site.url("/now-here"), "redirected"),
        "/renamed": (site.url("/new-name"), "same content"),
    }
    assert (
        found["near", "/restyled"]["bits"] == 0 < found["near", "/touched"]["bits"] <= 3 < found["changed", "/edited"]["bits"]
    )
    assert differences(before, before) == []


def test_the_other_way_round_what_was_added_is_gone(crawls: tuple[Site, Path, Path]) -> None:
    site, before, after = crawls
    found = {(one["change"], one["url"].removeprefix(site.url()[:-1])) for one in differences(after, before)}
    assert {("gone", "/brand-new"), ("added", "/removed"), ("moved", "/new-name")} <= found


def test_the_exit_code_tells_a_difference_only_when_asked_for(crawls: tuple[Site, Path, Path]) -> None:
    _, before, after = crawls
    codes = [
        run_gossamer("diff", before, after).returncode,
        run_gossamer("diff", before, after, "--exit-code").returncode,
        run_gossamer("diff", before, before, "--exit-code").returncode,
        run_gossamer("diff", before, after, "--only", "near", "--exit-code").returncode,
    ]
    assert codes == [0, 1, 0, 1]


def test_the_text_of_a_page_is_compared_line_by_line(crawls: tuple[Site, Path, Path]) -> None:
    site, before, after = crawls
    shown = run_gossamer("diff", before, after, "--url", site.url("/touched"))
    assert [line for line in shown.stdout.splitlines() if line[0] in "+-" and line[1] not in "+-"] == [
        "-visitor 1",
        "+visitor 2",
    ]
    assert f"--- {before}" in shown.stdout and f"+++ {after}" in shown.stdout
    assert run_gossamer("diff", before, after, "--url", site.url("/same"), "--exit-code").stdout == ""
    gone = run_gossamer("diff", before, after, "--url", site.url("/removed"), "--exit-code")
    assert gone.returncode == 1 and "-removed\n+not found" in gone.stdout, "what it says instead is kept"
    added = run_gossamer("diff", before, after, "--url", site.url("/brand-new"))
    assert f"--- {before} (not kept)" in added.stdout and "+brand new" in added.stdout
    unknown = run_gossamer("diff", before, after, "--url", site.url("/never"))
    assert unknown.returncode == 2 and "nothing is kept of" in unknown.stderr


def test_a_long_list_says_how_many_are_left_and_how_to_see_them(crawls: tuple[Site, Path, Path]) -> None:
    _, before, after = crawls
    shown = run_gossamer("diff", before, after, "-n", 1).stdout
    assert "1 added, 1 gone, 2 moved, 2 changed, 2 changed a little" in shown
    assert f"and 1 more: gossamer diff {before} {after} --only moved -n 0" in shown


def test_crawls_that_can_only_be_read_are_compared(crawls: tuple[Site, Path, Path]) -> None:
    _, before, after = crawls
    result = on_read_only_media(before, "diff", before, after, "--json")
    assert result.returncode == 0, result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()] == differences(before, after)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "name a second crawl"),
        (["--from", "yesterday"], "--from 'yesterday' is no date"),
        (["--from", "2026-02-01", "--to", "2026-01-01"], "is not before --to"),
        (["B", "--from", "2026-02-01"], "two crawls are compared as they are"),
        (["B", "--only", "gon"], "did you mean gone?"),
    ],
)
def test_bad_input_gets_one_sentence(crawls: tuple[Site, Path, Path], options: list[str], sentence: str) -> None:
    _, before, after = crawls
    words = [str(after) if word == "B" else word for word in options]
    result = run_gossamer("diff", before, *words)
    assert result.returncode == 2 and sentence in result.stderr and result.stderr.count("\n") == 1


def served(web: Simweb, lines: slice) -> dict[str, int]:
    """Return the last version of each living URL that the server sent, by its own account."""
    requests = [json.loads(line) for line in web.ledger_file.read_text().splitlines()[lines]]
    living = [one for one in requests if "living.sim" in one["host"] and "version" in one]
    return {f"{one['host']}{one['path']}": one["version"] for one in living if one["version"]}


def told(changes: list[dict[str, Any]], *kinds: str) -> set[str]:
    urls = [one["url"] for one in changes if one["change"] in kinds]
    return {url.split("//", 1)[1].split(":")[0] + "/" + url.split("/", 3)[3] for url in urls}


def test_two_crawls_of_the_living_web_differ_in_what_its_server_changed(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, living=2) as web:
        living = Living(tmp_path / "none", web)
        versions = []
        for name in ("before", "after"):
            seen = web.requests()
            words = ["crawl", "--dir", tmp_path / name, "--delay", "0", "--quiet", *web.crawl_options]
            assert run_gossamer(*words).returncode == 0
            versions.append(served(web, slice(seen, None)))
            living.order(f"advance/{3 * DAY}")
    changes = differences(tmp_path / "before", tmp_path / "after")
    truth = {url for url, version in versions[1].items() if versions[0][url] != version}
    assert len(truth) > 8
    ticking = {url for url in versions[1] if "/ticking/" in url} - truth
    assert ticking and told(changes, "changed", "near") == truth | ticking, (
        "a new number in a footer is another page by its bytes"
    )
    assert told(changes, "changed") - ticking == truth
    assert told(changes, "added", "gone", "moved") == set()


def test_two_dates_of_one_crawl_differ_in_what_its_server_changed_between_them(tmp_path: Path) -> None:
    with living_crawl(tmp_path) as living:
        dates, versions = [], []
        for _ in range(2):
            living.step()
            versions.append(served(living.web, slice(0, None)))
            dates.append(datetime.fromtimestamp(living.now, UTC).isoformat(" ", "seconds"))
            living.pass_time(4 * DAY)
        living.step()  # what came after the second date is in no difference
        result = living.run("diff", living.directory, "--from", dates[0], "--to", dates[1], "--json")
        assert result.returncode == 0, result.stderr
        changes = [json.loads(line) for line in result.stdout.splitlines()]
        truth = {url for url, version in versions[1].items() if versions[0][url] != version}
        ticking = {url for url in versions[1] if "/ticking/" in url}  # other bytes each time, until that is learned
        assert truth - ticking and told(changes, "changed", "near") - ticking == truth - ticking
        assert told(changes, "added", "gone", "moved") == set()
        first = living.run("diff", living.directory, "--from", "2020-01-01", "--to", dates[0], "--json")
        assert told([json.loads(line) for line in first.stdout.splitlines()], "added") >= set(versions[0])
        url = living.url("/lively/both.html")
        text = living.run("diff", living.directory, "--from", dates[0], "--to", dates[1], "--url", url)
        assert text.returncode == 0 and "\n-" in text.stdout and "\n+" in text.stdout
