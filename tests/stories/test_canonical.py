"""A page that is fetched after its own variant is no copy of it: of two alike the canonical one counts, whenever it came."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asked import Crawled
from crawling import run_gossamer
from serving import Answer, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
# A page, the variant that is linked before it, and what differs in the variant.
PAIRS = {
    "exact by its query": ("/exact", "/exact?version=1", ""),
    "near by its query": ("/near", "/near?do=export", "exported"),
    "shorter": ("/short", "/short/for-the-printer", "printed"),
    "named by the variant": ("/articles/with-a-long-name", "/p?id=7", ""),
    "named by a twin": ("/articles/with-another-long-name", "/q?id=8", "number eight"),
}
NAMED = {"/p?id=7": "/articles/with-a-long-name", "/q?id=8": "/articles/with-another-long-name", "/lost?x=1": "/not-there"}


def text(seed: str, more: str = "", canonical: str = "", links: tuple[str, ...] = ()) -> Answer:
    """Return a page with many words."""
    status, headers, body = page(*links, title=f"about {seed}")
    head = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    words = " ".join(f"{seed}{number}" for number in range(400))
    return status, headers, head.encode() + body + f"{words} {more}".encode()


def routes() -> dict[str, Any]:
    """Return a web whose home page links the variants, which link the pages."""
    served: dict[str, Any] = {"/": page(*[variant for _, variant, _ in PAIRS.values()], "/lost?x=1", "/lone/copy?of=x")}
    for number, (path, variant, more) in enumerate(PAIRS.values()):
        canonical = NAMED.get(variant, "")
        served[variant] = text(f"w{number}x", more, canonical, links=(path,))
        served[path] = text(f"w{number}x", "", canonical if not more else "", links=(path,))
    served["/lost?x=1"] = text("lost", canonical=NAMED["/lost?x=1"])
    served["/lone/copy?of=x"] = text("lone", links=("/lone/copy?of=x&by=y",))
    served["/lone/copy?of=x&by=y"] = text("lone", links=("/lone/copy?of=x&by=y",))
    return served


class Judged(Crawled):
    """It, and what is said of its pages."""

    def explained(self, path: str) -> dict[str, Any]:
        [answer] = self.lines("explain", self.site.url(path))
        return answer


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two workers"])
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    directory = tmp_path_factory.mktemp("canonical") / "crawl"
    with site_running(routes()) as site:
        workers = ["--workers", str(request.param)] if request.param > 1 else []
        result = run_gossamer("crawl", site.url(), "--dir", directory, *QUICK, *workers)
        assert result.returncode == 0, result.stderr
        for page_, variant, _ in PAIRS.values():
            assert site.paths.index(variant) < site.paths.index(page_), "the variant was to come first"
        yield Judged(site, directory)


@pytest.mark.parametrize("name", PAIRS)
def test_a_page_counts_though_its_variant_came_first(name: str, crawled: Judged) -> None:
    path, variant, more = PAIRS[name]
    kept, copy = crawled.explained(path), crawled.explained(variant)
    assert (kept["outcome"], kept["duplicate_of"], kept["copies"]) == ("ok", "", [crawled.site.url(variant)])
    assert (copy["outcome"], copy["duplicate_of"]) == ("near_duplicate" if more else "duplicate", crawled.site.url(path))
    assert copy["rule"] == "dedupe.canonical"
    assert copy["reason"].startswith(f"a copy of {crawled.site.url(path)}, the canonical one because ")
    told = crawled.run("explain", crawled.site.url(variant)).stdout
    assert "the canonical one because" in told and crawled.site.url(path) in told
    assert crawled.site.url(variant) in crawled.run("explain", crawled.site.url(path)).stdout


def test_catalog_and_totals_tell_the_same(crawled: Judged) -> None:
    rows = {one["url"]: one for one in crawled.lines("pages", "--limit", "100")}
    for path, variant, more in PAIRS.values():
        kept, copy = rows[crawled.site.url(path)], rows[crawled.site.url(variant)]
        assert (kept["outcome"], copy["outcome"]) == ("ok", "near_duplicate" if more else "duplicate")
    assert crawled.run("verify").exit_code == 0


def test_a_page_whose_canonical_does_not_answer_stays_what_it_is_and_so_does_one_before_its_variant(crawled: Judged) -> None:
    lost, first, later = [crawled.explained(path) for path in ("/lost?x=1", "/lone/copy?of=x", "/lone/copy?of=x&by=y")]
    assert (lost["outcome"], lost["duplicate_of"], first["outcome"]) == ("ok", "", "ok")
    assert (later["outcome"], later["duplicate_of"]) == ("duplicate", first["wire"])


def test_a_search_finds_the_page_and_not_its_variant(crawled: Judged) -> None:
    assert crawled.run("index").exit_code == 0
    for number, (path, _, _) in enumerate(PAIRS.values()):
        found = crawled.lines("pages", f"w{number}x17")
        assert [one["url"] for one in found] == [crawled.site.url(path)]


def test_both_are_shown_as_they_came(crawled: Judged) -> None:
    for path, variant, more in PAIRS.values():
        for one, words in ((path, ""), (variant, more)):
            shown = crawled.run("show", crawled.site.url(one), "--part", "text")
            assert shown.exit_code == 0 and words in shown.stdout and "399" in shown.stdout


def test_a_page_is_indexed_also_when_it_came_after_its_variant_was(tmp_path: Path) -> None:
    served = routes()
    later = {path: served.pop(path) for path, *_ in PAIRS.values()}
    with site_running(served) as site:
        crawl = Judged(site, tmp_path / "crawl")
        assert run_gossamer("crawl", site.url(), "--dir", crawl.directory, *QUICK).returncode == 0
        assert crawl.run("index").exit_code == 0
        assert [one["url"] for one in crawl.lines("pages", "w0x17")] == [site.url("/exact?version=1")]
        site.routes |= later
        assert run_gossamer("recrawl", crawl.directory, "--failed", *QUICK).returncode == 0
        assert crawl.lines("pages", "w0x17") == [], "the variant is no longer searched"
        assert crawl.run("index").exit_code == 0
        for number, (path, _, _) in enumerate(PAIRS.values()):
            assert [one["url"] for one in crawl.lines("pages", f"w{number}x17")] == [site.url(path)]
        assert crawl.run("verify").exit_code == 0
