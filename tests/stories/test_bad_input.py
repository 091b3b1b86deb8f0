"""Bad input gets one sentence that names the thing and the remedy, an exit code, and never a traceback."""

import fcntl
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from crawling import run_gossamer

LOCAL = ["--allow-private", "127.0.0.0/8"]


def refused(*arguments: object, code: int, stdin: str | None = None) -> str:
    """Run a command that must be refused; return what it says."""
    result = run_gossamer(*arguments, stdin=stdin)
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    return result.stderr


def a_crawl(directory: Path) -> Path:
    """Make a finished crawl of one file."""
    page = directory / "page.html"
    page.write_text("<title>one</title>")
    result = run_gossamer("crawl", page.as_uri(), "--dir", directory / "crawl", "--delay", 0, "--quiet")
    assert result.returncode == 0, result.stderr
    return directory / "crawl"


def test_an_unknown_option_is_named_with_a_did_you_mean() -> None:
    words = refused("crawl", "http://example.org/", "--dirr", "x", code=2)
    assert "--dirr" in words and "--dir" in words.replace("--dirr", "")


def test_an_unknown_command_is_named() -> None:
    assert "explian" in refused("explian", code=2)


def test_an_unknown_setting_is_named_with_a_did_you_mean() -> None:
    words = refused("crawl", "http://example.org/", "--set", "fetch.max_boddy=1", code=2)
    assert "fetch.max_boddy" in words and "fetch.max_body" in words


def test_a_setting_out_of_range_is_named(tmp_path: Path) -> None:
    assert "politeness.delay" in refused("crawl", "http://example.org/", "--dir", tmp_path / "c", "--delay", -1, code=2)


def test_an_expression_that_could_hold_the_crawl_up_is_refused_with_the_remedy(tmp_path: Path) -> None:
    words = refused("crawl", "http://example.org/", "--dir", tmp_path / "c", "--set", r"scope.block=(a)\1", code=2)
    assert "scope.block" in words and r"(a)\\1" in words and "back-references" in words
    (tmp_path / "list.txt").write_text("example.com\n/a(?!b)/\n")
    words = refused(
        "crawl", "http://example.org/", "--dir", tmp_path / "c", "--set", f"scope.block_file={tmp_path}/list.txt", code=2
    )
    assert "list.txt, line 2" in " ".join(words.split()) and "look-around" in words


def test_an_unknown_key_in_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[politness]\ndelay = 1\n")
    words = refused("crawl", "http://example.org/", "--config", tmp_path / "bad.toml", code=2)
    assert "politness" in words and "politeness" in words


def test_a_bad_address_range_is_named(tmp_path: Path) -> None:
    words = refused("crawl", "http://example.org/", "--dir", tmp_path / "c", "--allow-private", "127.0.0.0/99", code=2)
    assert "127.0.0.0/99" in words
    assert not (tmp_path / "c").exists()


def test_a_seed_that_is_no_url_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://127.0.0.1:9/\n\nhttp://[bad/\n")
    words = refused("crawl", "--seeds", tmp_path / "seeds.txt", "--dir", tmp_path / "c", code=2)
    assert "line 3" in words and "--skip-invalid" in words
    assert not (tmp_path / "c").exists()


def test_the_other_seeds_are_crawled_when_asked(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>one</title>")
    result = run_gossamer(
        "crawl", "--seeds", "-", "--skip-invalid", "--dir", tmp_path / "c", stdin=f"http://[bad/\n{page.as_uri()}\n"
    )
    assert result.returncode == 0, result.stderr
    assert "standard input line 1" in result.stderr
    assert json.loads(run_gossamer("status", tmp_path / "c", "--json").stdout)["pages"] == 1


@pytest.mark.parametrize("seed", ["mailto:a@b.example", "exa mple", "http://", "javascript:alert(1)"])
def test_a_seed_with_nothing_to_fetch_is_refused(seed: str, tmp_path: Path) -> None:
    assert seed in refused("crawl", seed, "--dir", tmp_path / "c", code=2)
    assert not (tmp_path / "c").exists()


def test_no_seed_at_all_is_said() -> None:
    assert "--seeds" in refused("crawl", code=2)


@pytest.mark.parametrize(
    "command", [["resume"], ["status"], ["pages"], ["verify"], ["index"], ["explain", "http://a/"], ["show", "http://a/"]]
)
def test_a_directory_that_is_no_crawl_is_said(command: list[str], tmp_path: Path) -> None:
    name, *rest = command
    words = refused(name, tmp_path / "nothing", *rest, code=3)
    assert "no crawl" in words and str(tmp_path / "nothing") in words


def test_a_directory_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    assert "not empty" in refused("crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", tmp_path, code=3)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_crawl_is_not_begun_twice_in_one_directory(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    assert "gossamer resume" in refused("crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", crawl, code=3)


def test_a_crawl_in_use_is_refused_with_the_holders_number(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    with (crawl / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        words = refused("resume", crawl, code=3)
    assert "in use" in words and str(os.getpid()) in words


def test_a_crawl_of_a_newer_gossamer_is_refused(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    about = json.loads((crawl / "crawl.json").read_text())
    (crawl / "crawl.json").write_text(json.dumps({**about, "format": 99, "gossamer": "9.0"}))
    (crawl / "crawl.seal").unlink()  # as the newer one would have written another
    words = refused("resume", crawl, code=3)
    assert "9.0" in words and "upgrade" in words


def test_a_crawl_of_an_older_gossamer_is_refused_with_what_to_do(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    about = json.loads((crawl / "crawl.json").read_text())
    (crawl / "crawl.json").write_text(json.dumps({**about, "format": 1, "gossamer": "0.0"}))
    (crawl / "crawl.seal").unlink()
    words = refused("resume", crawl, code=3)
    assert "format 1" in words and "crawl into a new directory" in words


@pytest.mark.parametrize("command", ["resume", "pages", "status", "verify", "index"])
def test_a_catalog_of_an_older_layout_is_refused_with_what_to_do(command: str, tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    with closing(sqlite3.connect(crawl / "catalog.db")) as catalog:
        catalog.execute("PRAGMA user_version = 3")
    (crawl / "catalog.db.seal").unlink()
    *_, words = refused(command, crawl, code=3).splitlines()
    assert "catalog.db has layout 3" in words and "crawl into a new directory" in words


def test_a_crawl_that_cannot_be_created_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    words = refused("crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", tmp_path / "file" / "crawl", code=3)
    assert str(tmp_path / "file") in words


def test_a_page_that_is_not_kept_says_why(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    assert "nothing is kept" in refused("show", crawl, "http://never.example/", code=2)


def test_a_bad_ledger_line_is_named(tmp_path: Path) -> None:
    crawl = a_crawl(tmp_path)
    (tmp_path / "ledger").write_text("{}\n")
    assert "line 1" in refused("verify", crawl, "--ledger", tmp_path / "ledger", code=2)
