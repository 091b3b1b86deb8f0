"""The type we act on: the declared one where it can be believed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.document.sniff import is_gzip, is_sitemap, sniff

XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAP = XML + b'<!-- made by hand -->\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
INDEX = b"\xef\xbb\xbf" + XML + b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
PREFIXED = XML + b'<?xml-stylesheet href="s.xsl"?><!DOCTYPE s:urlset [<!ENTITY a "]>">]><s:urlset xmlns:s="x">'
RSS = XML + b'<rss version="2.0"><channel>'
ATOM = XML + b'<feed xmlns="http://www.w3.org/2005/Atom">'
RDF = XML + b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
RDF_09 = RDF.replace(b"http://purl.org/rss/1.0/", b"http://my.netscape.com/rdf/simple/0.9/")
XHTML = XML + b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml">'
HTML = b"\n <!DOCTYPE html>\n<html><head>"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
PDF = b"%PDF-1.7\n%\xe2\xe3"
GZIP = b"\x1f\x8b\x08\0\0\0\0\0"


@pytest.mark.parametrize(
    ("declared", "head", "mime"),
    [
        # what is declared is believed
        ("text/html; charset=utf-8", HTML, "text/html"),
        ("Text/HTML;charset=x", b"anything", "text/html"),
        ("application/xhtml+xml", XHTML, "application/xhtml+xml"),
        ("application/pdf", PDF, "application/pdf"),
        ("application/json", b"{}", "application/json"),
        ("text/css", b"<html>", "text/css"),
        ("text/plain", b"<html><body>shown as text", "text/plain"),
        ("text/plain; charset=utf-16", b"\xff\xfea\0b\0", "text/plain"),
        ("text/html", PDF, "text/html"),
        ("text/html", XHTML, "text/html"),
        ("application/rss+xml", RSS, "application/rss+xml"),
        ("image/svg+xml", b"<svg>", "image/svg+xml"),
        # text that is binary
        ("text/plain", PNG, "image/png"),
        ("text/plain", b"text and then \0\x01\x02", "application/octet-stream"),
        ("text/plain; charset=ISO-8859-1", GZIP + b"\0", "application/gzip"),
        ("text/plain", b"\x1b[1mcolour\x0c", "text/plain"),
        # images under another name
        ("image/jpeg", PNG, "image/png"),
        ("image/jpeg", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("image/x-unknown", b"???", "image/x-unknown"),
        # XML by its root element
        ("text/xml", SITEMAP, "application/xml"),
        ("application/xml", INDEX, "application/xml"),
        ("application/xml", RSS, "application/rss+xml"),
        ("text/xml", ATOM, "application/atom+xml"),
        ("application/xml", RDF, "application/rss+xml"),
        ("application/xml", XHTML, "application/xhtml+xml"),
        ("application/xml", b"<catalog>", "application/xml"),
        ("text/xml", XML + b'<rdf:RDF xmlns:rdf="r">', "application/xml"),
        # feeds and sitemaps under another name
        ("text/html", RSS, "application/rss+xml"),
        ("text/html", ATOM, "application/atom+xml"),
        ("text/html", SITEMAP, "application/xml"),
        ("text/plain", SITEMAP, "application/xml"),
        ("application/sitemap+xml", SITEMAP, "application/xml"),
        ("text/plain", RSS, "text/plain"),
        ("application/rdf+xml", RDF, "application/rss+xml"),
        ("application/rdf+xml", RDF_09, "application/rss+xml"),
        ("application/rdf+xml", XML + b'<rdf:RDF xmlns:rdf="r">', "application/rdf+xml"),
        ("text/rss", RSS, "application/rss+xml"),
        ("application/x-rss+xml", RSS, "application/rss+xml"),
        ("application/x-atom+xml", ATOM, "application/atom+xml"),
        ("application/rss", b"not XML", "application/rss"),
        ("application/rss+xml", ATOM, "application/rss+xml"),
        # gzip
        ("application/x-gzip", GZIP, "application/gzip"),
        ("application/gzip", GZIP, "application/gzip"),
        ("application/x-gzip", SITEMAP, "application/xml"),
    ],
)
def test_what_is_declared_is_believed_where_it_can_be(declared: str, head: bytes, mime: str) -> None:
    assert sniff(declared, head) == mime


@pytest.mark.parametrize(
    "declared", ["", "application/octet-stream", "unknown/unknown", "*/*", "nonsense", "text/", ";charset=x", "text /html"]
)
@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (HTML, "text/html"),
        (b"<html>", "text/html"),
        (b"<!-- comment --><p>x", "text/html"),
        (b"<a href=x>", "text/html"),
        (b"<article>", "text/plain"),
        (b"\xef\xbb\xbf<!doctype html>", "text/html"),
        ("\ufeff<html>".encode("utf-16-le"), "text/html"),
        (XHTML, "application/xhtml+xml"),
        (SITEMAP, "application/xml"),
        (b"<urlset>", "application/xml"),
        (RSS, "application/rss+xml"),
        (b"<rss>", "application/rss+xml"),
        (XML + b"<catalog>", "application/xml"),
        (b"<svg xmlns='x'>", "image/svg+xml"),
        (PDF, "application/pdf"),
        (PNG, "image/png"),
        (b"GIF89a...", "image/gif"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"PK\x03\x04", "application/zip"),
        (GZIP, "application/gzip"),
        (b"ID3\x03", "audio/mpeg"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
        (b"just text", "text/plain"),
        (b"\0\x01\x02\x03", "application/octet-stream"),
        (b"", "text/plain"),
    ],
)
def test_what_is_not_declared_is_looked_at(declared: str, head: bytes, mime: str) -> None:
    assert sniff(declared, head) == mime


@pytest.mark.parametrize(
    ("path", "mime"),
    [("/a.css", "text/css"), ("/a.JSON", "application/json"), ("/a.b/c", "text/plain"), ("/a.html", "text/html")],
)
def test_a_name_tells_texts_apart_that_look_alike(path: str, mime: str) -> None:
    assert sniff("", b"some text", path) == mime
    assert sniff("", PNG, path) == "image/png"


@pytest.mark.parametrize(
    ("head", "is_one"),
    [(SITEMAP, True), (INDEX, True), (PREFIXED, True), (RSS, False), (XHTML, False), (b"urlset", False), (b"", False)],
)
def test_a_sitemap_is_told_by_its_root_element(head: bytes, is_one: bool) -> None:
    assert is_sitemap(head) is is_one


def test_a_gzip_file_is_told_by_its_first_bytes() -> None:
    assert is_gzip(GZIP)
    assert not is_gzip(SITEMAP)


@given(st.text(max_size=50), st.binary(max_size=200), st.text(max_size=20))
def test_nothing_raises_and_the_result_is_a_bare_type(declared: str, head: bytes, path: str) -> None:
    mime = sniff(declared, head, path)
    assert mime.count("/") == 1
    assert mime == mime.lower().strip()
    assert ";" not in mime


@pytest.mark.parametrize(
    "hostile", [b"<!-- -->" * 500, b"<!--" * 1000, b"<?" * 2000, b"<!DOCTYPE a [" * 300, b" " * 4096, b"<!DOCTYPE " * 400]
)
def test_a_hostile_beginning_costs_no_time(hostile: bytes) -> None:
    before = time.process_time()
    for _ in range(20):
        sniff("", hostile)
        is_sitemap(hostile)
    assert time.process_time() - before < 1


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (b"<!DOCTYPE html><title>a</title>", "text/html"),
        (b"\n<html>\n", "text/html"),
        (b"<!doctype html>\n<rss version='2.0'>", "application/rss+xml"),
        (b"<!doctype html><urlset>", "application/xml"),
        (b"<htmlx><rss>", "text/html"),
        (b"<metalink:feed>", "application/atom+xml"),
        (b"<title:feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"),
    ],
)
def test_what_begins_like_most_pages_is_one_unless_its_root_says_otherwise(head: bytes, mime: str) -> None:
    assert sniff("text/html; charset=utf-8", head) == mime
