"""From the bytes of an answer to a document."""

import gzip

import brotlicffi
import pytest

from gossamer.document.reading import Reading, read_document

PAGE = "<!DOCTYPE html><p>grün".encode()


def chunked(content: bytes) -> bytes:
    return (
        b"".join(b"%x\r\n" % len(content[i : i + 7]) + content[i : i + 7] + b"\r\n" for i in range(0, len(content), 7))
        + b"0\r\n\r\n"
    )


def read(raw: bytes, **facts: object) -> Reading:
    standing = {"chunked": False, "encoding": "", "content_type": "text/html", "url": "http://a.example/", "limit": 1_000_000}
    return read_document(raw, **(standing | facts))


def test_transfer_and_content_coding_come_off_in_that_order() -> None:
    reading = read(chunked(gzip.compress(PAGE)), chunked=True, encoding="gzip", content_type="text/html; charset=UTF-8")
    assert reading == Reading("text/html", PAGE, "utf-8", False, "")


def test_a_charset_nobody_declared_stays_open() -> None:
    assert read(PAGE).charset == ""


def test_the_type_is_told_from_the_content_not_from_its_coding() -> None:
    assert read(brotlicffi.compress(PAGE), encoding="br", content_type="").mime == "text/html"
    assert read(b"a { }", content_type="", url="http://a.example/x.css?y=z.html").mime == "text/css"
    assert read(b"text", content_type="", url="http://[broken").mime == "text/plain"


@pytest.mark.parametrize(("limit", "cut"), [(10, True), (len(PAGE), False)])
def test_a_document_is_cut_at_the_limit_and_says_so(limit: int, cut: bool) -> None:
    for raw, encoding in ((PAGE, ""), (gzip.compress(PAGE), "gzip")):
        reading = read(raw, encoding=encoding, limit=limit)
        assert (reading.content, reading.cut, reading.error) == (PAGE[:limit], cut, "")


def test_a_broken_coding_gives_what_it_has_and_says_why() -> None:
    raw = gzip.compress(PAGE)
    assert read(raw[:-8], encoding="gzip") == Reading("text/html", PAGE, "", True, "the gzip stream ends early")


def test_a_compressed_file_is_what_is_in_it_only_when_the_coding_says_so() -> None:
    raw = gzip.compress(b"<urlset>")
    assert read(raw, content_type="application/x-gzip").mime == "application/gzip"
    assert read(raw, content_type="application/x-gzip", encoding="gzip").mime == "application/xml"
