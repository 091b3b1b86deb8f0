"""Character references mean what the standard says, in text and in values, to Python and to the compiled scanner."""

import html
from html.entities import html5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.processors import scan
from gossamer.processors._scan import scan as compiled_scan
from gossamer.processors.references import decode

PIECES = ["&", "amp", "lt", ";", "copy", "notin", "=", "x", "1", " ", "AMP", "&#38;", "&#x26", "&quot;", "eacute", "&&"]


@pytest.mark.parametrize(
    ("written", "in_value", "in_text"),
    [
        ("a&amp;b", "a&b", "a&b"),
        ("&copy=1", "&copy=1", "©=1"),
        ("&copy1", "&copy1", "©1"),
        ("&copy", "©", "©"),
        ("&copy-", "©-", "©-"),
        ("&copy;=", "©=", "©="),
        ("&notit;", "&notit;", "¬it;"),
        ("&notin;", "∉", "∉"),
        ("&nGt;", "≫⃒", "≫⃒"),
        ("&unknown;&", "&unknown;&", "&unknown;&"),
        ("&#65;&#x42;&#X43", "ABC", "ABC"),
        ("&#0;&#xD800;&#x110000;&#" + "9" * 5000 + ";", "\ufffd" * 4, "\ufffd" * 4),
        ("&#x80;&#x81;&#159;", "€\x81Ÿ", "€\x81Ÿ"),
        ("&#000065;", "A", "A"),
        ("&#;&#x;", "&#;&#x;", "&#;&#x;"),
        ("a\0", "a\ufffd", "a\ufffd"),
    ],
)
def test_references_are_read_by_the_standard(written: str, in_value: str, in_text: str) -> None:
    assert (decode(written, True), decode(written, False)) == (in_value, in_text)


@settings(max_examples=200, derandomize=True)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_references_in_text_are_those_that_python_knows(text: str) -> None:
    assert decode(text, False) == html.unescape(text)


WRITTEN = (
    st.sampled_from(sorted(html5)).map("&{}".format)
    | st.integers(0, 0x110010).flatmap(lambda code: st.sampled_from([f"&#{code};", f"&#x{code:x}", f"&#X{code:07X};"]))
    | st.integers(0, 300).map("&#{};".format)
    | st.sampled_from([*PIECES, "&#" + "0" * 40 + "150;", "&" + "a" * 40 + ";", "&" + "b" * 600, "é", "\u2028", "a", "b c"])
)


def as_scanned(written: str) -> tuple[str, str, str]:
    """Return what the scanner makes of a value, a title and a text."""
    told: list[dict[str, str | None]] = []
    page = f"<title>{written}</title><meta content='x{written}'><body><p>x{written}x"
    note = lambda _, attributes: told.append(attributes)  # noqa: E731
    _, text, title = compiled_scan(page.encode(), {}, {}, scan._OBEYING, note, decode, 10, True)
    return str(told[0]["content"]), str(title), text


@settings(max_examples=1000, derandomize=True)
@given(st.lists(WRITTEN, max_size=8).map("".join))
def test_the_scanner_reads_references_as_python_does(written: str) -> None:
    text = " ".join(decode(f"x{written}x", False).split())
    assert as_scanned(written) == (decode(f"x{written}", True), decode(written, False), text)


def test_the_scanner_asks_nobody_for_the_references_that_most_pages_use() -> None:
    asked: list[str] = []
    anchor = "<a href='/?a=1&amp;b=2&c=3&#x26;'>&lt;b&gt; &quot;AT&T&quot; &#8217;&nbsp;&#150; a && b &</a>"
    page = f"<title>a &mdash; b</title>{anchor}".encode()
    pages: dict[str, object] = {}
    ask = lambda text, _: asked.append(text) or text  # noqa: E731
    _, text, title = compiled_scan(page, pages, {}, scan._OBEYING, print, ask, 10, True)
    assert (asked, list(pages), title, text) == ([], ["/?a=1&b=2&c=3&"], "a — b", '<b> "AT&T" ’ – a && b &')
