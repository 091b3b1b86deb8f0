"""Charsets mean what the web means by them, and any bytes can be read as text."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.document import charset
from gossamer.document.charset import charset_named, declared_charset, guessed_charset, meta_charset, to_text

TEXTS = {
    "windows-1251": "Привет, мир. Это довольно длинный русский текст для проверки.",
    "koi8-r": "Привет, мир. Это довольно длинный русский текст для проверки.",
    "shift_jis": "これは日本語のテキストです。文字コードを調べます。",
    "euc-jp": "これは日本語のテキストです。文字コードを調べます。",
    "gb18030": "这是一个中文文本，用来测试字符编码的检测。",
    "big5": "這是一個中文文本，用來測試字符編碼的檢測。",
    "euc-kr": "이것은 한국어 텍스트입니다. 문자 인코딩을 테스트합니다.",
    "windows-1252": "Le café était fermé à cause de l’été, déjà là où ça coûte très cher.",
    "iso-8859-2": "Zażółć gęślą jaźń, proszę państwa, to jest dłuższy tekst.",
    "windows-1255": "זה טקסט בעברית לבדיקת קידוד התווים של הדף",
    "windows-1256": "هذا نص عربي لاختبار ترميز الأحرف في الصفحة",
    "utf-8": "Zażółć gęślą jaźń, žluťoučký kůň, ελληνικά.",
}


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF8", "utf-8"),
        (" latin1 ", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("iso-8859-9", "windows-1254"),
        ("gb2312", "gbk"),
        ("SJIS", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf-16", "utf-16le"),
        ("tis-620", "windows-874"),
        ("klingon", ""),
        ("", ""),
    ],
)
def test_a_label_means_what_the_web_means_by_it(label: str, name: str) -> None:
    assert charset_named(label) == name


@pytest.mark.parametrize("name", charset._NAMES)
def test_every_charset_has_a_codec(name: str) -> None:
    assert to_text(b"abc ", name)
    assert codecs.lookup(charset._CODECS.get(name, name))


@given(st.binary(max_size=200), st.sampled_from([*charset._NAMES, "klingon", ""]))
def test_any_bytes_can_be_read_in_any_charset(content: bytes, name: str) -> None:
    assert isinstance(to_text(content, name), str)


@pytest.mark.parametrize("name", TEXTS)
def test_legacy_texts_are_recognised_and_read(name: str) -> None:
    content = (TEXTS[name] * 3).encode(charset._CODECS.get(name, name))
    assert to_text(content, guessed_charset(content)) == TEXTS[name] * 3


def test_pure_ascii_gets_the_default_and_a_late_letter_counts() -> None:
    assert guessed_charset(b"plain", "utf-8") == "utf-8"
    assert guessed_charset(b"plain", "windows-1251") == "windows-1251"
    assert guessed_charset(b"x" * 100_000 + "später".encode(), "windows-1252") == "utf-8"
    assert guessed_charset(b"x" * 100_000 + ("поздно " * 9).encode("cp1251"), "utf-8") == "windows-1251"


def test_a_letter_cut_in_two_at_the_end_of_the_sample_is_still_utf8() -> None:
    for shift in range(4):
        assert guessed_charset(b"x" * shift + "ä".encode() * 40_000, "windows-1252") == "utf-8"


@pytest.mark.parametrize(
    ("content", "header", "name"),
    [
        (codecs.BOM_UTF8 + b"x", "text/html; charset=koi8-r", "utf-8"),
        (codecs.BOM_UTF16_LE + b"x\0", "text/html; charset=koi8-r", "utf-16le"),
        (codecs.BOM_UTF16_BE + b"\0x", "", "utf-16be"),
        (b"x", "text/html; charset=koi8-r", "koi8-r"),
        (b"x", 'text/html;charset="UTF-8"', "utf-8"),
        (b"x", "text/html; Charset='latin1' ; x=y", "windows-1252"),
        (b"x", "text/html; charset = sjis", "shift_jis"),
        (b"x", "text/html; charset=klingon", ""),
        (b"x", "text/html; charset=", ""),
        (b"x", "text/html", ""),
        (b"x", "", ""),
    ],
)
def test_a_mark_comes_before_the_header_and_the_header_before_nothing(content: bytes, header: str, name: str) -> None:
    assert declared_charset(content, header) == name


def test_a_charset_nobody_declared_is_looked_for() -> None:
    assert guessed_charset("ä".encode() * 10) == "utf-8"
    assert guessed_charset(b"x", "utf-8") == "utf-8"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<META CHARSET='Shift_JIS' >", "shift_jis"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "windows-1251"),
        (b'<meta content="text/html;charset=euc-kr" http-equiv=content-type>', "euc-kr"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "iso-8859-2"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=utf-8>", "utf-8"),
        (b"<meta name=a content=b><meta charset=big5>", "big5"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=klingon>", ""),
        (b"<p>charset=koi8-r", ""),
        (b" " * 1024 + b"<meta charset=koi8-r>", ""),
    ],
)
def test_a_page_names_its_charset_near_its_top(head: bytes, name: str) -> None:
    assert meta_charset(head) == name


def test_a_mark_is_no_text() -> None:
    assert to_text(codecs.BOM_UTF8 + b"x", "utf-8") == "x"
    assert to_text(codecs.BOM_UTF16_LE + "x".encode("utf-16-le"), "utf-16le") == "x"
    assert to_text(b"\xff", "utf-8") == "\ufffd"
