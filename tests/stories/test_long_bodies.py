"""Long bodies: files are kept to their last byte, pages to their limit, and a cut is told wherever one looks."""

import gzip
import json
import ssl
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trustme
from crawling import run_gossamer
from serving import Answer, page, site_running

HERE = ["--delay", "0", "--allow-private", "127.0.0.0/8"]
MIB = 1024 * 1024
BLOCK = bytes(16) + Random(1).randbytes(16 * 1024)
FILM = (BLOCK * 1000)[: 12 * MIB]  # longer than a page may be
WORDS = b"<title>long</title><p>" + b"words of a long page " * (12 * MIB // 21)


def answer(body: bytes, mime: str, **headers: str) -> Answer:
    return 200, {"content-type": mime, **headers}, body


def pages_of(directory: Path, *options: str) -> dict[str, dict[str, Any]]:
    lines = run_gossamer("pages", directory, "--json", "--limit", 0, *options).stdout.splitlines()
    pages = [json.loads(line) for line in lines]
    return {f"/{one['url'].split('/', 3)[3]}": one for one in pages}


ROUTES = {
    "/": page("/film.mp4", "/unnamed", "/archive.tar.gz", "/long.html", "/long.txt", "/packed"),
    "/film.mp4": answer(FILM, "video/mp4"),
    "/unnamed": answer(FILM[::-1], "application/octet-stream"),
    "/archive.tar.gz": answer(gzip.compress(Random(2).randbytes(12 * MIB), 1, mtime=0), "application/gzip"),
    "/long.html": answer(WORDS, "text/html"),
    "/long.txt": answer(WORDS[::-1], "application/octet-stream"),  # whatever it is called, it is read
    "/packed": answer(gzip.compress(b"\0" + FILM * 3, 1, mtime=0), "application/zip", **{"content-encoding": "gzip"}),
}


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_a_file_is_whole_and_a_page_that_is_cut_is_told(tmp_path: Path, secure: bool) -> None:
    context = None
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    directory = tmp_path / "crawl"
    with site_running(dict(ROUTES), context) as site:
        result = run_gossamer("crawl", site.url(), "--dir", directory, *HERE, "--insecure", "--quiet")
    assert result.returncode == 0, result.stderr
    found = pages_of(directory)
    for path in ("/film.mp4", "/unnamed", "/archive.tar.gz", "/packed"):
        assert (found[path]["outcome"], found[path]["truncated"]) == ("ok", ""), path
        assert found[path]["length"] == len(ROUTES[path][2]), path
    for path in ("/long.html", "/long.txt"):
        assert (found[path]["length"], found[path]["truncated"]) == (10 * MIB, "length")
    assert f"2 bodies are not whole: gossamer pages {directory} --cut" in result.stdout
    assert set(pages_of(directory, "--cut")) == {"/long.html", "/long.txt"}
    table = run_gossamer("pages", directory).stdout.splitlines()
    assert sorted(line.split("\t")[5].rpartition("/")[2] for line in table if " cut" in line) == ["long.html", "long.txt"]
    assert "2 bodies are not whole" in run_gossamer("status", directory).stdout
    assert json.loads(run_gossamer("status", directory, "--json").stdout)["bodies_cut"] == 2
    assert "fetch.max_body" in run_gossamer("explain", directory, site.url("/long.html")).stdout
    assert "cut" not in run_gossamer("explain", directory, site.url("/film.mp4")).stdout
    assert " 0 failed" in run_gossamer("verify", directory).stdout


def test_the_limit_of_all_bodies_is_on_the_command_line(tmp_path: Path) -> None:
    routes = {
        "/": page("/film.mp4", "/long.html"),
        "/film.mp4": answer(FILM[:MIB], "video/mp4"),
        "/long.html": answer(WORDS[:MIB] + b"<a href='/late'>late</a>", "text/html"),
        "/late": page(title="late"),
    }
    directory = tmp_path / "crawl"
    with site_running(routes) as site:
        result = run_gossamer("crawl", site.url(), "--dir", directory, *HERE, "--max-body", "500kB", "--json")
        assert json.loads(result.stdout)["bodies_cut"] == 2
        lengths = {path: one["length"] for path, one in pages_of(directory).items()}
        assert lengths["/film.mp4"] == lengths["/long.html"] == 500_000
        other = tmp_path / "other"
        run_gossamer("crawl", site.url(), "--dir", other, *HERE, "--max-body", "30MB", "--quiet")
        assert pages_of(other)["/late"]["outcome"] == "ok"
        assert run_gossamer("resume", other, "--max-body", "1MB", "--quiet").returncode == 0
    refused = run_gossamer("crawl", site.url(), "--dir", tmp_path / "no", "--max-body", "lots")
    assert (refused.returncode, "lots" in refused.stderr) == (2, True)


def test_a_page_as_long_as_the_limit_allows_is_read(tmp_path: Path) -> None:
    body = b"<title>very long</title><a href='/early'>early</a>" + b"<p>words " * (3 * MIB) + b"<a href='/late'>late</a>"
    routes = {"/": answer(body, "text/html"), "/early": page(title="early"), "/late": page(title="late")}
    assert len(body) > 20 * MIB
    with site_running(routes) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *HERE, "--max-body", "40MB", "--quiet")
    found = pages_of(tmp_path / "crawl")
    assert {path: found[path]["outcome"] for path in routes} == dict.fromkeys(routes, "ok")
    assert found["/"]["truncated"] == ""


@pytest.mark.parametrize("setting", ["fetch.file_timeout=300", "fetch.file_timeout=10m", "crawl.lease=240"])
def test_a_file_that_may_outlive_its_lease_is_refused_before_it_begins(tmp_path: Path, setting: str) -> None:
    directory = tmp_path / "crawl"
    result = run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", directory, "--set", setting)
    assert result.returncode == 2
    assert "fetch.file_timeout is " in result.stderr and "crawl.lease is " in result.stderr
    assert "Traceback" not in result.stderr and not directory.exists()
