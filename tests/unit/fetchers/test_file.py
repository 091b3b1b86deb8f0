"""A tree of files is crawled like a site: every link of a listing leads to what is there, and the tree has an end."""

import asyncio
import html
import os
import re
from pathlib import Path

import pytest

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.errors import DiskFull
from gossamer.fetchers.file import FileFetcher
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import ask
from gossamer.testing.resolver import StaticResolver


async def fetch(url: str, **knobs: object) -> Fetched:
    return await FileFetcher(Fetch(**knobs), StaticResolver({}), lambda address: "", SystemClock()).fetch(ask(url))


async def test_a_file_comes_with_a_head_as_a_server_would_write_it(tmp_path: Path) -> None:
    page = tmp_path / "a b.html"
    page.write_bytes(b"<p>hello")
    os.utime(page, (0, 784111777))
    answer = await fetch(page.as_uri())
    assert answer.response_head.decode() == (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n"
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"
    )
    assert answer.header("content-type") == "text/html"
    assert answer.request_head.startswith(f"GET {tmp_path}/a%20b.html HTTP/1.1\r\n".encode())
    assert (answer.status, answer.body.read(), answer.truncated) == (200, b"<p>hello", "")


@pytest.mark.parametrize(("name", "mime"), [("a.txt", "text/plain"), ("sitemap.xml.gz", "application/gzip"), ("README", "")])
async def test_a_type_is_named_only_when_the_name_tells_it(tmp_path: Path, name: str, mime: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert (await fetch((tmp_path / name).as_uri())).header("content-type") == mime


async def test_a_long_file_is_cut_and_says_how_long_it_is(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * 5000)
    answer = await fetch((tmp_path / "long").as_uri(), max_body=2000, spool=1024)
    assert (answer.body.size, answer.truncated, answer.header("content-length")) == (2000, "length", "5000")
    assert answer.body.in_memory == 0
    answer.body.close()


@pytest.mark.parametrize(
    ("name", "content", "size"),
    [("film.mp4", b"\0" * 5000, 4000), ("unnamed", b"\0" * 3000, 3000), ("unnamed", b"words " * 900, 2000)],
)
async def test_a_file_that_nobody_reads_may_be_longer_than_a_page(tmp_path: Path, name: str, content: bytes, size: int) -> None:
    (tmp_path / name).write_bytes(content)
    fetcher = FileFetcher(Fetch(max_body=2000, max_file=4000), StaticResolver({}), lambda address: "", SystemClock())
    answer = await fetcher.fetch(ask((tmp_path / name).as_uri(), pages=frozenset({"text/html", "text/plain"})))
    assert (answer.body.size, answer.truncated) == (size, "" if size == len(content) else "length")
    assert answer.body.read() == content[:size]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/none", 404), ("/file/below", 404), ("/file/", 404), ("/%00", 404), ("/" + "x" * 5000, 404), ("/pipe", 403)],
)
async def test_what_cannot_be_read_is_an_error_page(tmp_path: Path, path: str, status: int) -> None:
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    answer = await asyncio.wait_for(fetch(tmp_path.as_uri() + path), 5)
    assert (answer.outcome, answer.status) == (Outcome.OK, status)
    assert answer.response_head.startswith(f"HTTP/1.1 {status} ".encode())


async def test_a_directory_without_its_slash_redirects_to_itself_with_it(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    answer = await fetch(tmp_path.as_uri() + "/a%20b")
    assert (answer.status, answer.header("location")) == (301, f"{tmp_path}/a%20b/")


async def test_a_listing_links_to_everything_that_leads_on_and_to_nothing_that_leads_back(tmp_path: Path) -> None:
    for name in ("b.html", 'odd "<&> #?%20.txt', "ünï.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "sub").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "same.html").symlink_to(tmp_path / "b.html")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    answer = await fetch(tmp_path.as_uri() + "/")
    page = answer.body.read().decode()
    links = [html.unescape(link) for link in re.findall(r'href="([^"]*)"', page)]
    assert links == [
        "./b.html",
        "./odd%20%22%3C&%3E%20%23%3F%2520.txt",
        "./same.html",
        "./sub/",
        "./%C3%BCn%C3%AF.txt",
    ]
    for link in links[:2]:
        assert (await fetch(tmp_path.as_uri() + link[1:])).status == 200
    assert answer.header("content-type") == "text/html; charset=utf-8"
    assert int(answer.header("content-length")) == len(page.encode())


async def test_files_of_another_machine_are_not_opened() -> None:
    answer = await fetch("file://other.example/etc/hosts")
    assert (answer.outcome, answer.sent) == (Outcome.UNSUPPORTED, False)
    assert (await fetch("file://localhost/etc/hosts")).status == 200


async def test_a_disk_without_space_for_the_body_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "long").write_bytes(b"x" * 5000)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: open("/dev/full", "w+b", buffering=0))  # noqa: SIM115
    with pytest.raises(DiskFull, match="no space"):
        await fetch((tmp_path / "long").as_uri(), spool=1024)
