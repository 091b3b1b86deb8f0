"""Readers of a script: items and links out of pages, exactly once a version; what goes wrong in them costs no page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer
from serving import Answer, Site, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
SHOP = """
from gossamer.script import reads

@reads("text/html", r"/item/\\d+")
def item(page):
    yield {"url": page.url, "name": page.css_first("h1").text(), "price": page.css_first(".price").text()}
"""


def thing(number: int, price: str = "", *links: str) -> Answer:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    words = " ".join(f"word{number}x{place}" for place in range(60))
    markup = f'<title>{number}</title><h1>Thing {number}</h1><p class="price">{price or number}</p>{words}{anchors}'
    return 200, {"content-type": "text/html"}, markup.encode()


def shop(things: int = 5) -> dict[str, Any]:
    items = [f"/item/{number}" for number in range(things)]
    front = "".join(f'<a href="{path}">{path}</a>' for path in items)
    return {"/": (200, {"content-type": "text/html"}, front.encode()), **{p: thing(n) for n, p in enumerate(items)}}


@pytest.fixture
def site() -> Iterator[Site]:
    with site_running(shop()) as running:
        yield running


def crawl(place: Path, site: Site, script: str, *options: object, code: int = 0) -> Any:
    """Crawl a site with a script; return what the command came to."""
    file = place / "shop.py"
    file.write_text(script)
    result = run_gossamer("crawl", site.url(), "--dir", place / "crawl", "--script", file, *QUICK, *options)
    assert result.returncode == code, result.stderr
    return result


def items(place: Path) -> list[dict[str, Any]]:
    """Return the items of a crawl, in the order of their numbers."""
    from gossamer.script import open_crawl

    with open_crawl(place / "crawl") as opened:
        return [item.value for item in opened.items()]


def problems(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run_gossamer("problems", place / "crawl", "--json").stdout.splitlines()]


def pages(place: Path) -> dict[str, str]:
    lines = run_gossamer("pages", place / "crawl", "--json", "-n", "0").stdout.splitlines()
    return {page["url"]: page["outcome"] for page in map(json.loads, lines)}


def test_a_reader_finds_items_on_the_pages_it_wants(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, SHOP)
    wanted = [{"url": site.url(f"/item/{number}"), "name": f"Thing {number}", "price": str(number)} for number in range(5)]
    assert sorted(items(tmp_path), key=lambda item: item["url"]) == wanted
    assert problems(tmp_path) == []


def test_a_page_that_no_reader_wants_is_read_as_before(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, SHOP.replace("text/html", "application/json"))
    assert items(tmp_path) == [] and problems(tmp_path) == [] and len(pages(tmp_path)) == 6


def test_the_first_lines_of_a_crawl_name_its_readers(tmp_path: Path, site: Site) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--script", tmp_path / "shop.py", *QUICK[:-1]]
    assert r"reader:     item of shop.py (text/html /item/\d+)" in run_gossamer(*words).stderr


TROUBLE = """
import datetime, os, time
from gossamer.script import reads

@reads("text/html", "/item/0$")
def raising(page):
    yield {"n": 1}
    yield {"n": {}["missing"]}

@reads("text/html", "/item/1$")
def endless(page):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass

@reads("text/html", "/item/2$")
def odd(page):
    yield {"when": datetime.datetime.now()}
    yield {"n": float("nan")}
    yield "a text"
    yield {"long": "x" * 70_000}
    yield {"n": 2}

@reads("text/html", "/item/3$")
def many(page):
    for number in range(10_000_000):
        yield {"n": number}

@reads("text/html", "/item/4$")
def deadly(page):
    os._exit(1)

@reads("text/html", "/item/[13]$")
def fetching(page):
    import urllib.request
    urllib.request.urlopen(page.url)

@reads("text/html", "/item/0$")
def fine(page):
    return {"fine": page.title}

@reads("text/html", "/item/2$")
def greedy(page):
    return {"big": ["x"] * 10**9}
"""


def test_whatever_a_reader_does_the_page_is_kept_and_the_problem_listed(tmp_path: Path, site: Site) -> None:
    result = crawl(tmp_path, site, TROUBLE, "--set", "documents.deadline=1")
    assert set(pages(tmp_path).values()) == {"ok"} and len(pages(tmp_path)) == 6
    found = problems(tmp_path)
    told = {(one["url"].rpartition("/")[2], one["reader"]): one for one in found}
    assert told["0", "raising"]["error"] == "KeyError: 'missing'"
    assert told["0", "raising"]["where"] == "shop.py:8" and "in raising" in told["0", "raising"]["trace"]
    assert "did not end within 0.9 s" in told["1", "endless"]["error"]
    assert told["1", "endless"]["where"] == "shop.py:14" and "time.sleep" in told["1", "endless"]["trace"]
    assert "not asked" in told["1", "fetching"]["error"]
    errors = [one["error"] for one in found if one["reader"] == "odd"]
    assert ["no JSON" in error for error in errors] == [True, True, False, False]
    assert "yielded a str" in errors[2] and "70,011 bytes" in errors[3]
    assert "more than 100 items" in told["3", "many"]["error"]
    assert "ended its process" in told["4", "deadly"]["error"] and told["4", "deadly"]["where"] == "shop.py:31"
    assert "a reader cannot fetch" in told["3", "fetching"]["error"]
    assert "MemoryError" in told["2", "greedy"]["error"]
    kept = items(tmp_path)
    assert [item for item in kept if "n" not in item] == [{"fine": "0"}]
    assert sorted(item["n"] for item in kept if "n" in item) == sorted([1, 2, *range(100)])
    assert f"items       {len(kept)} found by readers; readers had {len(found)} problem(s)" in result.stdout
    shown = run_gossamer("problems", tmp_path / "crawl", "-n", 0)
    assert len(shown.stdout.splitlines()) == len(found) and "Traceback" not in shown.stdout
    assert "Traceback" in run_gossamer("problems", tmp_path / "crawl", "--trace").stdout


def test_readers_that_never_return_do_not_hold_up_a_crawl(tmp_path: Path) -> None:
    script = "from gossamer.script import reads\n@reads('text/html', '/item/')\ndef slow(page):\n    while True: pass\n"
    with site_running(shop(40)) as site:
        crawl(tmp_path, site, script, "--set", "documents.deadline=0.2")
    assert len(pages(tmp_path)) == 41
    errors = [one["error"] for one in problems(tmp_path)]
    assert len(errors) == 40 and sum("was not asked" in error for error in errors) > 30


BAD = {
    "def item(page:\n": "line 1: ",
    "import gossamer.script\nx = 1\ny = x / 0\n": "line 3: ZeroDivisionError: division by zero",
    "from gossamer.script import reads\n\n@reads('html')\ndef f(page): ...\n": "line 3: 'html' is no MIME type",
    "from gossamer.script import reads\n@reads('text/html', '(?=x)')\ndef f(page): ...\n": "line 2: ",
    "from gossamer.script import reads\n@reads('text/html')\nasync def f(page): ...\n": "line 2: f is async",
    "x = 1\n": "has no reader",
    "import os\nos._exit(0)\n": "ended the process",
    "raise SystemExit(3)\n": "line 1: SystemExit: 3",
    "import nothing_of_that_name\n": "line 1: ModuleNotFoundError",
}


@pytest.mark.parametrize("script", BAD)
def test_a_script_with_an_error_is_told_by_its_line_before_the_crawl_begins(tmp_path: Path, site: Site, script: str) -> None:
    result = crawl(tmp_path, site, script, code=5)
    *_, said = result.stderr.splitlines()
    assert "shop.py" in said and BAD[script] in said and "Traceback" not in result.stderr
    assert not (tmp_path / "crawl").exists() and site.asked == []


def test_a_script_that_is_not_there_is_named(tmp_path: Path, site: Site) -> None:
    words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--script", tmp_path / "none.py", *QUICK]
    result = run_gossamer(*words)
    assert result.returncode == 5 and "cannot read the script" in result.stderr and "none.py" in result.stderr
    assert not (tmp_path / "crawl").exists()


LINKS = """
from gossamer.script import Link, reads

@reads("text/html", "/$")
def more(page):
    yield page.follow("/hidden")
    yield page.follow("http://elsewhere.test/")
    yield Link("deep/er", "anchor")
    yield page.follow("http://[nonsense")
"""


def test_links_that_a_reader_yields_are_judged_and_fetched_like_all(tmp_path: Path) -> None:
    hidden = {path: thing(number) for number, path in enumerate(["/hidden", "/deep/er"])}
    with site_running({"/": (200, {"content-type": "text/html"}, b"<title>none</title>"), **hidden}) as site:
        crawl(tmp_path, site, LINKS)
    assert sorted(site.paths) == ["/", "/deep/er", "/hidden"]
    explained = run_gossamer("explain", tmp_path / "crawl", "http://elsewhere.test/", "--json").stdout
    assert json.loads(explained)["rule"] == "scope.within"
    (problem,) = problems(tmp_path)
    assert "is no URL" in problem["error"] and problem["where"] == "shop.py:9"


def test_a_page_that_did_not_change_has_no_new_items_and_a_new_version_replaces_them(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, SHOP)
    before = numbered(tmp_path)
    site.routes["/item/2"] = thing(2, "reduced")
    assert run_gossamer("recrawl", tmp_path / "crawl", *QUICK).returncode == 0
    after = numbered(tmp_path)
    assert len(after) == 5 and len({*before.items()} & {*after.items()}) == 4
    assert [price for number, price in after.items() if number > max(before)] == ["reduced"]


def numbered(place: Path) -> dict[int, str]:
    from gossamer.script import open_crawl

    with open_crawl(place / "crawl") as opened:
        return {item.number: item.value["price"] for item in opened.items()}


def test_an_exact_copy_has_no_items_unless_only_it_was_wanted(tmp_path: Path) -> None:
    same = thing(7)
    routes = {"/item/7": same, "/item/7?ref=home": same, "/offer": same}
    front = "".join(f'<a href="{path}">x</a>' for path in routes).encode()
    offers = SHOP + "\n@reads('text/html', '/offer')\ndef offer(page):\n    yield {'price': 'offer', 'url': page.url}\n"
    with site_running({"/": (200, {"content-type": "text/html"}, front), **routes}) as site:
        crawl(tmp_path, site, offers)
    assert sorted(pages(tmp_path).values()) == ["duplicate", "duplicate", "ok", "ok"]
    assert sorted(numbered(tmp_path).values()) == ["7", "offer"]


def test_resume_finds_the_script_says_that_it_changed_and_names_it_when_it_is_gone(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, SHOP, "--max-pages", 2)
    script = tmp_path / "shop.py"
    script.write_text(SHOP.replace('"price": page', '"cost": page'))
    result = run_gossamer("resume", tmp_path / "crawl", "--delay", "0", "--max-pages", 2)
    assert "script:" in result.stderr and "has changed since the crawl began" in result.stderr
    assert {key for item in items(tmp_path) for key in item} == {"url", "name", "price", "cost"}
    script.unlink()
    result = run_gossamer("resume", tmp_path / "crawl")
    assert result.returncode == 5 and "cannot read the script" in result.stderr and str(script) in result.stderr
    assert run_gossamer("pages", tmp_path / "crawl").returncode == 0
    other = tmp_path / "other.py"
    other.write_text(SHOP)
    assert run_gossamer("resume", tmp_path / "crawl", "--delay", "0", "--script", other).returncode == 0
    assert len(items(tmp_path)) == 5


def test_readers_work_for_several_workers(tmp_path: Path, site: Site) -> None:
    result = crawl(tmp_path, site, SHOP, "--workers", 2, "--json")
    assert [json.loads(result.stdout)[name] for name in ("items", "problems")] == [5, 0]
    assert len(items(tmp_path)) == 5 and len({item["url"] for item in items(tmp_path)}) == 5


def test_several_scripts_count_and_each_may_import_what_stands_beside_it(tmp_path: Path, site: Site) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "our_words.py").write_text("WORD = 'beside'\n")
    imports = "from gossamer.script import reads\nfrom our_words import WORD\n"
    reader = "@reads('text/html', '/item/0')\ndef word(page):\n    yield {'w': WORD}\n"
    (tmp_path / "other" / "second.py").write_text(imports + reader)
    crawl(tmp_path, site, SHOP, "--script", tmp_path / "other" / "second.py")
    assert len(items(tmp_path)) == 6 and {"w": "beside"} in items(tmp_path)
    assert run_gossamer("resume", tmp_path / "crawl", "--set", "documents.scripts=", "-q").returncode == 0
