"""The MIME type we act on: what the server declares, corrected where servers are known to be wrong.

Follows the WHATWG MIME Sniffing standard where it matters to a crawler: no declared type, text that is binary, images and
feeds under another name. Two steps go beyond it: `application/octet-stream`, and gzip that is none, are treated as not
declared, and XML is told apart by its root element, whatever it is called (`application/rdf+xml`, `text/rss`), so that a
sitemap, a feed and an XHTML page each reach their reader. Results are in lower case without parameters.
"""

import codecs
import re
from functools import lru_cache

HEAD = 4096  # bytes of a document that are worth handing over
GZIP = frozenset({"application/gzip", "application/x-gzip"})

_TYPE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;|$)")
_UNDECLARED = {"", "unknown/unknown", "application/unknown", "*/*", "application/octet-stream", "binary/octet-stream"}
_XML = {"text/xml", "application/xml"}
_MISTAKEN = {"text/html", "text/plain"}  # what servers call a sitemap or a feed they know nothing of
_HTML = re.compile(
    rb"<!--|<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P)[ \t\n\f\r/>]",
    re.IGNORECASE,
)
# What stands before the root element: each item whole or not at all, so that a hostile prolog costs no more than its length.
_ROOT = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\b[^>\[]*(?>\[(?>\"[^\"]*\"|'[^']*'|[^\"'\]]+)*+\]\s*)?>)*+"
    rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)",
    re.DOTALL | re.IGNORECASE,
)
_PLAIN_HTML = re.compile(rb"\s*(?:<!doctype html>\s*)?<(?:html|head|meta|title)[\s>]", re.IGNORECASE)  # how most pages begin
_SITEMAP = "application/xml"
_XHTML = "application/xhtml+xml"
_FEEDS = {"application/rss+xml", "application/atom+xml"}
_CALLED_XML = re.compile(r".*\+xml|[^/]*/(?:x-)?(?:rss|atom|rdf|feed)")  # beyond what the standard has
_RSS_IN_RDF = (b"http://purl.org/rss/1.0/", b"netscape.com/rdf/simple/0.9/")
_ROOTS = {
    b"urlset": _SITEMAP,
    b"sitemapindex": _SITEMAP,
    b"rss": "application/rss+xml",
    b"RDF": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"html": _XHTML,
    b"svg": "image/svg+xml",
}
_UTF_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)
_SIGNATURES = (
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"%!PS-Adobe-"), "application/postscript"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"RIFF....WEBPVP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb"BM.{4}\0\0\0\0", re.DOTALL), "image/bmp"),
    (re.compile(rb"\0\0[\x01\x02]\0"), "image/x-icon"),
    (re.compile(rb"\x1f\x8b\x08"), "application/gzip"),
    (re.compile(rb"PK\x03\x04"), "application/zip"),
    (re.compile(rb"Rar!\x1a\x07"), "application/x-rar-compressed"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "application/x-7z-compressed"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio/wave"),
    (re.compile(rb"RIFF....AVI ", re.DOTALL), "video/avi"),
    (re.compile(rb"ID3"), "audio/mpeg"),
    (re.compile(rb"OggS\0"), "application/ogg"),
    (re.compile(rb"\x1a\x45\xdf\xa3"), "video/webm"),
    (re.compile(rb"....ftyp", re.DOTALL), "video/mp4"),
    (re.compile(rb"wOF[F2]"), "font/woff"),
)
_SHORT = 100  # characters of a Content-Type that is remembered
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_TEXT_HEAD = 1445  # bytes in which the standard looks for binary ones
_EXTENSIONS = {
    "css": "text/css",
    "csv": "text/csv",
    "htm": "text/html",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "mjs": "text/javascript",
}


def sniff(declared: str, head: bytes, url: str = "") -> str:
    """Return the type to act on, from the Content-Type, the first bytes of the content and its URL or the path of it."""
    mime = _declared(declared) if len(declared) <= _SHORT else _declared.__wrapped__(declared)
    if mime == "text/html" and _PLAIN_HTML.match(head):
        return mime
    if mime in _UNDECLARED or (mime in GZIP and not is_gzip(head)):
        return _undeclared(head, url.partition("?")[0])
    if mime in GZIP:
        return "application/gzip"
    if mime.startswith("image/") and not mime.endswith("+xml"):
        seen = _signature(head)
        return seen if seen.startswith("image/") else mime
    if mime == "text/plain" and _is_binary(head):
        return _signature(head) or "application/octet-stream"
    if mime in _XML:
        return _by_root(head) or "application/xml"
    if mime in _MISTAKEN or _CALLED_XML.fullmatch(mime):
        seen = _by_root(head)
        is_feed = seen in _FEEDS and mime not in _FEEDS and mime != "text/plain"
        return seen if seen == "application/xml" or is_feed else mime
    return mime


@lru_cache(maxsize=256)  # most hosts say one of a few things
def _declared(content_type: str) -> str:
    match = _TYPE.match(content_type.lower())
    return match[1] if match else ""


def is_sitemap(head: bytes) -> bool:
    """Tell whether XML is a sitemap or a sitemap index, by its root element."""
    return _by_root(head) == _SITEMAP


def is_gzip(head: bytes) -> bool:
    """Tell whether content is a gzip file, such as a compressed sitemap; `decode(content, "gzip", limit)` opens it."""
    return head.startswith(b"\x1f\x8b\x08")


def _undeclared(head: bytes, path: str) -> str:
    seen = _signature(head)
    if seen:
        return seen
    text = _plain(head).lstrip()
    seen = _by_root(head)
    if text.startswith(b"<?xml") or (seen and seen != _XHTML):
        return seen or "application/xml"
    if _HTML.match(text):
        return "text/html"
    if _is_binary(head):
        return "application/octet-stream"
    return _EXTENSIONS.get(path.rpartition(".")[2].lower(), "text/plain")


def _signature(head: bytes) -> str:
    """Return the type that the first bytes give away; empty: they give nothing away."""
    return next((mime for pattern, mime in _SIGNATURES if pattern.match(head)), "")


def _by_root(head: bytes) -> str:
    """Return the type that the root element of XML gives away; empty: it is none we know, or there is none."""
    plain = _plain(head)
    found = _ROOT.match(plain)
    name = found[1] if found else b""
    if name == b"RDF" and not any(namespace in plain for namespace in _RSS_IN_RDF):
        return ""
    return _ROOTS.get(name, "")


def _is_binary(head: bytes) -> bool:
    return not head.startswith(_UTF_BOMS) and _BINARY.search(head, 0, _TEXT_HEAD) is not None


def _plain(head: bytes) -> bytes:
    """Return markup as ASCII bytes without a mark, also when it is UTF-16."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head[:HEAD].decode("utf-16", errors="ignore").encode("ascii", errors="replace")
    return head[:HEAD].removeprefix(codecs.BOM_UTF8)
