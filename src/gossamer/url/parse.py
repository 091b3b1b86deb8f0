"""Text to URL: what a page, a seed or a header wrote becomes the URL that is requested.

The parser is the WHATWG URL standard's (https://url.spec.whatwg.org/), by the Rust crate `url`: tabs and line ends inside are
dropped, backslashes are slashes, hosts go through IDNA, odd spellings of addresses become the usual one, dot segments are
resolved, default ports vanish. A broken percent-encoding is kept as it is. On top of it, ours:

- The wire URL has no fragment (it never leaves the browser) and no user name and password (a link that carries them would
  make us log in as somebody; the standard leaves what to do with them to the client).
- Any number of slashes before a host counts as two in a relative URL as well (`///host`), as the standard says and the crate
  does not yet.
- `^` in a path is encoded, as the standard says since 2024 and the crate does not yet.
- A lone surrogate, which no encoding can carry, becomes U+FFFD, as the standard's "scalar value string" does.

Known to differ from the standard, for `file:` only: runs of slashes at the start of the path are one slash, and drive letters
(`C|`, `/C:` against a base with a host) are left alone. On the systems we run on neither names another file.

Invariants: `parse(url.wire) == url` but for the fragment; `split(wire) == parse(wire)` for every wire URL.
"""

import re
from codecs import lookup
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from msgspec import Struct
from url import (
    URL,
    EmptyHost,
    IdnaError,
    InvalidDomainCharacter,
    InvalidIPv4Address,
    InvalidIPv6Address,
    InvalidPort,
    RelativeURLWithCannotBeABaseBase,
    RelativeURLWithoutBase,
    URLError,
)

from gossamer.compiled import optional
from gossamer.errors import UrlError

REASONS: dict[type[URLError], str] = {
    EmptyHost: "it names no host",
    IdnaError: "no host name looks like that",
    InvalidDomainCharacter: "its host has a character that no host name may have",
    InvalidIPv4Address: "its host is a number that is no IPv4 address",
    InvalidIPv6Address: "its host in brackets is no IPv6 address",
    InvalidPort: "its port is not a number from 0 to 65535",
    RelativeURLWithoutBase: "it has no scheme; write it with one, such as https://",
    RelativeURLWithCannotBeABaseBase: "it is relative, and nothing can be relative to its base",
}
HTTP = ("http://", "https://")
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
MORE_THAN_TWO_SLASHES = re.compile(r"[\x00-\x20]*[/\\](?:[\t\n\r]*[/\\]){2,}[\t\n\r]*")
IGNORE_SLASHES = frozenset(("http", "https", "ftp", "ws", "wss"))  # the standard's special schemes but file
SHOWN = 100  # characters of a text that an error message repeats
LOGIN = re.compile(  # what stands before a host
    r"^([\x00-\x20]*+(?!(?i:mailto|file|javascript):)(?:[A-Za-z][A-Za-z0-9+.-]*+:)?[/\\\x00-\x20]*+)(?:[^/\\?#@]*+@)++"
)

_quick = optional("gossamer.url._join")


class Url(Struct, frozen=True):
    """A parsed URL; all parts are as they stand in the wire URL, percent-encoding and all."""

    wire: str  # what is requested
    scheme: str
    host: str  # lower case, ASCII, IPv6 without brackets; empty when there is none
    port: int | None  # None: the scheme's default
    path: str
    query: str | None  # None: no question mark
    fragment: str = ""

    @property
    def origin(self) -> str:
        """Return scheme, host and port as they begin the wire URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" if self.port is None else f"{self.scheme}://{host}:{self.port}"


class Found(Protocol):
    """A link: to where, and whether every place that names it says nofollow."""

    @property
    def kind(self) -> Any: ...

    @property
    def nofollow(self) -> bool: ...


Kind = TypeVar("Kind")
Made = TypeVar("Made", bound=Found)


class Base:
    """The URL that a document's links are relative to.

    `charset` is the document's: browsers encode the query of a link in it (never the path). Raises UrlError for what is no URL.
    """

    __slots__ = ("_charset", "_ends", "_parsed", "_text")

    def __init__(self, url: str, charset: str = "utf-8") -> None:
        self._parsed: URL | None = None
        self._text = url
        self._ends = None if _quick is None else _quick.ends_of(url)  # where its parts end; None: links are joined in full
        self._charset = _legacy(charset)
        if self._ends is None or not _is_usual(url[: self._ends[0]]):
            self._parsed = _parse(url, None)
            self._text = str(self._parsed).partition("#")[0]
            self._ends = _ends(self._text)

    @property
    def _url(self) -> URL:
        """The parsed base: most pages have no link that needs it."""
        if self._parsed is None:
            self._parsed = _parse(self._text, None)
        return self._parsed

    def join(self, href: str) -> str | None:
        """Return the absolute wire URL, or None for what is no URL or has nothing to fetch (`mailto:`, `javascript:`)."""
        return self.join_all([href])[0]

    def join_all(self, hrefs: list[str]) -> list[str | None]:
        """Do the same for all links of a page."""
        if _quick is None or self._ends is None:
            return [self.join_fully(href) for href in hrefs]
        urls: list[str | None] = _quick.join_all(self._text, *self._ends, hrefs)
        if None in urls:
            return [self.join_fully(href) if url is None else url for href, url in zip(hrefs, urls, strict=True)]
        return urls

    def gather(self, ways: dict[str, tuple[Kind, bool]], most: int, make: Callable[[str, Kind, bool], Made]) -> dict[str, Made]:
        """Join the first links of a page, given by kind and nofollow as they are written, and make something of each URL.

        Of two places that name the same URL the first says its kind; it is nofollow only when all are.
        """
        made: dict[str, Made] = {}
        if _quick is not None and self._ends is not None:
            made = _quick.gather(self._text, *self._ends, ways, most, self.join_fully, make)
            return made
        for href, (kind, nofollow) in islice(ways.items(), most):
            url = self.join_fully(href)
            if url is None:
                continue
            known = made.get(url)
            if known is None:
                made[url] = make(url, kind, nofollow)
            elif known.nofollow and not nofollow:
                made[url] = make(url, known.kind, False)
        return made

    def join_fully(self, href: str) -> str | None:
        """Do the same by all the rules of the standard, plain as the link may be."""
        if self._charset and not href.isascii():
            href = _encode_query(href, self._charset)
        try:
            joined = self._url.join(href)
        except (URLError, UnicodeEncodeError):
            try:
                joined = _join(self._url, href)
            except URLError:
                return None
        text = str(joined)
        if "#" in text:
            text = text[: text.index("#")]
        if text.startswith(HTTP) and "@" not in text and "^" not in text:
            return text  # nothing to mend in nearly every link
        return None if joined.cannot_be_a_base else _wire(joined)


def parse(text: str, base: str | None = None) -> Url:
    """Parse a text, relative to `base` if given; raise UrlError when it is no URL."""
    parsed = _parse(text, None if base is None else _parse(base, None))
    path = parsed.path
    if parsed.cannot_be_a_base:
        path = path.rstrip(" ") if parsed.query is None else path  # spaces that only the fragment kept
    elif "^" in path:
        path = path.replace("^", "%5E")
    host = (parsed.host_str or "").strip("[]").lower()
    return Url(_wire(parsed), parsed.scheme, host, parsed.port, path, parsed.query, parsed.fragment or "")


def split(wire: str) -> Url:
    """Take a wire URL apart that `parse` or `Base.join` made: half the price of `parse`, but nothing is checked again."""
    start = wire.find("/", 8)
    if start < 0 or not wire.startswith(HTTP):
        return parse(wire)
    scheme, host, port = _authority(wire[:start])
    mark = wire.find("?", start)
    if mark < 0:
        return Url(wire, scheme, host, port, wire[start:], None)
    return Url(wire, scheme, host, port, wire[start:mark], wire[mark + 1 :])


def login_of(text: str) -> tuple[str, str] | None:
    """Return user name and password that stand in a URL; None: it has none."""
    if "@" not in text:
        return None
    parsed = _parse(text, None)
    if not parsed.username and not parsed.password:
        return None
    return unquote(parsed.username), unquote(parsed.password or "")


def without_login(text: str) -> str:
    """Return a text that may be a URL without the user name and password in it."""
    return LOGIN.sub(r"\1", text)


def shown(text: str) -> str:
    """Quote a text for a message: shortened, without a password, and nothing in it can move the cursor or forge a line."""
    text = LOGIN.sub(r"\1***@", text)
    short = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short) + "'"


def _parse(text: str, base: URL | None) -> URL:
    try:
        return URL.parse(text) if base is None else _join(base, text)
    except URLError as error:
        raise UrlError(f"{shown(text)} is no URL: {REASONS.get(type(error), str(error))}") from None
    except UnicodeEncodeError:
        return _parse(_scalar(text), base)


@lru_cache(maxsize=65536)
def _is_usual(origin: str) -> bool:
    """Tell whether an origin is written as the parser would write it."""
    try:
        return "@" not in origin and str(URL.parse(origin)) == f"{origin}/"
    except URLError:
        return False


def _ends(base: str) -> tuple[int, int, int] | None:
    """Return where origin, directory and path of a base end, with which plain links are joined; None: not with this one."""
    if _quick is None or not base.startswith(HTTP) or "@" in base or "^" in base:
        return None
    path, origin = base.partition("?")[0], base.index("/", 8)
    return origin, path.rindex("/") + 1, len(path)


def _join(base: URL, text: str) -> URL:
    try:
        return base.join(text)
    except UnicodeEncodeError:
        return _join(base, _scalar(text))
    except EmptyHost:
        slashes = MORE_THAN_TWO_SLASHES.match(text)
        if slashes is None or base.scheme not in IGNORE_SLASHES:
            raise
        return base.join("//" + text[slashes.end() :])


def _wire(parsed: URL) -> str:
    text = str(parsed)
    if "@" in text and (parsed.username or parsed.password is not None):
        text = str(parsed.with_username("").with_password(None))
    text = text.partition("#")[0]
    if parsed.cannot_be_a_base:
        return text.rstrip(" ")
    if "^" in text:
        path, mark, query = text.partition("?")
        text = path.replace("^", "%5E") + mark + query
    return text


@lru_cache(maxsize=65536)
def _authority(origin: str) -> tuple[str, str, int | None]:
    parsed = parse(origin)
    return parsed.scheme, parsed.host, parsed.port


def _scalar(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@lru_cache(maxsize=256)
def _legacy(charset: str) -> str:
    """Return the codec that queries are encoded in, or nothing when that is UTF-8 (as it is for UTF-16 and the unknown)."""
    try:
        name = lookup(charset).name
        "a".encode(name)
    except (LookupError, ValueError):
        return ""
    if name.startswith("utf"):
        return ""
    return "cp1252" if name in ("ascii", "iso8859-1") else name  # the labels' meaning by the Encoding standard


def _encode_query(href: str, codec: str) -> str:
    rest, hash_mark, fragment = href.partition("#")
    path, mark, query = rest.partition("?")
    query = NOT_ASCII.sub(lambda found: _encode_character(found[0], codec), query)
    return path + mark + query + hash_mark + fragment


def _encode_character(character: str, codec: str) -> str:
    try:
        return "".join(f"%{byte:02X}" for byte in character.encode(codec))
    except UnicodeError:
        return f"%26%23{ord(character)}%3B"  # "&#8364;", as a form would send what its charset lacks
