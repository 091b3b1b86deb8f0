"""Parsing: any text becomes a URL or a sentence that says why not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from gossamer.errors import UrlError
from gossamer.url.parse import Base, Url, login_of, parse, shown, split, without_login

# Texts made of what means something to a URL parser, so that most of them get somewhere.
SCHEMES = ["http://", "https://", "ftp://", "file://", "HTTP:", "custom:", "custom://", "mailto:", "data:"]
MARKS = ["//", "/", "\\", "?", "#", "@", ":", ".", "..", "%2e", "%41", "%zz", "%", "^", ";", "&", "=", "C|"]
HOSTS = ["a.example", "b", "EXAMPLE", "é", "ß", "。", "[::1]", "127.1", "0x7f", "80", "65536", "user", "xn--"]
ODD = [" ", "\t", "\n", "\x00", "\x7f", "\ud800", "\U0001f600", "\u202e", "\u00ad"]
PIECES = st.sampled_from([*SCHEMES, *MARKS, *HOSTS, *ODD])
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=40))


def url_of(text: str) -> Url | None:
    try:
        return parse(text)
    except UrlError:
        return None


@given(TEXTS)
def test_any_text_is_a_url_or_a_url_error(text: str) -> None:
    url = url_of(text)
    assert url is None or (url.wire.isascii() and "#" not in url.wire)


@given(TEXTS)
@example("data:x  #f")
@example("http://a.example/^?^#^")
@example("custom://h?a/b")
def test_a_wire_url_parses_to_itself(text: str) -> None:
    url = url_of(text)
    if url is not None:
        assert parse(url.wire) == split(url.wire) == replace(url, fragment="")


@given(TEXTS, TEXTS)
def test_join_never_raises_and_gives_the_wire_url_that_parse_gives(base: str, href: str) -> None:
    if url_of(base) is None:
        return
    joined = Base(base).join(href)
    if joined is not None:
        assert parse(href, base).wire == joined


def test_the_parts_of_a_url() -> None:
    url = parse("HTTP://user:word@A.Example:8080/b/../c%7e;d?e=f#g")
    assert url == Url("http://a.example:8080/c%7e;d?e=f", "http", "a.example", 8080, "/c%7e;d", "e=f", "g")
    assert url.origin == "http://a.example:8080"


@pytest.mark.parametrize(
    ("text", "host", "port", "origin"),
    [
        ("http://[2001:DB8::1]:81/x", "2001:db8::1", 81, "http://[2001:db8::1]:81"),
        ("https://[::1]/", "::1", None, "https://[::1]"),
        ("https://a.example:443/", "a.example", None, "https://a.example"),
        ("file:///etc/hosts", "", None, "file://"),
        ("mailto:a@b.example", "", None, "mailto://"),
        ("CUSTOM://Some.Host/", "some.host", None, "custom://some.host"),
    ],
)
def test_a_host_is_lower_case_without_port_and_brackets(text: str, host: str, port: int | None, origin: str) -> None:
    url = parse(text)
    assert (url.host, url.port, url.origin) == (host, port, origin)


def test_no_query_and_an_empty_query_are_told_apart() -> None:
    assert parse("http://a.example/").query is None
    assert parse("http://a.example/?").query == ""


@pytest.mark.parametrize(
    "text", ["/relative", "http://", "http://a b/", "http://a:99999/", "http://1.2.3.4.5/", "http://[::g]/"]
)
def test_what_is_no_url_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(UrlError, match=r"^'.*' is no URL: (it|its|no) ") as refusal:
        parse(text)
    assert text in str(refusal.value)


def test_an_error_message_is_short_and_forges_no_line() -> None:
    with pytest.raises(UrlError) as refusal:
        parse("http://a b\r\n\x1b[31m\u202e" + "x" * 3_000_000)
    assert len(str(refusal.value)) < 200
    assert str(refusal.value).isprintable()
    assert "\\x1b" in str(refusal.value)


@pytest.mark.parametrize(
    "href",
    [
        "mailto:a@b.example",
        "javascript:void(0)",
        "data:,x",
        "tel:+123",
        "blob:https://a.example/1",
        "about:blank",
        "http://",
        "//",
    ],
)
def test_what_cannot_be_fetched_by_its_name_is_no_link(href: str) -> None:
    assert Base("https://a.example/b").join(href) is None


@pytest.mark.parametrize(
    ("href", "wire"),
    [
        ("c?d#e", "https://a.example/b/c?d"),
        ("#top", "https://a.example/b/"),
        ("ftp://c.example/d", "ftp://c.example/d"),
        ("//user@c.example/@d", "https://c.example/@d"),
        ("/@d", "https://a.example/@d"),
        ("c^d?e^f", "https://a.example/b/c%5Ed?e^f"),
        ("///c.example/", "https://c.example/"),
        ("\ud800", "https://a.example/b/%EF%BF%BD"),
    ],
)
def test_a_link_becomes_an_absolute_wire_url(href: str, wire: str) -> None:
    assert Base("https://a.example/b/").join(href) == wire


@pytest.mark.parametrize(
    ("charset", "href", "wire"),
    [
        ("utf-8", "é?é", "http://a.example/%C3%A9?%C3%A9"),
        ("windows-1252", "é?é#é", "http://a.example/%C3%A9?%E9"),
        ("iso-8859-1", "?€", "http://a.example/?%80"),
        ("shift_jis", "?日", "http://a.example/?%93%FA"),
        ("windows-1252", "?日", "http://a.example/?%26%2326085%3B"),
        ("utf-16", "?é", "http://a.example/?%C3%A9"),
        ("no-such-charset", "?é", "http://a.example/?%C3%A9"),
        ("base64", "?é", "http://a.example/?%C3%A9"),
        ("nul\x00", "?é", "http://a.example/?%C3%A9"),
    ],
)
def test_a_query_is_encoded_in_the_charset_of_its_page(charset: str, href: str, wire: str) -> None:
    assert Base("http://a.example/", charset).join(href) == wire


def test_a_base_that_is_no_url_is_refused() -> None:
    with pytest.raises(UrlError):
        Base("nowhere")


def test_nothing_is_relative_to_an_address_without_a_path() -> None:
    assert Base("mailto:a@b.example").join("c") is None
    with pytest.raises(UrlError, match="nothing can be relative"):
        parse("c", "mailto:a@b.example")


@pytest.mark.parametrize(
    ("text", "without", "login"),
    [
        ("http://ann:pw@h/", "http://h/", ("ann", "pw")),
        ("http://ann:p%40w@h/x@y", "http://h/x@y", ("ann", "p@w")),
        ("http://ann:p@w@h/", "http://h/", ("ann", "p@w")),
        ("http://token@h/", "http://h/", ("token", "")),
        ("\t http:\\\\ann:pw@h/", "\t http:\\\\h/", ("ann", "pw")),
        ("http://h/x@y?a@b", "http://h/x@y?a@b", None),
        ("file:///a@b", "file:///a@b", None),
        ("mailto:a@b", "mailto:a@b", None),
    ],
)
def test_a_login_is_found_and_not_shown(text: str, without: str, login: tuple[str, str] | None) -> None:
    assert login_of(text) == login
    assert without_login(text) == without
    assert login is None or (login[1] or login[0]) not in shown(text)
