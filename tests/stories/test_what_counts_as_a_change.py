"""What changes on most pages of a host at once is no change of a page: a time, a counter, a list of the last edits.

A wiki is crawled, a few of its pages are edited, and it is crawled again: those are new versions, the rest is as it was kept.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer
from serving import Answer, Asked, Site, site_running

from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory

LOCAL = ["--allow-private", "127.0.0.0/8", "--delay", "0", "--set", "traps.soft_404=false"]
PAGES = 60
EDITED = [3, 17, 20, 41, 59]


@dataclass
class Wiki:
    """A wiki whose every page has a time, a counter, a token nobody sees, and a list of the last edits beside the text."""

    texts: dict[int, str] = field(default_factory=dict)
    edits: list[int] = field(default_factory=lambda: [1, 2, 5])
    asked: "count[int]" = field(default_factory=count)

    def answer(self, number: int) -> Answer:
        moment = next(self.asked)
        recent = "".join(f'<li><a href="/{page}">Subject {name(page)} was edited</a></li>' for page in self.edits[-4:])
        markup = (
            f"<title>Subject {name(number)}</title><h1>Subject {name(number)}</h1><p>{self.texts[number]}</p>"
            f'<a href="/{(number + 1) % PAGES}">next</a> <a href="/{(number * 7 + 1) % PAGES}">see also</a>'
            f'<form><input type=hidden name=token value="{moment * 7919:x}"></form><ul>{recent}</ul>'
            f"<div>Page made in 0.{moment:03} seconds at 12:{moment // 60:02}:{moment % 60:02}</div>{moment} visitors"
        )
        return 200, {"content-type": "text/html"}, markup.encode()

    def edit(self, *numbers: int) -> None:
        for number in numbers:
            self.texts[number] += f" Somebody added that {name(number)} is {name(number * 31 + len(self.edits))}."
            self.edits.append(number)


def name(number: int) -> str:
    """Return a word of its own for a number."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number * 7919 % 100_003:05}")


@pytest.fixture
def wiki() -> Iterator[tuple[Wiki, Site]]:
    """A wiki, served."""
    wiki = Wiki({number: f"What is known of {name(number)} is {name(number + 500)}." for number in range(PAGES)})
    routes = {f"/{number}": answered(number, wiki) for number in range(PAGES)}
    with site_running({"/": answered(0, wiki), **routes}) as site:
        yield wiki, site


def answered(number: int, wiki: Wiki) -> Callable[[Asked], Answer]:
    """Return the route of a page."""
    return lambda asked: wiki.answer(number)


def versions(directory: Path, site: Site) -> dict[int, int]:
    """Return how many versions are kept of each page."""
    told = {number: run_gossamer("pages", directory, "--versions", site.url(f"/{number}"), "--json") for number in EDITED[:2]}
    return {number: len(result.stdout.splitlines()) for number, result in told.items()}


def rows(directory: Path, site: Site, pages: int = PAGES) -> dict[int, dict[str, Any]]:
    """Return what the catalog says of each page."""
    urls = [site.url(f"/{number}") for number in range(1, pages)]
    return dict(enumerate((facts["page"] for facts in ask(CrawlDirectory.open(directory), "explain_all", urls=urls)), 1))


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["one process", "two workers"])
def test_only_pages_that_were_edited_are_new_versions(
    wiki: tuple[Wiki, Site], tmp_path: Path, workers: tuple[str, ...]
) -> None:
    web, site = wiki
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL, *workers).returncode == 0
    first = rows(crawl, site)
    for turn in (1, 2):  # in the second, what was furniture in the first is what is gone
        web.edit(*EDITED)
        asked = len(site.paths)
        result = run_gossamer("recrawl", crawl, "--json", *workers)
        assert result.returncode == 0, result.stderr
        after = rows(crawl, site)
        changed = [number for number in after if after[number]["place"] != first[number]["place"]]
        assert changed == EDITED, Counter(row["outcome"] for row in after.values())
        assert {after[number]["freshness"]["changes"] for number in EDITED} == {turn}
        assert {row["freshness"]["changes"] for number, row in after.items() if number not in EDITED} == {0}
        assert len(site.paths) - asked <= PAGES + 1 + 12, "pages were asked for again and again to judge them"
    assert versions(crawl, site) == dict.fromkeys(EDITED[:2], 3)
    told = run_gossamer("explain", crawl, site.url("/30")).stdout
    assert "recrawl.keep" in told and "changes on most pages" in told, told
    verified = run_gossamer("verify", crawl)
    assert verified.returncode == 0, verified.stdout


def test_what_is_no_change_is_shown_with_its_evidence_and_an_operator_may_keep_it(
    wiki: tuple[Wiki, Site], tmp_path: Path
) -> None:
    _, site = wiki
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL).returncode == 0
    assert run_gossamer("recrawl", crawl).returncode == 0
    (shown,) = map(json.loads, run_gossamer("rules", crawl, "--json").stdout.splitlines())
    assert (shown["kind"], shown["name"], shown["in_force"]) == ("habit", "changes on most pages", True), shown
    assert shown["spared"] == PAGES + 1 and any("visitors" in text for text in shown["examples"]), shown
    assert "changes on most pages" in run_gossamer("rules", crawl).stdout
    assert run_gossamer("traps", crawl, "--all").returncode == 0
    ruled = run_gossamer("rules", crawl, "--host", "127.0.0.1", "--keep", "changes on most pages")
    assert ruled.returncode == 0 and "by an operator" in run_gossamer("rules", crawl, "--all").stdout, ruled.stderr
    assert json.loads(run_gossamer("recrawl", crawl, "--json").stdout)["outcomes"] == {"ok": PAGES + 1}
    again = run_gossamer("rules", crawl, "--host", "127.0.0.1", "--learn", "changes on most pages")
    assert again.returncode == 0, again.stderr
    assert json.loads(run_gossamer("recrawl", crawl, "--json").stdout)["outcomes"] == {"not_modified": PAGES + 1}


def test_whoever_keeps_every_byte_has_a_version_for_every_answer_that_differs(wiki: tuple[Wiki, Site], tmp_path: Path) -> None:
    _, site = wiki
    crawl, keep = tmp_path / "crawl", ("--set", "recrawl.keep=bytes")
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL, *keep).returncode == 0
    assert json.loads(run_gossamer("recrawl", crawl, "--json").stdout)["outcomes"] == {"ok": PAGES + 1}


def test_a_price_that_changes_on_some_pages_is_a_change_though_all_pages_have_one(tmp_path: Path) -> None:
    prices = dict.fromkeys(range(40), 100)

    def answer(number: int) -> Callable[[Asked], Answer]:
        def made(asked: Asked) -> Answer:
            links = "".join(f'<a href="/{other}">{name(other)}</a>\n' for other in range(40))
            text = f"<h1>{name(number)}</h1><p>A {name(number + 7)} thing.</p><p>Price: {prices[number]} EUR</p>{links}"
            return 200, {"content-type": "text/html"}, f"{text}<div>{asked.at:.6f} seconds of uptime</div>".encode()

        return made

    crawl = tmp_path / "crawl"
    with site_running({"/": answer(0), **{f"/{number}": answer(number) for number in prices}}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL).returncode == 0
        first = rows(crawl, site, 40)
        dearer = [2, 9, 10, 23, 24, 31, 38]
        prices.update(dict.fromkeys(dearer, 120))
        assert run_gossamer("recrawl", crawl).returncode == 0
        after = rows(crawl, site, 40)
    assert [number for number in after if after[number]["place"] != first[number]["place"]] == dearer
