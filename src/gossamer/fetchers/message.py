"""HTTP/1.1 messages as bytes: the request head we send, the response head we got.

The request is composed whole, so that the archive holds exactly what went out, but for the values of secret headers, in whose
place a mark stands (docs/decisions/0043). The response head is kept as it arrived and is never written anew. Credentials in a
URL are not sent. Follows RFC 9112; reads what browsers read.
"""

import re
from base64 import b64encode
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from gossamer.errors import UrlError, UsageError
from gossamer.records.access import MARK, Proxy, Secret
from gossamer.records.fetch import Request

_DEFAULT_PORTS = {"http": 80, "https": 443}
# The wire form of a URL is visible ASCII. Ranges say what may be: a set of all that may not takes 10 ms to compile.
_BEGINNING = re.compile(
    r"((?i:https?))://(?:[!-\"$-.0->@-~]*@)?"
    r"((\[[0-9A-Fa-f:.]+\]|[!-\"$-.0-9;->A-Z\\^-~]+)(?::([0-9]{1,5}))?)"
)
_NUMBER = re.compile(r"(?:.*\.)?(?:0[xX][0-9A-Fa-f]*|[0-9]+)")
_PATH = re.compile(r"([!-\"$-~]*)(?:#.*)?")
_SHORTEST = len("http://a")  # a path begins behind it
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CODINGS = "gzip, deflate, br, zstd"


class Target(Struct, frozen=True):
    """Where a request goes."""

    host: str  # without brackets and without the dot that may end a name
    port: int
    origin: str  # what the connection is made to
    authority: str  # for the Host header
    is_number: bool  # the host looks like an address
    path: str  # with the query

    @property
    def is_plain(self) -> bool:
        """Tell whether it goes in the clear."""
        return self.origin.startswith("http:")


class Head(Struct, frozen=True):
    """The head of an answer: its bytes, and what they say."""

    raw: bytes
    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case
    chunked: bool  # the body behind it was read as chunks


def target_of(url: str) -> Target:
    """Take an http or https URL apart; it is in its wire form already."""
    slash = url.find("/", _SHORTEST)
    place = _place_of(url[:slash]) if slash > 0 else None
    match = _PATH.fullmatch(url, slash) if place is not None else None
    if place is None or match is None:  # no path, or no URL
        beginning = _BEGINNING.match(url)
        place = _place_of(beginning[0]) if beginning is not None else None
        match = _PATH.fullmatch(url, beginning.end()) if beginning is not None else None
    if place is None or match is None:
        raise UrlError(f"{url!r} is no http or https URL; give one like https://example.org/")
    path = match[1]
    return Target(*place, path if path.startswith("/") else "/" + path)


@lru_cache(maxsize=8_192)
def _place_of(beginning: str) -> tuple[str, int, str, str, bool] | None:
    """Read a URL up to its path, into all but the last of a target; None: it is none."""
    match = _BEGINNING.fullmatch(beginning)
    if match is None:
        return None
    scheme, authority, host, port = match.groups()
    scheme = scheme.lower()
    host = host.rstrip(".")
    number = int(port) if port else _DEFAULT_PORTS[scheme]
    name = host.strip("[]")
    return name, number, f"{scheme}://{host}:{number}/", authority, _NUMBER.fullmatch(name) is not None


@lru_cache(maxsize=64)
def _standing_lines(user_agent: str, headers: tuple[tuple[str, str], ...]) -> tuple[bytes, ...]:
    """Compose the header lines that are the same for every host; a caller's header takes the place of ours."""
    given = {name.lower() for name, _ in headers}
    ours = (("User-Agent", user_agent), ("Accept", _ACCEPT), ("Accept-Encoding", _CODINGS))
    pairs = [pair for pair in ours if pair[0].lower() not in given] + [pair for pair in headers if pair[1]]
    for name, value in pairs:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value):
            raise UsageError(f"the request header {name!r} holds a character that no header may hold; remove it")
    return tuple(f"{name}: {value}".encode() for name, value in pairs)


@lru_cache(maxsize=64)
def _standing_part(user_agent: str, headers: tuple[tuple[str, str], ...]) -> str:
    """Compose the part of a request that is the same for every host."""
    return "".join(f"\r\n{line.decode()}" for line in _standing_lines(user_agent, headers)) + "\r\n\r\n"


def login_of(proxy: Proxy) -> tuple[tuple[str, Secret], ...]:
    """Return the header with which we log in at an HTTP proxy, if it asks for it."""
    if not proxy.user:
        return ()
    pair = b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
    return (("Proxy-Authorization", Secret(f"Basic {pair}")),)


def asked_of(proxy: Proxy, request: Request, target: Target) -> tuple[Request, Target]:
    """Return what a proxy is asked for that fetches the URL itself (RFC 9112 section 3.2.2)."""
    whole = replace(target, path=f"http://{target.authority}{target.path}")
    return replace(request, secrets=request.secrets + login_of(proxy)), whole


def request_head(request: Request, target: Target) -> bytes:
    """Return the bytes of a GET request; the values of its secrets are marked."""
    headers = request.headers
    if request.secrets:
        headers += tuple([(name, MARK) for name, _ in request.secrets])
    standing = _standing_part(request.user_agent, headers)
    return f"GET {target.path} HTTP/1.1\r\nHost: {target.authority}{standing}".encode()


def secret_head(request: Request, target: Target) -> bytes:
    """Return the bytes of a GET request as it is sent, secrets and all."""
    return request_head(replace(request, headers=request.headers + request.secrets, secrets=()), target)
