"""Every compiled module may be missing, alone or with all others: the crawl is slower, and the same to the last rule."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from asked import Crawled
from hiding import COMPILED, run_without
from serving import Answer, Route, Site, site_running

QUICK = ("--delay", "0", "--allow-private", "127.0.0.0/8", "--json")
UNRANKED = ("--set", "score.rank_after=0")  # a ranking ends when it ends, and moves what waits then
ARTICLES, VISITORS = 12, 10
COPIES = {"/p?id=7": "/articles/one", "/near?do=print": "/near"}
TOOLS = ("?do=edit", "?do=history", "?do=export")
READ = ("digest", "title", "charset", "links", "simhash", "outlinks", "canonical")  # what a page was read as


def html(name: str, links: list[str], words: str = "", head: str = "") -> Answer:
    """Return a page with links, then words that only it has unless it is given some."""
    own = " ".join(f"{name}-{number}-{crc32(name.encode()) * (number + 7) % 9973}" for number in range(80))
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"<title>{name}</title>{head}{anchors}<p>{words or own}</p>"
    return 200, {"content-type": "text/html; charset=utf-8"}, text.encode()


def wiki() -> Iterator[tuple[str, Route]]:
    """Give articles with views of each, which a crawl leaves for last."""
    for number in range(ARTICLES):
        path = f"/wiki/a{number}"
        others = [f"/wiki/a{other}" for other in (2 * number + 1, 2 * number + 2) if other < ARTICLES]
        views = [f"{path}{tool}" for tool in TOOLS]
        yield path, html(path, [*views, *others])
        yield from ((view, html(view, views)) for view in views)


def copies() -> Iterator[tuple[str, Route]]:
    """Give pages behind a copy that names them, a near copy, and sessions in the path and in the query that mean nothing."""
    words = " ".join(f"wörd{number}" for number in range(400))
    others = " ".join(f"{number}中文" for number in range(400))
    head = '<link rel="canonical" href="/articles/one">'
    yield "/p?id=7", html("p", ["/articles/one"], words, head)
    yield "/articles/one", html("p", ["/articles/one"], words, head)
    yield "/near?do=print", html("near", ["/near"], f"{others} printed")
    yield "/near", html("near", ["/near"], others)
    for visitor in range(VISITORS):
        token = f"{crc32(b'%d' % visitor):08x}{crc32(b'%d!' % visitor):08x}"
        folders = [f"/(S({token}))/page/{number}" for number in range(VISITORS)]
        queries = [f"/item/{number}?visit={token}" for number in range(VISITORS)]
        yield f"/list/v{visitor}", html(f"list{visitor}", [*folders, *queries])
        yield from ((path, html(path.rpartition("/")[2], [])) for path in folders)
        yield from ((path, html(path.partition("?")[0], [])) for path in queries)


def web() -> dict[str, Route]:
    """Return a site that has all of it."""
    lists = [f"/list/v{visitor}" for visitor in range(VISITORS)]
    home = html("home", ["/wiki/a0", "/p?id=7", "/near?do=print", "/ünï?q=ß", "../up//./x?y#z", *lists])
    return {"/": home, **dict(wiki()), **dict(copies())}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with site_running(web()) as running:
        yield running


@pytest.fixture(scope="module")
def compiled(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return outcome_of(site, tmp_path_factory.mktemp("compiled") / "crawl", ())


def outcome_of(site: Site, directory: Path, hidden: tuple[str, ...], *options: str) -> dict[str, Any]:
    """Crawl without some modules; return what the crawl knows in the end."""
    done = run_without(hidden, "crawl", site.url(), "--dir", directory, *QUICK, *(options or UNRANKED))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bugs"] == 0
    crawl = Crawled(site, directory)
    kept = [page for page in crawl.lines("pages", "-n", "0") if page["outcome"] == "ok"]  # copies: by when a lesson was learned
    return {
        "kept": {page["url"]: [page[name] for name in READ] for page in kept},
        "copies": {path: crawl.lines("explain", site.url(path))[0]["duplicate_of"] for path in COPIES},
        "rules": [(rule["kind"], rule["name"]) for rule in (*crawl.lines("rules"), *crawl.lines("traps"))],
    }


def test_the_lessons_are_there_to_be_learned(compiled: dict[str, Any], site: Site) -> None:
    assert {("parameter", "visit"), ("parameter", "/(S({id}))/"), ("view", "?do=edit")} <= set(compiled["rules"])
    assert compiled["copies"] == {copy: site.url(page) for copy, page in COPIES.items()}
    assert len(compiled["kept"]) > 50


@pytest.mark.parametrize("name", COMPILED)
def test_each_module_may_be_missing_alone(name: str, site: Site, compiled: dict[str, Any], tmp_path: Path) -> None:
    assert outcome_of(site, tmp_path / "crawl", (name,)) == compiled


@pytest.mark.parametrize("more", [(), ("numpy",)], ids=["with numpy", "without"])
def test_all_may_be_missing_at_once(more: tuple[str, ...], site: Site, compiled: dict[str, Any], tmp_path: Path) -> None:
    assert outcome_of(site, tmp_path / "crawl", (*COMPILED, *more)) == compiled


def test_what_waits_is_ranked_without_the_module_and_without_numpy_a_crawl_goes_on(site: Site, tmp_path: Path) -> None:
    ranked, hidden = ("--set", "score.rank_after=20"), "gossamer.storage._ranking"
    for name, missing in (("numpy", (hidden,)), ("nothing", (hidden, "numpy"))):
        assert len(outcome_of(site, tmp_path / name, missing, *ranked)["kept"]) > 50
    told = [(tmp_path / name / "crawl.log").read_text().count("without ranking what waits") for name in ("numpy", "nothing")]
    assert told == [0, 1]
    assert "pip install numpy" in (tmp_path / "nothing" / "crawl.log").read_text()


# --- what is said of it --------------------------------------------------------------------------------------------------


def test_a_crawl_that_runs_pure_says_so_once_and_other_commands_when_they_are_asked(site: Site, tmp_path: Path) -> None:
    hidden, names = ("gossamer.url._join", "gossamer.dedupe._simhash"), "dedupe._simhash, url._join"
    told = run_without(hidden, "crawl", site.url("/near"), "--dir", tmp_path / "crawl", *QUICK[:-1], "--max-pages", "1")
    assert told.stderr.count(names) == 1 and "install gossamer again" in told.stderr
    notes = [json.loads(line) for line in (tmp_path / "crawl" / "crawl.log").read_text().splitlines()]
    assert [note["modules"] for note in notes if note["event"] == "runs pure"] == [names.split(", ")]
    assert names in run_without(hidden, "status", tmp_path / "crawl").stdout
    build = json.loads(run_without(hidden, "status", tmp_path / "crawl", "--json").stdout)["build"]
    assert build["pure"] == names.split(", ") and len(build["compiled"]) + 2 == len(COMPILED)
    assert names in run_without(hidden, "--version").stdout
    assert names not in run_without(hidden, "pages", tmp_path / "crawl").stderr


def test_where_all_is_compiled_only_whoever_asks_is_told(site: Site, tmp_path: Path) -> None:
    told = run_without((), "crawl", site.url("/near"), "--dir", tmp_path / "crawl", *QUICK[:-1], "--max-pages", "1")
    assert "modules in C" not in told.stderr and "runs pure" not in (tmp_path / "crawl" / "crawl.log").read_text()
    assert f"all {len(COMPILED)} modules in C are compiled" in run_without((), "--version").stdout
