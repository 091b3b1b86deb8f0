"""Character references mean what the standard says, in text and in values."""

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
