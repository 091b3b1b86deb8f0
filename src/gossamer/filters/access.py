"""Which rules of requests hold for a URL. All that match count; of two that say the same thing, the first.

What is secret goes by a stricter reading of a rule's patterns: over https to its usual port, where the pattern names no other
scheme or port. So no password leaves in the clear, or for another service of a host, unless somebody wrote just that.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from gossamer.errors import ConfigError
from gossamer.filters.patterns import Hosts
from gossamer.records.access import Access, Proxy
from gossamer.records.visit import Cookie
from gossamer.url.normalize import DEFAULT_PORTS
from gossamer.url.parse import Url, split

SCHEMES = ("http", "https")
EVERYWHERE = "*"
MOST_ORIGINS = 65_536  # whose access is remembered
_PORT = re.compile(r":[0-9]+$")


class Reach:
    """The origins that the patterns of a rule take in."""

    def __init__(self, patterns: Iterable[str], name: str, *, is_strict: bool) -> None:
        self._by_scheme = {scheme: Hosts((), name) for scheme in SCHEMES}
        self._everywhere: set[str] = set()
        for pattern in patterns:
            scheme, mark, host = pattern.rpartition("://")
            if mark and scheme not in SCHEMES:
                raise ConfigError(
                    f"{name}: {pattern!r} has a scheme other than http and https; leave it out, or write one of these"
                )
            for each in (scheme,) if mark else SCHEMES[is_strict:]:
                self._add(each, host, name, is_strict)

    def _add(self, scheme: str, host: str, name: str, is_strict: bool) -> None:
        if host == EVERYWHERE:
            self._everywhere.add(scheme)
            return
        if is_strict and not _PORT.search(host):
            host = f"{host}:{DEFAULT_PORTS[scheme]}"
        self._by_scheme[scheme].add(host, name)

    @property
    def is_everywhere(self) -> bool:
        """Tell whether there is no bound."""
        return bool(self._everywhere)

    def __contains__(self, url: Url) -> bool:
        return url.scheme in self._everywhere or bool(self._by_scheme[url.scheme].match(url))


class AccessRule(Struct, frozen=True):
    """One rule: where it holds, where its secrets do, and what it says."""

    reach: Reach
    secret_reach: Reach
    access: Access
    refuses_proxy: bool = False  # there is none for its hosts, whatever later rules say


class AccessRules:
    """All rules of requests of a crawl."""

    def __init__(self, rules: Sequence[AccessRule]) -> None:
        self._rules = rules
        self._known: dict[str, Access | None] = {}

    @property
    def keeps_cookies(self) -> bool:
        """Tell whether any host has a jar."""
        return any(rule.access.keeps_cookies for rule in self._rules)

    def of(self, wire: str) -> Access | None:
        """Return what a URL is asked with; None: as if there were no rules."""
        origin = wire[: wire.find("/", 8) + 1]
        try:
            return self._known[origin]
        except KeyError:
            if len(self._known) >= MOST_ORIGINS:
                self._known.clear()
            access = self._known[origin] = self._merge(split(origin)) if origin.startswith(("http:", "https:")) else None
            return access

    def _merge(self, url: Url) -> Access | None:
        holding = [rule for rule in self._rules if url in rule.reach]
        if not holding:
            return None
        headers: dict[str, tuple[str, str]] = {}
        secrets: dict[str, tuple[str, str]] = {}
        for rule in holding:
            trusted = rule.access.secrets if url in rule.secret_reach else ()
            for pairs, into in ((rule.access.headers, headers), (trusted, secrets)):
                for name, value in pairs:
                    if name.lower() not in headers and name.lower() not in secrets:
                        into[name.lower()] = (name, value)
        certificates = [rule.access.certificate for rule in holding if rule.access.certificate and url in rule.secret_reach]
        return Access(
            headers=tuple(headers.values()),
            secrets=tuple(secrets.values()),  # type: ignore[arg-type]
            certificate=certificates[0] if certificates else None,
            proxy=_first_proxy(holding),
            keeps_cookies=any(rule.access.keeps_cookies for rule in holding),
            cookies=_first_cookies(holding),
        )


def _first_proxy(rules: Iterable[AccessRule]) -> Proxy | None:
    for rule in rules:
        if rule.access.proxy is not None or rule.refuses_proxy:
            return rule.access.proxy
    return None


def _first_cookies(rules: Iterable[AccessRule]) -> tuple[Cookie, ...]:
    return next((rule.access.cookies for rule in rules if rule.access.cookies), ())
