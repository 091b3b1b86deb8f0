"""Cookies of a chain of redirects: some sites answer only those who bring back what they were given on the way.

A crawler is nobody's visitor: cookies are carried along a chain, to the host that set them, and forgotten at its end. Which
cookie goes with which request is RFC 6265 (sections 5.2 to 5.4) as far as that matters within a chain: domains are left alone
(a cookie is its host's), dates too, except that one which is already over takes a cookie away. What a host may make us carry is
bounded.
"""

from gossamer.records.visit import Chain, Cookie
from gossamer.url.parse import Url, split

MOST = 20  # cookies of a chain
LONGEST = 4096  # characters of one
OVER = ("max-age=0", "max-age=-", "expires=thu, 01 jan 1970", "expires=thu, 01-jan-1970")  # how sites take a cookie away


def carried(chain: Chain | None, wire: str, set_cookies: list[str], max_redirects: int) -> Chain | None:
    """Return what is carried on after a redirect that a URL answered with; None: nothing, or it was carried far enough."""
    before = chain or Chain()
    cookies = before.cookies
    for text in set_cookies:
        cookies = _with(cookies, text, split(wire))
    return Chain(cookies, before.hops + 1) if cookies and before.hops < max_redirects else None


def header(chain: Chain | None, wire: str) -> tuple[tuple[str, str], ...]:
    """Return the header, if there is one to send with a request for a URL."""
    if chain is None:
        return ()
    url = split(wire)
    pairs = [f"{cookie.name}={cookie.value}" for cookie in chain.cookies if _goes_to(cookie, url)]
    return (("Cookie", "; ".join(pairs)),) if pairs else ()


def _with(cookies: tuple[Cookie, ...], text: str, url: Url) -> tuple[Cookie, ...]:
    """Add what a Set-Cookie header sets, or take away what it takes away."""
    pair, *attributes = [part.strip() for part in text.split(";")]
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not equals or not name or len(pair) > LONGEST or not pair.isascii() or not pair.isprintable():
        return cookies
    path, secure, is_over = _directory(url.path), False, False
    for attribute in attributes:
        word = attribute.lower()
        if word.startswith("path=/"):
            path = attribute[len("path=") :]
        secure = secure or word == "secure"
        is_over = is_over or word.startswith(OVER)
    cookie = Cookie(name, value, url.host, path, secure)
    place = (name, url.host, path)
    others = tuple([other for other in cookies if (other.name, other.host, other.path) != place])
    return others if is_over else (*others, cookie)[-MOST:]


def _goes_to(cookie: Cookie, url: Url) -> bool:
    below = url.path == cookie.path or url.path.startswith(cookie.path.rstrip("/") + "/")
    return url.host == cookie.host and below and (url.scheme == "https" or not cookie.secure)


def _directory(path: str) -> str:
    return path[: path.rfind("/")] or "/"
