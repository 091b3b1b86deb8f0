"""The CDXJ index: keys as pywb makes them, sorted lines, nothing from the web that breaks one."""

import json
import re
from pathlib import Path

import pytest

from gossamer.config.sections import Storage
from gossamer.document.digest import payload_digest
from gossamer.records.page import Original, Place
from gossamer.storage.archive import cdxj
from gossamer.storage.archive.cdxj import line, merge, url_key
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.testing.archive import answer, answers, keep

SESSION = "0123456789abcdef0123456789abcdef"


# Compared with the package surt on 4,000 generated URLs when it was written; these are its answers.
@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com/", "com,example)/"),
        ("http://example.com", "com,example)/"),
        ("https://example.com:443/a/", "com,example)/a"),
        ("http://example.com:8080/A/B/?b=2&a=1", "com,example:8080)/a/b?a=1&b=2"),
        ("https://example.com:80/", "com,example:80)/"),
        ("http://www3.sub.example.co.uk/p", "uk,co,example,sub)/p"),
        ("http://wwwfoo.com/", "com,wwwfoo)/"),
        ("http://example.com./x", "com,example)/x"),
        ("http://127.0.0.1:8000/x", "1,0,0,127:8000)/x"),
        ("http://[::1]:8000/x", "::1:8000)/x"),
        ("http://user:pw@example.com/", "com,example)/"),
        ("http://example.com/a?", "com,example)/a"),
        ("http://example.com/a?b", "com,example)/a?b"),
        ("http://example.com/a%20b/%C3%A9", "com,example)/a%20b/%c3%a9"),
        ("http://example.com/a%2520b/%41%7e", "com,example)/a%20b/a~"),
        ("http://example.com/a/../b/./c//d", "com,example)/b/c/d"),
        ("http://example.com/#fragment", "com,example)/"),
        ("http://example.com/?a=2&a=1&&b", "com,example)/?&a=1&a=2&b"),
        (f"http://example.com/?PHPSESSID={SESSION}&x=1", "com,example)/?x=1"),
        (f"http://example.com/?x=1&sid={SESSION}", "com,example)/?&x=1"),
        ("http://example.com/?cfid=123&cftoken=456", "com,example)/"),
        ("http://example.com/(s(abcdefghijklmnopqrstuvwx))/b.aspx", "com,example)/b.aspx"),
        ("http://xn--bcher-kva.example/x", "example,xn--bcher-kva)/x"),
        ("file:///tmp/A/b.html", "file:/tmp/a/b.html"),
    ],
)
def test_a_key_is_the_one_pywb_looks_for(url: str, key: str) -> None:
    assert url_key(url) == key


@pytest.mark.parametrize(
    "path", ["/", "/a", "/a/b-c_d.html", "/a/", "/a.aspx", "/a.b.aspx/c", "/a//b", "/A", "/a/../b", "/a?b", "/.a", "/%41"]
)
@pytest.mark.parametrize(
    "start", ["http://a.test", "https://www2.a.test:443", "http://a.test:8080", "http://A.test", "ftp://a.test"]
)
def test_the_short_way_to_a_key_leads_to_the_same_key(start: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = cdxj.url_key(start + path)
    monkeypatch.setattr(cdxj, "_PLAIN", re.compile("(?!)"))
    assert cdxj.url_key(start + path) == key


def test_a_line_has_key_time_and_facts() -> None:
    fetched = answer(url="http://www.a.test/B?y=2&x=1")
    digest = payload_digest(fetched.body, False)
    key, time, facts = line(fetched, digest, Place("f.warc.gz", 7, 99), False).decode().split(" ", 2)
    assert (key, time) == ("test,a)/b?x=1&y=2", "20260921141320")
    assert json.loads(facts) == {
        "url": fetched.url,
        "mime": "text/html",
        "status": "200",
        "digest": digest,
        "length": "99",
        "offset": "7",
        "filename": "f.warc.gz",
    }


def test_nothing_from_the_web_breaks_a_line() -> None:
    evil = 'x\r\ny {"a": 1}\x00\x7f\u2028é\ud800'
    fetched = answer(url=f"http://a.test/{evil}?{evil}")
    made = line(fetched, "sha1:A", Place("f", 0, 1), False)
    assert made.count(b"\n") == 1 and made.endswith(b"}\n")
    assert made.isascii()
    _, time, facts = made.decode().split(" ", 2)
    assert len(time) == 14 and json.loads(facts)["status"] == "200"


async def test_a_page_and_its_revisit_have_one_digest_in_the_index(tmp_path: Path) -> None:
    archive = DirectoryArchive(tmp_path, Storage(), {}, lambda: 1.0, "local")
    fetched = answers()["chunked"]
    await keep(archive, fetched)
    plain = answer(url="http://a.test/copy")
    await keep(archive, plain, Original(fetched.url, "k", fetched.started))
    await archive.aclose()
    (index,) = tmp_path.glob("*.cdxj")
    facts = [json.loads(one.split(" ", 2)[2]) for one in index.read_text().splitlines()]
    assert {fact["digest"] for fact in facts} == {payload_digest(plain.body, False)}
    assert sorted(fact["mime"] for fact in facts) == ["text/html", "warc/revisit"]


async def test_merging_sorts_the_lines_of_all_files(tmp_path: Path) -> None:
    archive = DirectoryArchive(tmp_path, Storage(segment_bytes=4096), {}, lambda: 1.0, "local")
    for number in (5, 3, 9, 1, 7, 2, 8):
        await keep(archive, answer(bytes(range(256)) * 10, url=f"http://a.test/{number}"))
    await archive.aclose()
    parts = [part.read_bytes() for part in tmp_path.glob("gossamer-*.cdxj")]
    assert len(parts) > 1 and max(part.count(b"\n") for part in parts) > 1
    assert all(part.splitlines() == sorted(part.splitlines()) for part in parts)
    for _ in range(2):  # a second merge does not take in the first
        lines = merge(tmp_path).read_bytes().splitlines(keepends=True)
        assert lines == sorted(b"".join(parts).splitlines(keepends=True))
    assert {path.suffix or path.name for path in tmp_path.iterdir()} == {".gz", ".cdxj", "seal"}
