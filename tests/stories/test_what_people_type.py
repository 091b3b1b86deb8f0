"""What people type on the first day: options in their own spelling, words that do not exist, starts that fail, odd names."""

import json
import os
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from crawling import run_gossamer
from serving import page, site_running

LOOPBACK = ["--allow-private", "127.0.0.0/8"]
QUICK = ["--delay", "0", *LOOPBACK, "--quiet"]


def refused(*arguments: object, code: int = 2) -> str:
    """Run a command that must be refused with one sentence; return it."""
    result = run_gossamer(*arguments)
    assert result.returncode == code, (result.stdout, result.stderr)
    assert "Traceback" not in result.stderr and "bug in gossamer" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    return result.stderr


def explain(directory: Path, url: str) -> dict[str, object]:
    """Ask a crawl about a URL."""
    return json.loads(run_gossamer("explain", directory, url, "--json").stdout)


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """Return a finished crawl of one file."""
    (tmp_path / "page.html").write_text("<title>one</title>")
    result = run_gossamer("crawl", (tmp_path / "page.html").as_uri(), "--dir", tmp_path / "crawl", "--quiet")
    assert result.returncode == 0, result.stderr
    return tmp_path / "crawl"


# --- which URLs ------------------------------------------------------------------------------------------------------


def test_include_and_exclude_choose_what_is_followed(tmp_path: Path) -> None:
    routes = {
        "/": page("/docs/a", "/docs/old", "/news/b", "/blog/c"),
        "/docs/a": page(title="a"),
        "/docs/old": page(title="old"),
        "/news/b": page(title="b"),
        "/blog/c": page(title="c"),
    }
    with site_running(routes) as site:
        chosen = ["--include", "/docs/", "--include", "^http://[^/]*/blog/", "--exclude", "old$", "--exclude", "zip"]
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "c", *chosen, *QUICK)
    assert result.returncode == 0, result.stderr
    assert sorted(site.paths) == ["/", "/blog/c", "/docs/a"]
    assert explain(tmp_path / "c", site.url("/news/b"))["rule"] == "scope.allow"
    answer = explain(tmp_path / "c", site.url("/docs/old"))
    assert answer["rule"] == "scope.block" and "old$" in str(answer["reason"])


def test_an_expression_that_is_none_is_named_and_leaves_nothing_behind(tmp_path: Path) -> None:
    said = refused("crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "c", "--exclude", "(", *QUICK)
    assert "'(' is no regular expression" in said
    assert list(tmp_path.iterdir()) == []


def test_two_ports_of_a_host_are_two_sites(tmp_path: Path) -> None:
    with site_running({"/": page(title="another service")}) as other, site_running({"/": page(other.url())}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "c", *QUICK).returncode == 0
        assert other.asked == []
        answer = explain(tmp_path / "c", other.url())
        assert (answer["outcome"], answer["rule"]) == ("out_of_scope", "scope.within")
        assert f"127.0.0.1:{other.port}" in str(answer["reason"])


@pytest.mark.parametrize("asked_for", ["scope.allow_hosts=127.0.0.1:{port}", "scope.within=domain"])
def test_another_port_is_visited_when_that_is_asked_for(asked_for: str, tmp_path: Path) -> None:
    with site_running({"/": page(title="another service")}) as other, site_running({"/": page(other.url())}) as site:
        wish = ["--set", asked_for.format(port=other.port)]
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "c", *wish, *QUICK).returncode == 0
        assert other.paths == ["/"]


def test_a_blocked_port_blocks_no_other(tmp_path: Path) -> None:
    with site_running({"/": page(title="another service")}) as other, site_running({"/": page()}) as site:
        words = ["--set", f"scope.block_hosts=127.0.0.1:{other.port}", *QUICK]
        assert run_gossamer("crawl", site.url(), other.url(), "--dir", tmp_path / "c", *words).returncode == 0
        assert (site.paths, other.paths) == (["/"], [])


def test_two_services_on_one_host_get_a_directory_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with site_running({"/": page()}) as one, site_running({"/": page()}) as two:
        for site in (one, two):
            assert run_gossamer("crawl", site.url(), *QUICK).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"127.0.0.1-{site.port}.crawl" for site in (one, two))


# --- times and sizes -------------------------------------------------------------------------------------------------


def test_a_delay_may_have_a_unit(tmp_path: Path) -> None:
    with site_running({"/": page("/a"), "/a": page(title="a")}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "c", "--delay", "300ms", *LOOPBACK).returncode == 0
    gaps = [later.at - earlier.at for earlier, later in pairwise(site.asked)]
    assert gaps and 0.295 <= min(gaps) < 0.9


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        (["--delay", "1h30m"], "politeness.delay", 5400.0),
        (["--max-time", "2 days"], "crawl.max_seconds", 172_800.0),
        (["--max-bytes", "1.5 GiB"], "crawl.max_bytes", 1_610_612_736),
        (["--set", "fetch.max_body=512k"], "fetch.max_body", 512_000),
        (["--set", "robots.ttl=1d12h"], "robots.ttl", 129_600.0),
    ],
)
def test_every_option_takes_every_spelling(words: list[str], key: str, value: float, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("one")
    result = run_gossamer("crawl", (tmp_path / "page.html").as_uri(), "--dir", tmp_path / "c", *words, "--quiet")
    assert result.returncode == 0, result.stderr
    section, name = key.split(".")
    assert json.loads(run_gossamer("config", tmp_path / "c", "--json").stdout)[section][name] == value


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (["crawl", "http://127.0.0.1:9/", "--delay", "1h30"], "1h30m"),
        (["crawl", "http://127.0.0.1:9/", "--delay", "1:30"], "100ms"),
        (["crawl", "http://127.0.0.1:9/", "--max-time", "soon"], "1h30m"),
        (["crawl", "http://127.0.0.1:9/", "--max-bytes", "1,5GB"], "10MB"),
        (["crawl", "http://127.0.0.1:9/", "--set", "fetch.max_body=big"], "10MB"),
        (["estimate", "--pages", "1m", "--cycle", "soon"], "7 days"),
        (["estimate", "--pages", "1m", "--page-size", "big"], "20MB"),
        (["simulate", "--days", "1,5"], "7 days"),
    ],
)
def test_a_quantity_that_is_none_is_refused_with_examples(
    words: list[str], example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(*words, *(LOOPBACK if words[0] == "crawl" else []))
    assert example in said and repr(words[-1].rpartition("=")[2]) in said
    assert list(tmp_path.iterdir()) == []


def test_policies_of_hosts_and_ages_take_every_spelling(crawled: Path) -> None:
    (crawled.parent / "page.html").write_text("two")
    run_gossamer("host", crawled, "a.example", "--interval", "1h30m")
    assert json.loads(run_gossamer("host", crawled, "a.example", "--json").stdout)["policy"]["interval"] == 5400.0
    assert "1h30m" in refused("host", crawled, "a.example", "--interval", "sometimes")
    assert "7 days" in refused("recrawl", crawled, "--older-than", "1:00")
    assert run_gossamer("recrawl", crawled, "--older-than", "2 days 1 hour", "--quiet").returncode == 0


def test_estimates_take_times_and_sizes() -> None:
    plain, spelled = (
        run_gossamer("estimate", "--pages", "1m", "--page-size", size, "--cycle", cycle, "--json").stdout
        for size, cycle in (("1500", "28"), ("1.5MB", "4 weeks"))
    )
    assert json.loads(plain) == json.loads(spelled)


# --- words that do not exist -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named", "meant"),
    [
        (["pages", "CRAWL", "--outcome", "banana"], "robots_denied", ""),
        (["pages", "CRAWL", "--outcome", "robots-denied"], "gone", "did you mean robots_denied?"),
        (["pages", "CRAWL", "--type", "html"], "text/html", ""),
        (["show", "CRAWL", "http://a.example/", "--part", "header"], "wire", "did you mean headers?"),
        (["export", "CRAWL", "-", "--to", "jsnol"], "did you mean jsonl?", ""),
        (["host", "CRAWL", "a.example", "--priority", "hihg"], "medium", "did you mean high?"),
        (["crawl", "http://127.0.0.1:9/", "--scope", "hots"], "prefix", "did you mean host?"),
        (["crawl", "http://127.0.0.1:9/", "--set", "crawl.order=breadth"], "depth-first", ""),
        (["crawl", "http://127.0.0.1:9/", "--set", "documents.follow=anchor,banana"], "iframe", ""),
        (["crawl", "http://127.0.0.1:9/", "--set", "documents.follow=ancor"], "iframe", "did you mean anchor?"),
        (["crawl", "http://127.0.0.1:9/", "--set", "scope.schemes=http,htps"], "file", "did you mean https?"),
        (["crawl", "http://127.0.0.1:9/", "--set", "dedupe.near=of"], "skip", "did you mean off?"),
        (["crawl", "http://127.0.0.1:9/", "--set", "recrawl.policy=fix"], "adaptive", "did you mean fixed?"),
        (["crawl", "http://127.0.0.1:9/", "--set", "storage.durability=slow"], "durable", ""),
        (["crawl", "http://127.0.0.1:9/", "--set", "frontier.uri=redis:x"], "rocksdb", ""),
        (["crawl", "http://127.0.0.1:9/", "--set", "storage.kv=sqlite:x"], "memory", ""),
        (["simulate", "--policy", "fixd"], "adaptive", "did you mean fixed?"),
        (["simulate", "--order", "pagerank"], "opic", ""),
    ],
)
def test_an_unknown_word_is_refused_with_all_there_are(
    words: list[str], named: str, meant: str, crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    allowed = LOOPBACK if words[0] == "crawl" else []
    result = run_gossamer(*[str(crawled) if word == "CRAWL" else word for word in words], *allowed)
    assert result.returncode in (2, 5), result.stderr
    assert "Traceback" not in result.stderr
    assert named in result.stderr and meant in result.stderr
    assert list(empty.iterdir()) == []


# --- starts that fail ------------------------------------------------------------------------------------------------

FAILING = [
    ["--set", "scope.block_file=nowhere.txt"],
    ["--set", "frontier.uri=nonsense"],
    ["--set", "storage.kv=other:state"],
    ["--set", "storage.catalog=other:catalog"],
    ["--set", "dns.overrides=nonsense"],
    ["--set", "dns.servers=nonsense"],
    ["--set", "scope.allow_hosts=a/b"],
    ["--include", "["],
]


@pytest.mark.parametrize("options", FAILING, ids=" ".join)
def test_a_failed_start_leaves_no_directory(options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "new" / "crawl", *options, *QUICK)
    assert result.returncode in (2, 3, 4, 5), result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_failed_start_leaves_no_directory_with_several_workers(tmp_path: Path) -> None:
    words = ["--workers", "2", "--set", "scope.block_file=nowhere.txt", *QUICK]
    assert run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "c", *words).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_a_failed_start_takes_nothing_that_was_there(tmp_path: Path) -> None:
    for number, options in enumerate(FAILING):
        place = tmp_path / str(number)
        place.mkdir()
        assert run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", place, *options, *QUICK).returncode in (2, 3, 4, 5)
        assert list(place.iterdir()) == []


def test_a_failed_start_keeps_what_somebody_put_there(tmp_path: Path) -> None:
    place = tmp_path / "c"
    place.mkdir()
    (place / "gossamer.toml").write_text("")
    (place / "thesis.tex").write_text("years of work")
    result = run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", place, "--include", "[", *QUICK)
    assert result.returncode == 2
    assert sorted(path.name for path in place.iterdir()) == ["gossamer.toml", "thesis.tex"]


def test_a_crawl_that_is_there_is_no_failed_start(crawled: Path) -> None:
    before = sorted(path.name for path in crawled.iterdir())
    assert "holds a crawl already" in refused("crawl", "http://127.0.0.1:9/", "--dir", crawled, *QUICK, code=3)
    assert sorted(path.name for path in crawled.iterdir()) == before


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_skipped_seeds_are_counted_and_the_first_ten_told(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("one")
    lines = ["http://[bad/"] * 25 + [(tmp_path / "page.html").as_uri()]
    (tmp_path / "seeds.txt").write_text("\n".join(lines))
    result = run_gossamer("crawl", "--seeds", tmp_path / "seeds.txt", "--skip-invalid", "--dir", tmp_path / "c", "--quiet")
    assert result.returncode == 0, result.stderr
    assert "left out 25 seed" in result.stderr and "... and 15 more" in result.stderr
    assert "line 10:" in result.stderr and "line 11:" not in result.stderr


def test_a_bad_byte_costs_its_line_only(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("one")
    (tmp_path / "two.html").write_text("two")
    good = [(tmp_path / name).as_uri().encode() for name in ("one.html", "two.html")]
    lines = [b"\xef\xbb\xbf# B\xfccher", good[0], b"http://a.example/b\xfccher", b"", good[1]]
    (tmp_path / "seeds.txt").write_bytes(b"\r\n".join(lines))
    result = run_gossamer("crawl", "--seeds", tmp_path / "seeds.txt", "--dir", tmp_path / "c", "--quiet")
    assert result.returncode == 0, result.stderr
    assert "seeds.txt line 3" in result.stderr and "line 1" not in result.stderr
    assert json.loads(run_gossamer("status", tmp_path / "c", "--json").stdout)["pages"] == 2


def test_a_file_of_nothing_but_bad_bytes_is_no_list_of_seeds(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_bytes(os.urandom(64).replace(b"#", b"?") + b"\xff")
    result = run_gossamer("crawl", "--seeds", tmp_path / "seeds.txt", "--dir", tmp_path / "c", "--skip-invalid")
    assert result.returncode == 2 and "no seed" in result.stderr
    assert not (tmp_path / "c").exists()


# --- odd names -------------------------------------------------------------------------------------------------------


def test_suggested_commands_can_be_typed_whatever_the_directory_is_called(tmp_path: Path) -> None:
    place = tmp_path / "my crawl's dir"
    with site_running({"/": page("/a", "/b"), "/a": page(title="a"), "/b": page(title="b")}) as site:
        first = run_gossamer("crawl", site.url(), "--dir", place, *QUICK, "--max-pages", 1)
        again = run_gossamer("crawl", site.url(), "--dir", place, *QUICK)
    spelled = shlex.quote(str(place))
    assert f"gossamer pages {spelled}" in first.stdout and f"gossamer verify {spelled}" in first.stdout
    assert f"gossamer resume {spelled}" in first.stdout
    assert f"`gossamer resume {spelled}`" in again.stderr
    assert f"`gossamer explain {spelled} http://never.example/`" in run_gossamer("show", place, "http://never.example/").stderr
    assert f"gossamer crawl URL --dir {shlex.quote(str(place / 'no'))}" in run_gossamer("status", place / "no").stderr
