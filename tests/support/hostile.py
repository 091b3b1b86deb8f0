"""Heads, metas and texts of any size that were made to take long, and the calls of a visit that meet them in the event loop."""

import asyncio
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from gossamer.assemble import make_processors
from gossamer.config.sections import ScopeSettings as ScopeSettings
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.document.charset import declared_charset, guessed_charset, meta_charset
from gossamer.document.digest import payload_digest
from gossamer.document.head import fields_of
from gossamer.document.sniff import sniff
from gossamer.errors import UrlError
from gossamer.fetchers.framing import ResponseHead, end_of_head, read_head
from gossamer.filters.scope import Scope
from gossamer.policy import cookies, directives, marks, templates, traps
from gossamer.policy.retry import retry_after
from gossamer.readers.reading import Reader
from gossamer.records.candidate import Candidate
from gossamer.records.entry import LinkKind
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.robots import rules
from gossamer.storage.archive.cdxj import url_key
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import Base, parse
from gossamer.visit.again import _moment
from gossamer.visit.settle import redirect_of

KB, MB = 1024, 1024 * 1024
SIZES = (64 * KB, 250 * KB, 1_000 * KB, 10 * MB)
MOST_HEAD = 64 * KB  # `fetch.max_headers`: nobody reads a longer one
UNITS = (
    " ",
    "\t ",
    "a",
    "0",
    ".",
    ",",
    ";",
    ":",
    "=",
    '"',
    "'",
    "a:",
    "a ",
    "0 ",
    "0.",
    ", ",
    "%41",
    "../",
    "a=b;",
    "http://",
    "-",
)
NAMES = (
    *("X-Robots-Tag", "Content-Type", "Location", "Retry-After", "Set-Cookie", "Last-Modified", "Content-Encoding"),
    *("Transfer-Encoding", "Content-Length", "Connection", "ETag"),
)
HEADS = {  # beside a value that is a unit over and over
    "folds": "X-Fold: a\r\n " + "{}" + "\r\n b\r\n",
    "blanks before a fold": "X-Fold: {}x\r\n",
    "names": "{}: x\r\n",
    "no colon": "X: y\r\n{}\r\n",
    "bare line ends": "X: y\n{}\nZ: x\r\n",
}
METAS = {
    "refresh": '<meta http-equiv=refresh content="{}">',
    "refresh of a number": '<meta http-equiv=refresh content="0{}">',
    "refresh of a URL": '<meta http-equiv=refresh content="0;url={}">',
    "robots": '<meta name=robots content="{}">',
    "charset": '<meta charset="{}">',
    "meta without end": "<meta {}",
    "lang": '<html lang="{}">',
    "base": '<base href="http://a.test/{}">',
    "href": '<a href="{}">x</a>',
    "srcset": '<img srcset="{}">',
    "rel": '<a rel="{}" href=/x>x</a>',
    "title": "<title>{}</title>",
    "comment": "<!--{}",
    "text": "<p>{}</p>",
    "loc": "<?xml version='1.0'?><urlset><url><loc>{}</loc></url></urlset>",
    "lastmod": "<?xml version='1.0'?><urlset><url><loc>http://a.test/x</loc><lastmod>{}</lastmod></url></urlset>",
    "priority": "<?xml version='1.0'?><urlset><url><loc>http://a.test/x</loc><priority>{}</priority></url></urlset>",
    "pubDate": "<?xml version='1.0'?><rss><channel><item><link>http://a.test/x</link><pubDate>{}</pubDate></item></channel></rss>",
    "encoding": "<?xml version='1.0' encoding='{}'?><rss></rss>",
    "doctype": "<?xml version='1.0'?><!DOCTYPE a {}><rss></rss>",
}
PAGES = {
    "metas": '<meta name=robots content="a:b,c">',
    "charsets": "<meta x charset ",
    "tags": "<div>",
    "links": "<a href=/x>x</a>",
    "distinct tags": "<t%d>",
    "distinct attributes": "<p a%d=1>",
    "comments": "<!-- - -- -",
    "references": "&amp &#x41 &lt;",
    "unknown references": "&zz",
    "distinct links": "<a href=%d>",
    "links with references": "<a href=&z%d>",
    "links of other names": "<a href=//é%d>",
    "files": "<a download href=%d>",
    "alternates": "<link rel=alternate type=a/b href=%d>",
    "candidates": "<img srcset=%d>",
    "candidates of one image": "<img srcset='%d 1x, %da 2x, %db'>",
    "numbers": "12:30 0.5 1,000 a1-2 ",
    "words": "x%d y%d ",
    "Han": "中文字",
    "sentences": "not found. error! 404 | sorry; page ",
    "line ends": "\n",
    "blanks": " \t",
    "quotes": "\"'",
    "zeros": "\0",
    "scripts": "<script><!--<script>",
    "CDATA": "<![CDATA[ ]]",
    "links of text": "http://a.test/x%d\n",
    "sitemap": "<url><loc>http://a.test/%d</loc><lastmod>2026-01-01</lastmod></url>",
    "entities": "<!ENTITY a%d 'x'>",
    "items": "<item><title>%d</title><link>http://a.test/%d</link><pubDate>Mon, 01 Jan 2026 00:00:00 GMT</pubDate></item>",
    "robots": "User-agent: *\nDisallow: /*a*%d*$\n",
    "agents": "User-agent: gossamer%d\nAllow: /%d\n",
}
OPENINGS = {
    "sitemap": b"<?xml version='1.0'?><urlset>",
    "entities": b"<?xml version='1.0'?><!DOCTYPE a [",
    "items": b"<rss><channel>",
}
TYPES = {
    "sitemap": "application/xml",
    "entities": "application/xml",
    "items": "application/rss+xml",
    "links of text": "text/plain",
}


class Nobody:
    """Stands for the child process: what is sent there takes no time here."""

    async def ask(self, task: object, body: object) -> None:
        return None


def filled(unit: str, size: int) -> str:
    """Repeat a unit for so many bytes, each with a number of its own if it has a place for one."""
    if "%d" not in unit:
        return unit * (size // len(unit.encode()))
    return "".join(unit.replace("%d", str(number)) for number in range(size // (len(unit) + 3)))


def heads() -> Iterator[tuple[str, bytes]]:
    """Give whole heads as large as they may be."""
    for name in NAMES:
        for unit in UNITS:
            value = filled(unit, MOST_HEAD - 200)
            yield f"{name}: {unit!r}", f"HTTP/1.1 302 Found\r\n{name}: x{value}!\r\n\r\n".encode()
    for name, frame in HEADS.items():
        for unit in ("\r\n ", " ", "\t", " \r\n\t", "a", "\r\n \r", "a:\r\n"):
            yield f"{name}: {unit!r}", f"HTTP/1.1 200 OK\r\n{frame.format(filled(unit, MOST_HEAD - 200))}\r\n".encode()


def documents() -> Iterator[tuple[str, str, Callable[[int], bytes]]]:
    """Give bodies: a name, a type, and what makes one of a size."""
    for name, frame in METAS.items():
        for unit in UNITS:
            mime = "application/xml" if frame.startswith("<?xml") else "text/html"
            yield f"{name}: {unit!r}", mime, partial(_framed, frame, unit.replace('"', "&quot;"))
    for name, unit in PAGES.items():
        yield name, TYPES.get(name, "text/html"), partial(_opened, OPENINGS.get(name, b"<!DOCTYPE html>"), unit)


def _framed(frame: str, unit: str, size: int) -> bytes:
    return frame.format(filled(unit, size - 200)).encode()


def _opened(opening: bytes, unit: str, size: int) -> bytes:
    return opening + filled(unit, size - 200).encode()[: size - 200]


def fetched_of(mime: str, body: bytes, **fields: Any) -> Fetched:
    """Return an answer."""
    held = Body()
    held.write(body)
    fields.setdefault("headers", (("content-type", mime),))
    return Fetched(url="http://a.test/dir/page", outcome=Outcome.OK, status=200, body=held, **fields)


def calls_of_a_head(raw: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give what a visit does with a head, call by call."""
    yield "end_of_head", lambda: end_of_head(bytearray(raw))
    yield "read_head", lambda: read_head(raw)
    answer = read_head(raw)
    headers = answer.head.headers if isinstance(answer, ResponseHead) else fields_of(raw)
    fetched = fetched_of("", b"", headers=headers)
    for name, value in headers:
        if name == "x-robots-tag":
            yield name, lambda value=value: directives.from_header([value], "gossamer/1.0")
        elif name == "set-cookie":
            yield name, lambda value=value: cookies.carried(None, "http://a.test/", [value], 5, 0.0)
        elif name == "retry-after":
            yield name, lambda value=value: retry_after(value, 0.0)
        elif name == "last-modified":
            yield name, lambda value=value: _moment(value)
        elif name == "content-type":
            yield name, lambda value=value: (declared_charset(b"x", value), sniff(value, b"<p>", "http://a.test/"))
        elif name == "location":
            yield name, lambda: redirect_of(fetched)
    yield "reading", lambda: run(reading(fetched_of("", b"<p>x", headers=headers)))


async def reading(fetched: Fetched) -> None:
    """Read an answer as a visit does, without the child's part."""
    settings = Settings()
    reader = Reader(settings, _processors(), Nobody())  # type: ignore[arg-type]
    await reader.read(fetched)
    await reader.outline(fetched)
    if fetched.body.size <= MB:
        payload_digest(fetched.body, fetched.chunked)


@cache
def _processors() -> Any:
    return make_processors(Settings())


def run(work: Any) -> None:
    """Run what never waits."""
    asyncio.run(work)


def calls_of_a_document(mime: str, body: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give what a visit does with a body in the loop, call by call."""
    fetched = fetched_of(mime, body)
    yield "reading", lambda: run(reading(fetched))
    yield "charset", lambda: (meta_charset(body), guessed_charset(body))
    yield "sniff", lambda: sniff(mime, body[:4096], "http://a.test/")
    if len(body) <= 64 * KB:  # longer ones are read in a thread
        yield "robots.txt", lambda: rules.parse(body).group("gossamer").judge("http://a.test/" + "a" * 1900)


def calls_of_a_url(text: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give what becomes of a link."""
    if len(text) <= MB:  # a longer one stands in a document that a child reads
        yield "join", lambda: Base("http://a.test/dir/page").join_all([text])
    try:
        url = parse(f"http://a.test/{text}")
    except UrlError:
        return
    yield "parse", lambda: parse(f"http://a.test/{text}")
    yield "traps", lambda: traps.judge(url, Settings().traps)
    if len(url.wire) > Settings().traps.max_length:
        return  # it goes no further
    yield "key", lambda: KeyRules().key(url)
    yield "templates", lambda: templates.templates_of(url)
    yield "marks", lambda: marks.every(url.wire, "http://a.test/x?y=z")
    yield "index", lambda: url_key(url.wire)
    yield "scope", lambda: _scope().judge(Candidate(url, 1, LinkKind.ANCHOR))


@cache
def _scope() -> Scope:
    settings = ScopeSettings(within="any", block=("(a+)+$", "(?:/[a-z.%0-9]*)*x$", ".*=.*=.*=.*!"))
    return Scope(settings, ())


def urls(size: int) -> Iterator[tuple[str, str]]:
    """Give links as they may be written."""
    for unit in (*UNITS, "a/", "?a&", ";jsessionid=", "cfid=", "/(" + "a" * 24 + ")", "%2e/", "//", "\\", "sid=", "xn--", "é"):
        yield f"link of {unit!r}", filled(unit, size)


def some(items: list[Any], count: int, seed: int) -> list[Any]:
    """Return a sample, or all of it."""
    return items if count >= len(items) else random.Random(seed).sample(items, count)
