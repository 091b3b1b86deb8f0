"""The compiled scanner finds what a tree finds, but for the differences its docstring names; nothing a page holds breaks it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ways import WAYS

from gossamer.processors.html import HtmlProcessor
from gossamer.processors.page import MOST_ELEMENTS, PageFacts
from gossamer.records.entry import LinkKind
from gossamer.records.page import Document, Extract

# Whole and broken markup, in every state of the tokenizer. Left out: what a tree builder drops because of where it stands.
PIECES = """
<a href=/1>|<a HREF='/2' >|<a href="/3" rel=nofollow>|</a>|<area href=/4>|<div>|</div>|<p>|</p>|<b>|</b>|<table>|<tr>|
<td>|</td>|</table>|<ul>|<li>|<script>|</script>|<script>"<!--<script>"|<!--|-->|--!>|<!-->|<!--->|<style>|</style>|
<textarea>|</textarea>|<title>t</title>|<title>|</title>|<xmp>|</xmp>|<iframe src=/5>|</iframe>|<noscript>|
</noscript>|<noembed>|</noembed>|<template>|</template>|<![CDATA[|]]>|<!doctype html>|<?php|?>|</>|</ x>|<|</|<!|<a|
<a href=|'|"|=|>|/>|text|&amp;|&copy;|&copy=1|&notit;|&#x80;|&#0;|&#|<img src=/6>|<img srcset='/7 1x, /8'>|
<base href=/b/>|<link rel=canonical href=/c>|<link rel=next href=/n>|<meta name=robots content=noindex>|
<meta http-equiv=refresh content='0;url=/r'>|<html lang=de>|<body>|</body>|</html>|<head>|</head>|<font color=red>|
<br>|</br>|<plaintext>|<a href=/10?a=1&amp;b=2&lt;=3&lt>|<a href='/11&copy'>|<a href="/&#x2f;&eacute;&copy=&x=&y">|
<a href=/12/>|<a/href=/13>|<a href= >|<a ="x"href=/14>|<a title='>' href=/15>|<object>|</object>|<pre>|<h1>|</h1>|
<form>|<input>|<button>|<span>|</span>|<dl><dd><dt>|é|\xa0|\x00|<a href="/\x00">|<source srcset=/16>|
<a href=/17 href=/18>|<A HREF=/19 REL="x NoFollow">
""".replace("\n", "").split("|")
FOREIGN = """
<svg>|</svg>|<svg/>|<math>|</math>|<mi>|</mi>|<desc>|</desc>|<foreignObject>|</foreignObject>|<svg><title>|<g/>
""".strip().split("|")
ONLY_IN_HTML = ("<base", "<link", "<source", "<title", "<html", "<area", "<iframe")
INSIDE = [piece for piece in PIECES if not piece.startswith(ONLY_IN_HTML)]


def found(way: str, markup: str, max_links: int = 500) -> Extract:
    document = Document(url="https://site.test/d/", mime="text/html", content=markup.encode(), charset="utf-8")
    return HtmlProcessor(max_links, way=WAYS[way]).process(document)


def facts(extract: Extract) -> object:
    """Return what a page says; a tree moves some elements, so that links come in another order."""
    links = sorted((link.url, link.kind, link.nofollow) for link in extract.links)
    return links, extract.title, extract.language, extract.canonical, extract.directives


def markup_of(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces) | st.text("<>/='\"&!-? \tax\0", max_size=4), max_size=12).map("".join)


@settings(max_examples=300, derandomize=True)
@given(markup_of(PIECES))
def test_both_ways_find_the_same_whatever_the_markup(markup: str) -> None:
    for way in WAYS:
        assert facts(found(way, markup)) == facts(found("tree", markup))


@settings(max_examples=300, derandomize=True)
@given(markup_of(FOREIGN * 3 + INSIDE))
def test_both_ways_find_the_same_in_pictures_and_formulas(markup: str) -> None:
    for way in WAYS:
        assert facts(found(way, markup)) == facts(found("tree", markup))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("markup", "count"),
    [
        ("<script><!-- <script> </script> <a href=/x> --></script><a href=/y>", 1),
        ("<script><!--> </script><a href=/x>", 1),
        ("<script><!-- </script><a href=/x>", 1),
        ("<SCRIPT></scripts></script x=1 ><a href=/x>", 1),
        ("<style></style/><a href=/x>", 1),
        ("<title></titles><a href=/x></title><a href=/y>", 1),
        ("<svg><style><a href=/x></style></svg>", 1),
        ("<svg><title><a href=/x></title></svg>", 1),
        ("<svg><![CDATA[<a href=/x>]]><a href=/y></svg>", 1),
        ("<svg><p><![CDATA[<a href=/x>]]><a href=/y>", 1),
        ("<svg><foreignObject><style><a href=/x></style></foreignObject></svg>", 0),
        ("<template><svg></template><style><a href=/x></style>", 0),
        ("<template><svg></template><style></style><a href=/x>", 1),
        ("<svg><template><a href=/x></template></svg>", 1),
        ("<!--a--!><a href=/x>", 1),
        ("<!--a--!b><a href=/x>-->", 0),
        ("<!doctype html public \"<a href=/x>\"><a href=/y>", 1),
        ("<?x <a href=/x>?><a href=/y>", 1),
        ("</a href='>'><a href=/x>", 1),
    ],
)  # fmt: skip
def test_tags_are_told_from_what_only_looks_like_them(way: str, markup: str, count: int) -> None:
    assert len(found(way, markup).links) == count


@pytest.mark.parametrize("way", WAYS)
def test_no_page_is_too_short_to_be_read(way: str) -> None:
    page = (
        "<title>t&amp;</title><a href='/x?a&amp;b' rel=nofollow>é<!-- c --><script><!--</script>--></script><svg><![CDATA[x]]>"
    )
    for end in range(len(page) + 1):
        assert len(found(way, page[:end]).links) <= 1
        WAYS[way].text(page[:end].encode())


@pytest.mark.parametrize("way", WAYS)
def test_a_page_of_nothing_but_links_is_kept_within_bounds(way: str) -> None:
    markup = "".join(f"<a href=/{number}><link rel=next href=/l{number}>" for number in range(30_000))
    page = PageFacts((), True)
    WAYS[way].read(markup.encode(), page)
    assert len(page.links.pages) <= 2 * MOST_ELEMENTS
    extract = found(way, markup, 10)
    assert len(extract.links) == 10
    assert extract.links_cut == 60_000 - 10


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("unit", ["<template>", "<a><div>", "<svg><math><desc>", "<svg>", "<title>x</title>"])
def test_no_nesting_hides_a_link_behind_it(way: str, unit: str) -> None:
    extract = found(way, "<a href=/before>" + unit * (1_000_000 // len(unit)) + "<p><a href=/behind>")
    assert [link.url for link in extract.links] == ["https://site.test/before", "https://site.test/behind"]


@pytest.mark.parametrize("way", WAYS)
def test_a_frame_outside_of_a_frameset_is_none(way: str) -> None:
    assert found(way, "<body><p>x<frame src=/x>").links == ()
    assert [link.kind for link in found(way, "<frameset><frame src=/x>").links] == [LinkKind.FRAME]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a\xa0\u2003b\u3000 c", "a b c"),
        ("<p>a<p> <p>b", "a\nb"),
        ("a<b> </b>b", "a b"),
        ("a &lt;b&gt; &eacute; &amp;amp; &copy1 &notit;", "a <b> é &amp; ©1 ¬it;"),
        ("a < b <3 </ >c", "a < b <3 c"),
        ("<xmp>&lt;<b></xmp><textarea>&lt;<b></textarea>", "&lt;<b>\n<<b>"),
        ("a<video>no<i>no</i><video>no</video>no</video>b", "ab"),
        ("a<svg>no<foreignObject>no</foreignObject>no</svg>b<math><mi>c</mi></math>", "ab\nc"),
        ("a\0b", "ab"),
        ("é" * 3, "ééé"),
        ("", ""),
    ],
)
def test_the_text_is_folded_and_its_references_are_read(way: str, markup: str, text: str) -> None:
    assert WAYS[way].text(f"<body>{markup}".encode()) == text
