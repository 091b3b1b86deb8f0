"""What a crawl keeps, in the formats of others, judged by other readers and by what the synthetic web says."""

import csv
import gzip
import io
import json
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import duckdb
import polars
import pytest
from checking import FASTWARC, WARCIO
from crawling import CLEAN, GOSSAMER, Crawled, run_gossamer, simweb_running, start_gossamer
from faulting import QUICK
from readonly import on_read_only_media
from serving import page, site_running
from warcio.archiveiterator import ArchiveIterator

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import find_pages, show_page
from gossamer.records.page import Page
from gossamer.records.pagequery import PageQuery
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import Web, build
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse

SHAPE = {"hosts": 8, "pages": 100, "seed": 7}
SITE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
BROKEN = {"gone", "client_error", "server_error"}
HTML = {"text/html", "application/xhtml+xml"}
FORMATS = ["parquet", "jsonl", "csv", "text", "broken", "redirects", "sitemap", "warc", "wacz"]
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 8 hosts once for all tests of this file."""
    place = tmp_path_factory.mktemp("export")
    with simweb_running(place, **SHAPE) as web:
        yield Crawled(place / "crawl", web, run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options))


@pytest.fixture(scope="module")
def truth(crawled: Crawled) -> Web:
    """Build the synthetic web that was crawled once more."""
    return build(SimwebSettings(**SHAPE), crawled.web.port)  # type: ignore[arg-type]


def kept(crawled: Crawled, limit: int | None = None, **wanted: Any) -> list[Page]:
    """Return the pages of the catalog."""
    return list(find_pages(CrawlDirectory.open(crawled.directory), PageQuery(**wanted), limit))


def export(directory: Path, form: str, out: Path, *options: object) -> dict[str, Any]:
    """Export a crawl; return the summary."""
    result = run_gossamer("export", directory, "--to", form, out, *options, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def rows_in(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key(url: str) -> str:
    return KeyRules().key(parse(url))


# --- tables ----------------------------------------------------------------------------------------------------------


def test_duckdb_and_polars_read_the_pages_of_the_catalog_from_parquet(crawled: Crawled, tmp_path: Path) -> None:
    summary = export(crawled.directory, "parquet", tmp_path / "pages.parquet")
    pages = kept(crawled)
    frame = polars.read_parquet(tmp_path / "pages.parquet")
    assert frame["url"].to_list() == [page.url for page in pages]
    assert frame["fetch_time"].to_list()[0].timestamp() == pytest.approx(pages[0].fetched_at, abs=0.001)
    assert [value for value in frame["warc_record_offset"].to_list()] == [page.place and page.place.offset for page in pages]
    assert summary["rows"] == len(pages) > 100
    counted = duckdb.sql(f"SELECT outcome, count(*) FROM '{tmp_path}/pages.parquet' GROUP BY outcome").fetchall()
    assert dict(counted) == Counter(page.outcome.value for page in pages)


def test_filters_are_those_of_pages(crawled: Crawled, tmp_path: Path) -> None:
    host = kept(crawled, outcome="gone")[0].host
    export(crawled.directory, "parquet", tmp_path / "gone.parquet", "--outcome", "gone", "--host", host)
    urls = polars.read_parquet(tmp_path / "gone.parquet")["url"].to_list()
    assert urls == [page.url for page in kept(crawled, outcome="gone", host=host)] and urls
    export(crawled.directory, "csv", tmp_path / "some.csv", "-n", 3)
    assert [row["url"] for row in rows_in(tmp_path / "some.csv")] == [page.url for page in kept(crawled, limit=3)]


def test_json_lines_and_csv_have_the_same_rows_as_parquet(crawled: Crawled, tmp_path: Path) -> None:
    for form in ("jsonl", "parquet", "csv"):
        export(crawled.directory, form, tmp_path / form)
    lines = [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()]
    rows = polars.read_parquet(tmp_path / "parquet").to_dicts()
    for row in rows:
        row["fetch_time"] = row["fetch_time"] and row["fetch_time"].isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert lines == rows
    assert rows_in(tmp_path / "csv") == [
        {name: "" if value is None else str(value) for name, value in row.items()} for row in rows
    ]


def test_links_are_the_same_in_every_format_and_of_one_host_those_of_its_pages(crawled: Crawled, tmp_path: Path) -> None:
    for form in ("jsonl", "parquet", "csv"):
        export(crawled.directory, form, tmp_path / form, "--table", "links")
    lines = [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()]
    assert lines == polars.read_parquet(tmp_path / "parquet").to_dicts() and len(lines) > 1000
    assert [row["target"] for row in rows_in(tmp_path / "csv")] == [line["target"] for line in lines]
    host = parse(lines[0]["source"]).host
    export(crawled.directory, "jsonl", tmp_path / "of_host", "--table", "links", "--host", host)
    some = [json.loads(line) for line in (tmp_path / "of_host").read_text().splitlines()]
    assert some == [line for line in lines if parse(line["source"]).host == host] != lines


def test_json_lines_have_text_markup_and_links_of_pages_when_asked_for(crawled: Crawled, tmp_path: Path, truth: Web) -> None:
    export(crawled.directory, "jsonl", tmp_path / "all.jsonl", "--text", "--html", "--links", "--status", 200)
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_bytes().splitlines()]
    pages = [line for line in lines if line["content_mime_detected"] == "text/html" and line["outcome"] == "ok"]
    for line in [line for line in pages if line["content_charset"] == "utf-8"][:20]:
        shown = show_page(CrawlDirectory.open(crawled.directory), line["url"])
        assert (line["text"], line["html"].encode()) == (shown.text, shown.content)
        resource = truth.lookup(line["url"])
        assert resource is not None
        assert {key(link["url"]) for link in line["links"]} == {key(link.url) for link in truth.links(resource)}
    copies = [line for line in lines if line["outcome"] == "duplicate"]
    assert copies and all(line["html"] for line in copies)  # that of their original
    assert not any(name in json.loads(run_gossamer("export", crawled.directory, "--to", "jsonl", "-", "-n", 1).stdout)
                   for name in ("text", "html", "links"))  # fmt: skip


def test_no_cell_of_csv_becomes_a_formula(tmp_path: Path) -> None:
    titles = ['=cmd|"/c calc"!A1', "+1", "-1", "@SUM(A1)", "\t=1", 'ordinary, with "quotes"\nand lines']
    routes = {f"/{number}": page(title=title) for number, title in enumerate(titles)}
    with site_running({"/": page(*routes, title="home"), **routes}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    export(tmp_path / "crawl", "csv", tmp_path / "pages.csv")
    found = {row["title"] for row in rows_in(tmp_path / "pages.csv")}
    assert found == {'\'=cmd|"/c calc"!A1', "'+1", "'-1", "'@SUM(A1)", "'=1", 'ordinary, with "quotes" and lines', "home"}
    assert not any(value.startswith(("=", "+", "-", "@")) for row in rows_in(tmp_path / "pages.csv") for value in row.values())


def test_items_are_lines_as_their_reader_yielded_them_and_rows_of_a_table(tmp_path: Path) -> None:
    script = tmp_path / "shop.py"
    script.write_text(
        "from gossamer.script import reads\n\n\n@reads('text/html', r'/item/')\ndef item(page):\n"
        "    yield {'url': page.url, 'name': page.title}\n"
    )
    routes = {f"/item/{number}": page(title=f"Thing {number}") for number in range(5)}
    with site_running({"/": page(*routes, title="shop"), **routes}) as site:
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", "--script", script, *SITE)
        assert result.returncode == 0, result.stderr
    assert export(tmp_path / "crawl", "jsonl", tmp_path / "items.jsonl", "--table", "items")["rows"] == 5
    lines = [json.loads(line) for line in (tmp_path / "items.jsonl").read_bytes().splitlines()]
    assert sorted(lines, key=str) == [{"url": site.url(path), "name": f"Thing {path[6:]}"} for path in routes]
    export(tmp_path / "crawl", "parquet", tmp_path / "items.parquet", "--table", "items", "--host", "127.0.0.1")
    rows = polars.read_parquet(tmp_path / "items.parquet").to_dicts()
    assert [json.loads(row["item"]) for row in rows] == lines and {row["reader"] for row in rows} == {"item"}
    assert export(tmp_path / "crawl", "csv", tmp_path / "none.csv", "--table", "items", "--status", 404)["rows"] == 0
    assert run_gossamer("export", tmp_path / "crawl", "--to", "csv", "-", "thing", "--table", "items").returncode == 2


# --- for site owners -------------------------------------------------------------------------------------------------


def test_broken_links_are_those_of_the_manifest_with_every_page_that_has_one(
    crawled: Crawled, tmp_path: Path, truth: Web
) -> None:
    export(crawled.directory, "broken", tmp_path / "broken.csv")
    rows = rows_in(tmp_path / "broken.csv")
    expected = {entry["url"]: entry for entry in crawled.web.manifest if entry["outcome"] in BROKEN}
    assert {row["target"] for row in rows} == set(expected) and len(expected) > 3
    for row in rows:
        entry = expected[row["target"]]
        assert (row["outcome"], row["status"]) == (entry["outcome"], str(entry["status"]))
        assert str(entry["status"]) in row["reason"]
    pages = [truth.lookup(entry["url"]) for entry in crawled.web.manifest if entry["fetch"]]
    links = {(link.url, each.url) for each in pages if each for link in truth.links(each) if link.kind != "sitemap"}
    named = {(row["target"], row["source"]) for row in rows if row["kind"]}
    assert named == {(target, source) for target, source in links if target in expected} and named
    listed = {row["target"] for row in rows} - {target for target, _ in named}
    assert all(row["source"] == expected[row["target"]]["found_by"] for row in rows if row["target"] in listed)


def test_broken_links_have_the_words_of_the_link(tmp_path: Path) -> None:
    home = (
        b"<title>home</title><a href='/lost'> The  <b>lost</b> page</a><a href='lost2'><img src='/x.png' alt='A picture'></a>"
        b"<a href='/lost3#part' aria-label='Labelled'></a><a href='/LOST'>Other</a><img src='/gone.png' alt='x'>"
        b"<a href='/ok'>ok</a>"
    )
    copy = (200, {"content-type": "text/html"}, home)
    routes = {"/": (200, {"content-type": "text/html"}, home), "/ok": page("/lost", "/copy"), "/copy": copy}
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
        export(tmp_path / "crawl", "broken", tmp_path / "broken.csv")
        found = {(row["target"], row["source"]): row["words"] for row in rows_in(tmp_path / "broken.csv")}
        assert found == {
            (site.url("/lost"), site.url("/")): "The lost page",
            (site.url("/lost"), site.url("/ok")): "/lost",
            (site.url("/lost"), site.url("/copy")): "The lost page",
            (site.url("/lost2"), site.url("/")): "A picture",
            (site.url("/lost2"), site.url("/copy")): "A picture",
            (site.url("/lost3"), site.url("/")): "Labelled",
            (site.url("/lost3"), site.url("/copy")): "Labelled",
            (site.url("/LOST"), site.url("/")): "Other",
            (site.url("/LOST"), site.url("/copy")): "Other",
        }
        export(tmp_path / "crawl", "broken", tmp_path / "none.csv", "--status", 410)
        assert rows_in(tmp_path / "none.csv") == []


def test_chains_of_redirects_are_told_from_beginning_to_end(tmp_path: Path) -> None:
    def to(path: str, status: int = 301) -> tuple[int, dict[str, str], bytes]:
        return status, {"location": path}, b""

    routes = {
        "/": page("/a", "/alone", "/round", "/lost"),
        "/a": to("/b", 302),
        "/b": to("/c"),
        "/c": page(title="the end"),
        "/alone": to("/c"),
        "/round": to("/around"),
        "/around": to("/round"),
        "/lost": to("/nowhere", 308),
    }
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    export(tmp_path / "crawl", "redirects", tmp_path / "redirects.csv")
    rows = {row["url"].removeprefix(site.url("")): row for row in rows_in(tmp_path / "redirects.csv")}
    assert rows.keys() - {"around"} == {"a", "alone", "round", "lost"} - set() or rows.keys() >= {
        "/a",
        "/alone",
        "/round",
        "/lost",
    }
    told = {
        url: (row["status"], row["redirects"], row["end"].removeprefix(site.url("")), row["end_status"], row["circle"])
        for url, row in rows.items()
    }
    assert told["/a"] == ("302", "2", "/c", "200", "0")
    assert told["/alone"] == ("301", "1", "/c", "200", "0")
    assert told["/lost"] == ("308", "1", "/nowhere", "404", "0")
    assert told["/round"][4] == "1" and "/b" not in told
    assert rows["/a"]["chain"].split(" ") == [site.url(path) for path in ("/a", "/b", "/c")]


def test_a_sitemap_lists_what_a_search_engine_may_know_and_a_crawl_can_begin_with_it(crawled: Crawled, tmp_path: Path) -> None:
    export(crawled.directory, "sitemap", tmp_path / "sitemaps")
    listed: list[str] = []
    for path in sorted(tmp_path.glob("sitemaps/*/sitemap.xml")):
        urls = [element.text or "" for element in ElementTree.parse(path).getroot().iter(f"{SITEMAP}loc")]
        assert len({parse(url).origin for url in urls}) == 1, "a sitemap is about one host"
        listed += urls
    wanted = {
        page.url
        for page in kept(crawled)
        if page.outcome == "ok" and page.mime in HTML and not page.noindex and not page.duplicate_of
        if page.canonical in ("", page.url)
    }
    assert set(listed) == wanted and len(listed) == len(wanted) > 50


def test_a_sitemap_of_many_pages_is_split_and_has_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.storage.export import sitemap

    links = [f"/{number}" for number in range(7)]
    with site_running({"/": page(*links, title="home"), **{link: page(title=f"page {link}") for link in links}}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    monkeypatch.setattr(sitemap, "MOST_URLS", 3)
    from gossamer.jobs.export import export_crawl
    from gossamer.records.export import ExportOptions

    written = export_crawl(CrawlDirectory.open(tmp_path / "crawl"), "sitemap", tmp_path / "maps", ExportOptions())
    assert sum(written) == 8
    folder = tmp_path / "maps" / f"127.0.0.1+{site.port}"
    index = ElementTree.parse(folder / "sitemap.xml").getroot()
    assert index.tag == f"{SITEMAP}sitemapindex"
    assert [element.text for element in index.iter(f"{SITEMAP}loc")] == [site.url(f"/sitemap-{part}.xml") for part in (1, 2, 3)]
    counts = [len(list(ElementTree.parse(folder / f"sitemap-{part}.xml").getroot())) for part in (1, 2, 3)]
    assert counts == [3, 3, 2]


# --- files and records -----------------------------------------------------------------------------------------------


def test_texts_are_in_a_folder_each_under_a_name_of_its_own(tmp_path: Path) -> None:
    paths = ["/a", "/A", "/b/", "/b/index", "/con", "/a?q=%2E%2E/..", "/" + "long" * 400, "/%2e%2e%2f%2e%2e%2fetc"]
    routes = {path: page(title=f"the text of {number}") for number, path in enumerate(paths)}
    with site_running({"/": page(*paths, title="home"), **routes}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    summary = export(tmp_path / "crawl", "text", tmp_path / "texts")
    listed = {
        line["url"]: tmp_path / "texts" / line["file"]
        for line in map(json.loads, (tmp_path / "texts" / "files.jsonl").read_text().splitlines())
    }
    assert summary["rows"] == len(listed) == len(paths) + 1
    assert len({str(path).casefold() for path in listed.values()}) == len(listed)
    for url, path in listed.items():
        assert path.resolve().is_relative_to(tmp_path / "texts")
        assert path.read_text() == show_page(CrawlDirectory.open(tmp_path / "crawl"), url).text + "\n"


def test_warcio_and_fastwarc_read_the_records_of_a_filter(crawled: Crawled, tmp_path: Path) -> None:
    export(crawled.directory, "warc", tmp_path / "some.warc.gz", "--outcome", "duplicate")
    for checker in (WARCIO, FASTWARC):
        assert subprocess.run([*checker, str(tmp_path / "some.warc.gz")], check=False).returncode == 0
    copies = [page for page in kept(crawled, outcome="duplicate") if page.place]
    with (tmp_path / "some.warc.gz").open("rb") as file:
        heads = [record.rec_headers for record in ArchiveIterator(file)]
    records = [(head.get_header("WARC-Type"), head.get_header("WARC-Target-URI")) for head in heads]
    kinds = Counter(kind for kind, _ in records)
    assert kinds["warcinfo"] == 1 and records[0][0] == "warcinfo" and kinds["revisit"] > 3
    assert {url for kind, url in records if kind in ("revisit", "response")} >= {page.url for page in copies}
    originals = {head.get_header("WARC-Refers-To-Target-URI") for head in heads} - {None}
    assert originals and originals <= {url for kind, url in records if kind == "response"}
    assert kinds["request"] == kinds["revisit"] + kinds["response"]
    assert len(records) == len(set(records)), "a record is there twice"


def test_every_record_of_a_warc_is_as_it_was_kept(crawled: Crawled, tmp_path: Path) -> None:
    export(crawled.directory, "warc", tmp_path / "all.warc.gz")
    exported = (tmp_path / "all.warc.gz").read_bytes()
    for place in [one.place for one in kept(crawled, status=200)[::10]]:
        assert place is not None
        record = (crawled.directory / "warc" / place.file).read_bytes()[place.offset : place.offset + place.length]
        assert record in exported


def test_a_wacz_has_pages_an_index_that_finds_every_record_and_right_digests(crawled: Crawled, tmp_path: Path) -> None:
    import hashlib

    summary = export(crawled.directory, "wacz", tmp_path / "crawl.wacz", "--text")
    with ZipFile(tmp_path / "crawl.wacz") as archive:
        assert all(info.compress_type == 0 for info in archive.infolist()) and archive.testzip() is None
        described = json.loads(archive.read("datapackage.json"))
        assert (described["profile"], described["wacz_version"]) == ("data-package", "1.1.1")
        for part in described["resources"]:
            content = archive.read(part["path"])
            assert (part["bytes"], part["hash"]) == (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}")
        assert json.loads(archive.read("datapackage-digest.json"))["hash"] == (
            f"sha256:{hashlib.sha256(archive.read('datapackage.json')).hexdigest()}"
        )
        head, *pages = map(json.loads, archive.read("pages/pages.jsonl").splitlines())
        index = archive.read("indexes/index.cdx").splitlines()
        records = archive.read("archive/data.warc.gz")
    assert head["format"] == "json-pages-1.0" and index == sorted(index)
    html = [page for page in kept(crawled) if page.mime in HTML and page.outcome == "ok" and not page.duplicate_of]
    assert {one["url"] for one in pages} == {page.url for page in html}
    assert sum(bool(one["text"]) for one in pages) > 50
    assert len(index) >= len([page for page in kept(crawled) if page.place]) - 5 and summary["rows"] >= len(index)
    for line in index:
        facts = json.loads(line.split(b" ", 2)[2])
        start = int(facts["offset"])
        record = gzip.decompress(records[start : start + int(facts["length"])])
        assert f"WARC-Target-URI: {facts['url']}\r\n".encode() in record and facts["filename"] == "data.warc.gz"


def test_check_lists_what_a_replay_would_miss_and_why(tmp_path: Path) -> None:
    markup = (
        b"<title>home</title><link rel=stylesheet href=/style.css><link rel=canonical href=/><script src='app.js'></script>"
        b"<img src=/there.png srcset='/big.png 2x, data:x 3x'><iframe src=/frame></iframe><iframe src=/lost></iframe>"
        b"<a href=/there.png>see</a>"
    )
    picture = (200, {"content-type": "image/png"}, b"\x89PNG\r\n\x1a\n")
    home = (200, {"content-type": "text/html"}, markup)
    with site_running({"/": home, "/there.png": picture, "/frame": page(title="in a frame")}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    result = run_gossamer("export", tmp_path / "crawl", "--to", "wacz", "--check", "--json")
    gaps = {gap["missing"].removeprefix(site.url("")): gap for gap in map(json.loads, result.stdout.splitlines())}
    assert set(gaps) == {"/style.css", "/app.js", "/big.png"}
    assert {gap["page"] for gap in gaps.values()} == {site.url()}
    assert (gaps["/app.js"]["element"], gaps["/app.js"]["reason"]) == ("script", "it was never asked for")
    assert "/app.js\t" in run_gossamer("export", tmp_path / "crawl", "--to", "wacz", "--check").stdout
    assert run_gossamer("export", tmp_path / "crawl", tmp_path / "x", "--to", "csv", "--check").returncode == 2


# --- how it is written -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_there_already_is_refused_without_force_and_replaced_with_it(
    form: str, crawled: Crawled, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export(crawled.directory, form, out, "-n", 1, "--host", "h0003.sim")
    before = contents(out)
    again = run_gossamer("export", crawled.directory, "--to", form, out)
    assert again.returncode == 2 and "--force" in again.stderr and contents(out) == before
    export(crawled.directory, form, out, "--force")
    assert contents(out) != before
    assert list(tmp_path.iterdir()) == [out], "something is left behind"


def contents(path: Path) -> object:
    if path.is_file():
        return path.read_bytes()
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def test_a_folder_that_no_export_made_is_never_replaced(crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("precious")
    for form in ("text", "csv"):
        result = run_gossamer("export", crawled.directory, "--to", form, tmp_path / "mine", "--force")
        assert result.returncode == 2 and "not replaced" in result.stderr
    result = run_gossamer("export", crawled.directory, "--to", "csv", crawled.directory / "catalog.db", "--force")
    assert result.returncode == 2 and "own directory" in result.stderr
    result = run_gossamer("export", crawled.directory, "--to", "csv", "/dev/null", "--force")
    assert result.returncode == 2 and Path("/dev/null").is_char_device()
    assert (tmp_path / "mine" / "letter").read_text() == "precious"


@pytest.mark.parametrize("form", ["jsonl", "wacz"])  # a folder: tests/unit/jobs/test_target.py
def test_a_full_disk_leaves_the_old_export_untouched(form: str, crawled: Crawled, tmp_path: Path) -> None:
    export(crawled.directory, form, tmp_path / "out", "-n", 5)
    before = contents(tmp_path / "out")
    words = [*GOSSAMER, "export", crawled.directory, "--to", form, tmp_path / "out", "--force"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # Python ignores the signal that comes with it

    result = subprocess.run([*map(str, words)], capture_output=True, text=True, env=CLEAN, preexec_fn=limited, check=False)
    assert result.returncode == 4, result.stderr
    assert "no space is left" in result.stderr and "Traceback" not in result.stderr
    assert contents(tmp_path / "out") == before and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_every_format_works_beside_a_running_crawl(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(300)]
    with site_running({"/": page("/gone", "/away", *links), "/away": (301, {"location": "/"}, b"")}) as site:
        crawl = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE[2:], "--delay", "0.2")
        try:
            site.wait_for("/5")
            written = {form: export(tmp_path / "crawl", form, tmp_path / form)["rows"] for form in FORMATS}
            assert crawl.poll() is None and min(written.values()) >= 1, written
        finally:
            crawl.send_signal(signal.SIGTERM)
            crawl.communicate(timeout=30)


def test_it_works_on_a_directory_that_can_only_be_read(crawled: Crawled, tmp_path: Path) -> None:
    for form in ("redirects", "text", "wacz"):  # each takes a start; more are in test_read_only.py
        words = ["export", crawled.directory, "--to", form, tmp_path / form, "-n", 20]
        result = on_read_only_media(crawled.directory, *words)
        assert result.returncode == 0, (form, result.stderr)


def test_standard_output_takes_one_file_and_no_folder(crawled: Crawled) -> None:
    lines = run_gossamer("export", crawled.directory, "--to", "csv", "-", "-n", 3).stdout
    assert len(list(csv.DictReader(io.StringIO(lines)))) == 3
    words = [*GOSSAMER, "export", str(crawled.directory), "--to", "parquet", "-", "-n", "3"]
    whole = subprocess.run(words, capture_output=True, env=CLEAN, check=True).stdout
    assert polars.read_parquet(io.BytesIO(whole)).height == 3
    words = [*GOSSAMER, "export", str(crawled.directory), "--to", "wacz", "-", "-n", "3"]
    with ZipFile(io.BytesIO(subprocess.run(words, capture_output=True, env=CLEAN, check=True).stdout)) as archive:
        assert archive.testzip() is None
    for form in ("text", "sitemap"):
        result = run_gossamer("export", crawled.directory, "--to", form, "-")
        assert result.returncode == 2 and "name a folder" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "parqet"], "did you mean parquet?"),
        (["--to", "csv", "--table", "link"], "did you mean links?"),
        (["--to", "text", "--table", "links"], "pages"),
        (["--to", "csv", "--html"], "jsonl"),
        (["--to", "jsonl", "--outcome", "gonne"], "gone"),
        ([], "parquet"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_sentence(words: list[str], said: str, crawled: Crawled, tmp_path: Path) -> None:
    result = run_gossamer("export", crawled.directory, tmp_path / "out", *words)
    assert result.returncode == 2 and said in result.stderr and "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_parquet_without_pyarrow_says_what_to_install(crawled: Crawled, tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['pyarrow'] = None; from gossamer.cli.main import run; run()"
    words = [sys.executable, "-c", hidden, "export", str(crawled.directory), "--to", "parquet", str(tmp_path / "out")]
    result = subprocess.run(words, capture_output=True, text=True, env=CLEAN, check=False)
    assert result.returncode == 5 and "pip install gossamer[export]" in result.stderr and "Traceback" not in result.stderr
