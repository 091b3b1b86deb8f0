"""Charsets by the names the web uses for them, and the Python codecs that read them.

The web's labels do not mean what they say: `latin1` and `ascii` are windows-1252, `gb2312` is gb18030. The tables are those
of the WHATWG Encoding standard; a name is always its lower-case spelling there. Text never fails to be read: what a codec
cannot read becomes the replacement character.
"""

import codecs
import re
from functools import lru_cache

import cchardet

_NAMES = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 "
    "iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 "
    "sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 "
    "visual",
    "iso-8859-8-i": "csiso88598i logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
    "iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "gb18030": "",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "x-user-defined": "",
}
_LABELS = {label: name for name, labels in _NAMES.items() for label in (name, *labels.split())}
# Where Python's codec of that name is missing or is not what the web means.
_CODECS = {
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac_roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "x-user-defined": "latin-1",
}
_GUESSES = {"uhc": "euc-kr", "mac-cyrillic": "x-mac-cyrillic"}  # names only the guesser uses
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_MARKS = tuple(mark for mark, _ in _BOMS)
_PARAMETER = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta[\s/]([^>]*+)", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_:.\-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]+)")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_SHORT = 100  # characters of a Content-Type that is remembered
_SAMPLE = 32 * 1024  # bytes looked at to guess a charset


def charset_named(label: str) -> str:
    """Return the name of the charset a label means; empty: nobody knows that label."""
    return _LABELS.get(label.strip().lower(), "")


def declared_charset(content: bytes, content_type: str) -> str:
    """Return the charset that a byte order mark or a Content-Type header tells; empty: neither does."""
    if content.startswith(_MARKS):
        return next(name for mark, name in _BOMS if content.startswith(mark))
    return _parameter(content_type) if len(content_type) <= _SHORT else _parameter.__wrapped__(content_type)


@lru_cache(maxsize=256)  # most hosts say one of a few things
def _parameter(content_type: str) -> str:
    parameter = _PARAMETER.search(content_type)
    return charset_named(parameter[parameter.lastindex or 0]) if parameter else ""


def meta_charset(head: bytes) -> str:
    """Return the charset that a page names in its first 1024 bytes; empty: it names none."""
    head = _COMMENT.sub(b"", head[:1024])
    found = next(filter(None, (_CHARSET.search(meta[1]) for meta in _META.finditer(head))), None) or _XML.match(head)
    name = charset_named(found[1].decode("ascii")) if found else ""
    if name.startswith("utf-16"):
        return "utf-8"  # bytes in which that label could be read are no UTF-16
    return "windows-1252" if name == "x-user-defined" else name


def guessed_charset(content: bytes, default: str = "windows-1252") -> str:
    """Return the charset that bytes look like."""
    sample = content[:_SAMPLE]
    if sample.isascii():
        return default if content.isascii() else guessed_charset(_around_first_letter(content), default)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    guess = (cchardet.detect(sample)["encoding"] or "").lower()
    return charset_named(_GUESSES.get(guess, guess)) or default


def to_text(content: bytes, charset: str) -> str:
    """Read bytes as text, without a byte order mark; what cannot be read is replaced."""
    name = charset_named(charset) or "utf-8"
    for mark, marked in _BOMS:
        if marked == name and content.startswith(mark):
            content = content[len(mark) :]
    return content.decode(_CODECS.get(name, name), errors="replace")


def _around_first_letter(content: bytes) -> bytes:
    """Return the part of a text that begins with its first byte beyond ASCII."""
    found = _BEYOND_ASCII.search(content)
    return content[found.start() : found.start() + _SAMPLE] if found else b""
