"""Cookies: which of them a host may set, which go with a request, and what is kept of them. Follows RFC 6265.

A crawler is nobody's visitor: cookies are carried along a chain of redirects, because some sites answer only those who bring
back what they were given on the way, and forgotten at its end. A jar keeps them longer, for hosts whose operator asks for it
(`cookies` of a rule of requests); it may begin with what a browser exported. Either way a cookie goes only where the host that
set it may send it, and what hosts may make us carry is bounded.
"""

import re
from collections.abc import Iterable

from gossamer.policy.cookiedate import seconds_of
from gossamer.records.visit import Chain, Cookie
from gossamer.url.host import is_ip, is_public_suffix
from gossamer.url.parse import Url, split

MOST = 20  # cookies of a chain
MOST_KEPT = 50  # cookies of a domain in a jar
LONGEST = 4096  # characters of one
LARGEST_JAR = 32 * 1024  # characters of all cookies of a domain
LONGEST_HEADER = 8000  # characters of all that go with a request; servers refuse longer ones
OVER = 0.0  # when a cookie ends that is taken away
_MAX_AGE = re.compile(r"-?[0-9]{1,12}")
_COLUMNS = 7  # of a line of cookies.txt


def carried(chain: Chain | None, wire: str, set_cookies: list[str], max_redirects: int, now: float) -> Chain | None:
    """Return what is carried on after a redirect that a URL answered with; None: nothing, or it was carried far enough."""
    before = chain or Chain()
    cookies = _merged(before.cookies, received(wire, set_cookies, now), now)[-MOST:]
    return Chain(cookies, before.hops + 1) if cookies and before.hops < max_redirects else None


def header(cookies: Iterable[Cookie], wire: str, now: float) -> tuple[tuple[str, str], ...]:
    """Return the header, if there is one to send with a request for a URL; of two alike the last cookie counts."""
    url = split(wire)
    going = {_place(cookie): cookie for cookie in cookies if _goes_to(cookie, url) and not _is_over(cookie, now)}
    pairs, room = [], LONGEST_HEADER
    for cookie in sorted(going.values(), key=lambda one: -len(one.path)):
        pair = f"{cookie.name}={cookie.value}"
        room -= len(pair) + len("; ")
        if room >= 0:
            pairs.append(pair)
    return (("Cookie", "; ".join(pairs)),) if pairs else ()


def received(wire: str, set_cookies: Iterable[str], now: float) -> tuple[Cookie, ...]:
    """Return the cookies that a URL's answer sets; one that is over takes another away."""
    url = split(wire)
    return tuple([cookie for text in set_cookies if (cookie := _read(text, url, now)) is not None])


def kept(jar: tuple[Cookie, ...], news: Iterable[Cookie], now: float) -> tuple[Cookie, ...]:
    """Return the jar of a domain after it was given some cookies; of too many the newest are kept."""
    newest, room = [], LARGEST_JAR
    for cookie in reversed(_merged(jar, news, now)[-MOST_KEPT:]):
        room -= len(cookie.name) + len(cookie.value) + len(cookie.path)
        if room >= 0:
            newest.append(cookie)
    return tuple(reversed(newest))


def exported(text: str) -> tuple[Cookie, ...]:
    """Read a cookies.txt as browsers and curl write it; raise ValueError, which shows no cookie."""
    cookies = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.removeprefix("#HttpOnly_")
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS or not columns[4].isdigit() or not _is_sound(f"{columns[5]}={columns[6]}"):
            raise ValueError(f"line {number} is no cookie; export them as cookies.txt, seven columns with tabs between them")
        domain, shared, path, secure, ends, name, value = columns
        host = domain.removeprefix(".").lower()
        if is_public_suffix(host) and shared == "TRUE":
            raise ValueError(f"line {number} is a cookie for all of {host}, which is no site")
        cookies.append(Cookie(name, value, host, path, secure == "TRUE", shared == "TRUE", float(ends) or None))
    return tuple(cookies)


def _read(text: str, url: Url, now: float) -> Cookie | None:
    """Read a Set-Cookie header (sections 5.2 and 5.3); None: it sets nothing."""
    pair, *attributes = [part.strip() for part in text.split(";")]
    name, _, value = (part.strip() for part in pair.partition("="))
    if not _is_sound(pair):
        return None
    said = {}
    for attribute in attributes:  # of two alike the last counts
        word, _, worth = attribute.partition("=")
        said[word.strip().lower()] = worth.strip()
    domain = said.get("domain", "").removeprefix(".").lower()
    if domain and not _may_speak_for(url.host, domain):
        return None
    path = said.get("path", "")
    return Cookie(
        name,
        value,
        domain or url.host,
        path if path.startswith("/") else _directory(url.path),
        "secure" in said,
        bool(domain) and not is_public_suffix(domain) and not is_ip(domain),
        _end(said, now),
    )


def _is_sound(pair: str) -> bool:
    return pair.find("=") > 0 and len(pair) <= LONGEST and pair.isascii() and pair.isprintable() and ";" not in pair


def _end(said: dict[str, str], now: float) -> float | None:
    """Return when a cookie ends; None: never."""
    if _MAX_AGE.fullmatch(age := said.get("max-age", "")):
        return now + int(age) if int(age) > 0 else OVER
    return seconds_of(said["expires"]) if "expires" in said else None


def _may_speak_for(host: str, domain: str) -> bool:
    """Tell whether a host may set cookies for a domain: its own, and no public suffix but itself."""
    if host == domain:
        return True
    return host.endswith(f".{domain}") and not is_ip(host) and not is_public_suffix(domain)


def _merged(cookies: tuple[Cookie, ...], news: Iterable[Cookie], now: float) -> tuple[Cookie, ...]:
    by_place = {_place(cookie): cookie for cookie in cookies}
    for cookie in news:
        by_place.pop(_place(cookie), None)
        by_place[_place(cookie)] = cookie
    return tuple([cookie for cookie in by_place.values() if not _is_over(cookie, now)])


def _place(cookie: Cookie) -> tuple[str, str, str]:
    return cookie.name, cookie.host, cookie.path


def _is_over(cookie: Cookie, now: float) -> bool:
    return cookie.ends is not None and cookie.ends <= now


def _goes_to(cookie: Cookie, url: Url) -> bool:
    is_its_host = url.host == cookie.host or (cookie.is_shared and url.host.endswith(f".{cookie.host}"))
    below = url.path == cookie.path or url.path.startswith(cookie.path.rstrip("/") + "/")
    return is_its_host and below and (url.scheme == "https" or not cookie.secure)


def _directory(path: str) -> str:
    return path[: path.rfind("/")] or "/"
