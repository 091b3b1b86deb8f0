"""HTML as browsers parse it: which links a page has, and what it says about itself. Every test runs for both ways to read."""

import time
from collections.abc import Iterator
from contextvars import ContextVar

import pytest
from ways import WAYS

from gossamer.processors.html import HtmlProcessor, Way
from gossamer.processors.page import MOST_ELEMENTS
from gossamer.records.entry import Link, LinkKind
from gossamer.records.page import Directives, Document, Extract

URL = "https://site.test/dir/page.html?q=1"
K = LinkKind
WAY: ContextVar[Way] = ContextVar("way")


@pytest.fixture(params=WAYS, autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    token = WAY.set(WAYS[request.param])
    yield
    WAY.reset(token)


def read(html: str | bytes, *, mime: str = "text/html", charset: str = "utf-8", url: str = URL, **knobs: object) -> Extract:
    content = html.encode() if isinstance(html, str) else html
    processor = HtmlProcessor(**{"max_links": 500, "way": WAY.get(), **knobs})
    return processor.process(Document(url=url, mime=mime, content=content, charset=charset))


def text_of(content: bytes, charset: str = "utf-8") -> str:
    return HtmlProcessor(500, way=WAY.get()).text(Document(url=URL, mime="text/html", content=content, charset=charset))


def links(html: str | bytes, **knobs: object) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("https://site.test"), link.kind.value) for link in read(html, **knobs).links]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<a href=/x>x</a>", [("/x", "anchor")]),
        ("<A HREF='/x'>x</A>", [("/x", "anchor")]),
        ("<a href=x>x", [("/dir/x", "anchor")]),
        ("<a name=x>no link</a>", []),
        ("<a href>itself</a>", [("/dir/page.html?q=1", "anchor")]),
        ("<a href=''>itself</a>", [("/dir/page.html?q=1", "anchor")]),
        ("<a href='#top'>itself</a>", [("/dir/page.html?q=1", "anchor")]),
        ("<a href='?r'>x</a>", [("/dir/page.html?r", "anchor")]),
        ("<a href='  /x \n'>x</a>", [("/x", "anchor")]),
        ("<a href='/a\n\tb'>x</a>", [("/ab", "anchor")]),
        ("<a href='\\a\\b'>x</a>", [("/a/b", "anchor")]),
        ("<a href='/x?a=1&amp;b=2'>x</a>", [("/x?a=1&b=2", "anchor")]),
        ("<a href='/x?a=1&b=2&copy=3'>x</a>", [("/x?a=1&b=2&copy=3", "anchor")]),
        ("<a href='&#47;x&#x2F;y'>x</a>", [("/x/y", "anchor")]),
        ("<a href='/x' href='/y'>the first counts</a>", [("/x", "anchor")]),
        ("<a href=mailto:a@b.test>m</a><a href=javascript:void(0)>j</a><a href=tel:1>t</a><a href=data:,x>d</a>", []),
        ("<a href='http://['>no URL</a>", []),
        ("<map><area href=/x><area nohref></map>", [("/x", "area")]),
        ("<iframe src=/x></iframe><iframe src></iframe><iframe srcdoc='<a href=/y>'></iframe>", [("/x", "iframe")]),
        ("<frameset><frame src=/x><frame src=''><noframes><a href=/y></a></noframes></frameset>", [("/x", "frame")]),
        ("<a href=/1><div><a href=/2></div><table><a href=/3><tr><td><a href=/4>", [(f"/{n}", "anchor") for n in (1, 2, 3, 4)]),
        ("<p><a href=/x>unclosed<p><b><a href=/y></p></b>", [("/x", "anchor"), ("/y", "anchor")]),
        ("<a href=/x", []),
        ("<!-- <a href=/x> --><a href=/y><!-- > <a href=/z>", [("/y", "anchor")]),
        ("<![CDATA[ <a href=/x> ]]>", []),
        ("<script>'<a href=/x>'</script><style><a href=/y></style><textarea><a href=/z></textarea>", []),
        ("<title><a href=/x></title><xmp><a href=/y></xmp><plaintext><a href=/z>", []),
        ("<template><a href=/x></a><template><a href=/y></a></template></template><a href=/z>", [("/z", "anchor")]),
        ("<noscript><a href=/x></a></noscript>", [("/x", "anchor")]),
        ("<svg><a xlink:href=/x></a><image href=/i></image><use href='#u'/></svg>", []),
        ("<svg><a href=/x></a></svg>", [("/x", "anchor")]),
        ("<object data=/x></object><embed src=/y><form action=/z></form><video src=/v></video><script src=/s></script>", []),
    ],
)  # fmt: skip
def test_links_are_what_a_browser_would_follow(html: str, found: list[tuple[str, str]]) -> None:
    assert links(html) == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<link rel=canonical href=/x>", [("/x", "canonical")]),
        ("<link rel='ALTERNATE' hreflang=de href=/de>", [("/de", "alternate")]),
        ("<link rel=alternate type=application/rss+xml href=/feed>", [("/feed", "alternate")]),
        ("<link rel='alternate stylesheet' href=/s.css><link rel=stylesheet href=/t.css>", []),
        ("<link rel=next href=/2><link rel='prev nofollow' href=/0>", [("/2", "link"), ("/0", "link")]),
        ("<link rel=icon href=/i><link rel=preload href=/p><link rel=dns-prefetch href=//d><link href=/n><link rel=next>", []),
        ("<link rel=next href=''>", []),
        ("<body><link rel=canonical href=/x>", [("/x", "canonical")]),
    ],
)
def test_link_elements_are_links_by_what_they_say_they_are(html: str, found: list[tuple[str, str]]) -> None:
    assert links(html) == found


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/x", "/x"),
        ("5; URL=/x", "/x"),
        ("5;URL = '/x' trailing", "/x"),
        ('0; url="/x"y', "/x"),
        ("0; url='/x", "/x"),
        ("0;/x", "/x"),
        ("0,/x", "/x"),
        ("0 /x", "/x"),
        (" 1.5 ; url=/x", "/x"),
        (".5;url=/x", "/x"),
        ("0;url=x?a=1&amp;b", "/dir/x?a=1&b"),
        ("0; uRl\t=\n/x", "/x"),
        ("0;urlx", "/dir/urlx"),
    ],
)
def test_a_refresh_is_a_link(content: str, target: str) -> None:
    escaped = content.replace('"', "&quot;")
    assert links(f'<meta http-equiv=Refresh content="{escaped}">') == [(target, "refresh")]


@pytest.mark.parametrize(
    "content", ["5", "5;", "5;url=", "url=/x", "x;url=/x", "", "5;url=javascript:x()", "-1;url=/x", "0x /y"]
)
def test_a_refresh_without_a_target_is_none(content: str) -> None:
    assert links(f"<meta http-equiv=refresh content='{content}'>") == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<base href=/other/><a href=x>", ["/other/x"]),
        ("<a href=x><base href=/late/>", ["/late/x"]),
        ("<base href=/one/><base href=/two/><a href=x>", ["/one/x"]),
        ("<base target=_top><base href=/two/><a href=x>", ["/two/x"]),
        ("<base href=../up/><a href=x><a href='#f'>", ["/up/x", "/up/"]),
        ("<base href='https://cdn.test/b/'><a href=x>", ["https://cdn.test/b/x"]),
        ("<base href='data:text/plain,x'><a href=x>", ["/dir/x"]),
        ("<base href='http://['><a href=x>", ["/dir/x"]),
        ("<base href=''><a href=x>", ["/dir/x"]),
        ("<template><base href=/t/></template><a href=x>", ["/dir/x"]),
    ],
)
def test_the_first_base_counts_wherever_it_stands(html: str, found: list[str]) -> None:
    assert [url for url, _ in links(html)] == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<img src=/a.png>", ["/a.png"]),
        ("<img src=''><img><img src='data:image/png;base64,AAAA'><img src='DATA:x'>", []),
        ("<img srcset='/a 1x, /b 2x'>", ["/a", "/b"]),
        ("<img src=/s srcset='/a 1x,/b 2x'>", ["/s", "/a", "/b"]),
        ("<img srcset='/a,/b'>", ["/a,/b"]),
        ("<img srcset='/a, /b'>", ["/a", "/b"]),
        ("<img srcset=',,/a,, /b 100w ,\n/c'>", ["/a", "/b", "/c"]),
        ("<img srcset='/a f(1, 2), /b'>", ["/a", "/b"]),
        ("<img srcset='/a f(1, 2'>", ["/a"]),
        ("<img srcset='data:image/png;base64,AA,BB 1x, /b 2x'>", ["/b"]),
        ("<picture><source srcset='/w.webp 1x'><img src=/f.png></picture>", ["/w.webp", "/f.png"]),
        ("<video><source src=/v.mp4></video>", []),
    ],
)
def test_images_are_found_with_all_their_candidates(html: str, found: list[str]) -> None:
    assert links(html) == [(url, "image") for url in found]


def test_a_url_is_given_once_with_its_first_kind() -> None:
    html = "<link rel=canonical href=/x><a href=/x><a href='https://site.test/x#f'><area href=/y><a href=/y><a href=/dir/../y>"
    assert links(html) == [("/x", "canonical"), ("/y", "area")]


def test_an_image_gives_way_to_a_link_to_the_same_url() -> None:
    assert links("<img src=/i.png><a href=/i.png>big</a>") == [("/i.png", "anchor")]


@pytest.mark.parametrize(
    ("html", "nofollow"),
    [
        ("<a rel=nofollow href=/x>", True),
        ("<a rel='external NoFollow' href=/x>", True),
        ("<area rel=nofollow href=/x>", True),
        ("<a rel='ugc sponsored' href=/x>", False),
        ("<a rel=nofollows href=/x>", False),
        ("<a rel href=/x>", False),
        ("<a rel=nofollow href=/x><a href=/x>", False),
        ("<a rel=nofollow href=/x><a href='https://site.test/x'>", False),
        ("<a href=/x><a rel=nofollow href=/x>", False),
        ("<a rel=nofollow href=/x><a rel=nofollow href=/x#f>", True),
    ],
)
def test_a_link_is_nofollow_when_every_place_says_so(html: str, nofollow: bool) -> None:
    assert [link.nofollow for link in read(html).links] == [nofollow]


def test_what_the_page_asks_of_robots_is_not_read_when_nobody_obeys() -> None:
    extract = read("<meta name=robots content=noindex><a rel=nofollow href=/x>", meta=False)
    assert extract.directives == Directives()
    assert extract.links == (Link("https://site.test/x", K.ANCHOR),)


@pytest.mark.parametrize(
    ("html", "directives"),
    [
        ("<meta name=robots content=noindex>", Directives(noindex=True)),
        ("<META NAME=ROBOTS CONTENT='NOINDEX, NOFOLLOW'>", Directives(noindex=True, nofollow=True)),
        ("<meta name=robots content=none>", Directives(noindex=True, nofollow=True)),
        ("<meta name=Gossamer content=noarchive>", Directives(noarchive=True)),
        (
            "<meta name=robots content=noindex><body><meta name=gossamer content=nofollow>",
            Directives(noindex=True, nofollow=True),
        ),
        ("<meta name=otherbot content=noindex><meta name=description content=noindex>", Directives()),
        ("<meta name=robots><meta content=noindex>", Directives()),
    ],
)
def test_directives_are_those_of_all_meta_elements_that_speak_to_us(html: str, directives: Directives) -> None:
    assert read(html).directives == directives


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>  A \n title </title>", "A title"),
        ("<title>a &amp; b &lt;i&gt;</title>", "a & b <i>"),
        ("<title></title><title>two</title>", ""),
        ("<svg><title>picture</title></svg><title>page</title>", "page"),
        ("<svg><g><title>picture</title></g></svg>", ""),
        ("<head><noscript><img src=x></noscript><title>late</title>", "late"),
        ("<p>none</p>", ""),
        ("<title>" + "x" * 5000 + "</title>", "x" * 1000),
        ("<title>unclosed", "unclosed"),
    ],
)
def test_the_title_is_the_pages_own(html: str, title: str) -> None:
    assert read(html).title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=de-AT>", "de-AT"),
        ("<html xml:lang=fr>", "fr"),
        ("<p><html lang=it>", "it"),
        ("<html lang=' en '>", "en"),
        ("<html lang='nonsense language'>", ""),
        ("<html lang>", ""),
        ("<html lang='" + "x" * 200 + "'>", ""),
        ("<div lang=de>", ""),
    ],
)
def test_the_language_is_that_of_the_root(html: str, language: str) -> None:
    assert read(html).language == language


def test_the_canonical_url_is_the_first_and_absolute() -> None:
    assert read("<base href=/b/><link rel=canonical href=c#f><link rel=canonical href=/d>").canonical == "https://site.test/b/c"
    assert read("<link rel=canonical href='http://['>").canonical == ""
    assert read("<a href=/x>").canonical == ""


LEGACY = {
    "windows-1252": "Café à la crème, señor",
    "windows-1250": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "windows-1251": "Съешь ещё этих мягких французских булок",
    "windows-1253": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "windows-1254": "Pijamalı hasta yağız şoföre çabucak güvendi",
    "windows-1255": "דג סקרן שט בים מאוכזב",
    "windows-1256": "نص حكيم له سر قاطع",
    "windows-874": "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า",
    "koi8-r": "В чащах юга жил бы цитрус",
    "iso-8859-2": "Pchnąć w tę łódź jeża",
    "shift_jis": "いろはにほへとちりぬるを",
    "euc-jp": "わかよたれそつねならむ",
    "iso-2022-jp": "うゐのおくやまけふこえて",
    "gb18030": "视野无限广，窗外有蓝天",
    "big5": "視野無限廣窗外有藍天",
    "euc-kr": "키스의 고유조건은 입술끼리",
}


@pytest.mark.parametrize(("charset", "text"), LEGACY.items())
def test_legacy_charsets_are_read_by_meta_element_and_by_header(charset: str, text: str) -> None:
    codec = {"windows-874": "cp874"}.get(charset, charset)
    page = f"<meta charset={charset}><title>{text}</title><a href=/x>"
    by_meta = read(page.encode(codec), charset="")
    assert (by_meta.title, by_meta.charset) == (text, charset)
    by_header = read(page.replace(charset, "utf-8").encode(codec), charset=charset)
    assert (by_header.title, by_header.charset) == (text, charset), "the header is believed before the page"


def test_a_charset_that_nobody_names_is_told_by_looking() -> None:
    page = f"<title>{LEGACY['windows-1251']}</title><p>{LEGACY['windows-1251'] * 5}"
    assert read(page.encode("windows-1251"), charset="").title == LEGACY["windows-1251"]
    assert read(page.encode(), charset="").title == LEGACY["windows-1251"]


def test_a_byte_order_mark_is_no_part_of_the_page() -> None:
    for codec, charset in (("utf-8-sig", "utf-8"), ("utf-16", "utf-16le")):
        content = "<title>é</title>é".encode(codec)
        assert read(content, charset=charset).title == "é"
        assert text_of(content, charset) == "é"


def test_a_query_is_encoded_in_the_charset_of_the_page_and_a_path_in_utf_8() -> None:
    page = "<meta charset=windows-1252><a href='/é?é'>"
    assert links(page.encode("windows-1252"), charset="") == [("/%C3%A9?%E9", "anchor")]


def test_broken_bytes_are_replaced() -> None:
    extract = read(b"<title>a\xff\xfeb</title><a href='/\xff'>")
    assert extract.title == "a\ufffd\ufffdb"
    assert [link.url for link in extract.links] == ["https://site.test/%EF%BF%BD"]


def test_xhtml_closes_what_closes_itself() -> None:
    head = '<?xml version="1.0"?><html xmlns="x"><head><title/><script src="a.js" /></head>'
    page = head + '<body><a id="t"/><a href="/x">x</a></body></html>'
    assert links(page, mime="application/xhtml+xml") == [("/x", "anchor")]
    assert links(page) == [], "in HTML the slash means nothing, and the rest is a title"


def test_links_beyond_the_limit_are_counted() -> None:
    html = "".join(f"<a href=/{number}><img src=/i{number}>" for number in range(30))
    extract = read(html, max_links=10)
    assert [link.url for link in extract.links if link.kind is K.ANCHOR] == [f"https://site.test/{n}" for n in range(10)]
    assert [link.kind for link in extract.links].count(K.IMAGE) == 10
    assert extract.links_cut == 20, "images are not counted: they push nothing out"


def test_a_page_of_very_many_links_is_cut_and_does_not_stall() -> None:
    html = b"".join(b"<a href=/%d>x</a>" % number for number in range(120_000))
    begin = time.process_time()
    extract = read(html)
    assert time.process_time() - begin < 3.0
    assert (len(extract.links), extract.links_cut) == (500, 119_500)
    assert MOST_ELEMENTS < 120_000


@pytest.mark.parametrize("separator", ["#", "&#35;", "&num;"])
def test_the_same_target_with_another_fragment_is_the_same_link(separator: str) -> None:
    html = "".join(f"<a href='/{number % 3}?a&amp;b{separator}part-{number}'>" for number in range(3_000)) + "<a href='#top'>"
    extract = read(html + "<a href='/last#'>", max_links=5)
    assert [link.url for link in extract.links] == [
        *(f"https://site.test/{number}?a&b" for number in range(3)),
        URL,
        "https://site.test/last",
    ]
    assert extract.links_cut == 0


def test_a_space_before_a_fragment_is_part_of_the_path() -> None:
    assert [link.url for link in read("<a href='/a #b'><a href='/a&#32;&#35;c'>").links] == ["https://site.test/a%20"]


def test_text_is_what_a_reader_sees() -> None:
    html = (
        "<head><title>no</title><style>no</style></head>Hel<b>lo</b> <i>wor</i>ld<!-- no -->!<p>One<br>two<script>no</script>"
        " three<div>four</div>five<template>no</template><noscript>no</noscript><ul><li>a<li>b</ul>"
        "<svg><text>no</text></svg>&lt;p&gt;"
    )
    assert text_of(html.encode()).splitlines() == ["Hello world!", "One", "two three", "four", "five", "a", "b", "<p>"]


def test_text_of_a_very_deep_page_needs_no_recursion() -> None:
    html = b"<span>" * 5_500 + b"deep"
    assert text_of(html) == "deep"


def test_a_link_says_of_itself_that_it_leads_to_no_page() -> None:
    found = read(
        '<link rel=alternate type="application/rss+xml" href=feed><link rel=alternate type=text/html href=print>'
        "<link rel=alternate hreflang=de href=de><a href=one>1</a><a rel=edit href=tool>2</a>"
        '<a rel="nofollow Search" href=find>'
        '<a download href=file><a type="application/pdf; q=1" href=paper><a type="text/html" href=two><area rel=edit href=spot>'
    )
    folder = "https://site.test/dir/"
    assert found.asides == {folder + name for name in ("feed", "tool", "find", "file", "paper", "spot")}
    names = ["feed", "print", "de", "one", "tool", "find", "file", "paper", "two", "spot"]
    assert sorted(link.url.removeprefix(folder) for link in found.links) == sorted(names), "it is a link all the same"
    assert [link.url for link in found.links if link.nofollow] == [folder + "find"]
