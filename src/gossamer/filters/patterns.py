"""Lists of hosts, URL prefixes and regular expressions, one pattern a line, as operators keep them in files.

    # a comment
    example.org              this host, whatever the port
    example.org:8080         only what answers there on this port
    *.example.org            every subdomain of it (the domain itself needs a line of its own)
    https://example.org/dir/ every URL that begins so
    /[?&]sort=/              every URL in which this regular expression is found

Reading the file is done elsewhere; this is pure. Hosts and prefixes are looked up, not searched, so a list may have
hundreds of thousands of them. Regular expressions are tried one by one.
"""

import re
from collections.abc import Iterable

from gossamer.errors import ConfigError, UrlError
from gossamer.url.normalize import DEFAULT_PORTS
from gossamer.url.parse import Url, parse

FOREIGN_TO_HOSTS = re.compile(r"[/\\?#@*]|:$")  # the rest of a URL, a star in the middle, a port that is missing
ANY = 0  # port of a pattern that names none
Name = tuple[str, int]  # host and port


class Hosts:
    """A set of host names, and of domains with all their subdomains (`*.example.org`); each may name one port of theirs."""

    def __init__(self, patterns: Iterable[str], name: str) -> None:
        self._exact: dict[Name, str] = {}
        self._parents: dict[Name, str] = {}
        for pattern in patterns:
            self.add(pattern, name)

    def add(self, pattern: str, name: str) -> None:
        """Take in one pattern; raise ConfigError, beginning with `name`, when it is none."""
        if pattern.startswith("*."):
            self._parents[_host(pattern[2:], pattern, name)] = pattern
        else:
            self._exact[_host(pattern, pattern, name)] = pattern

    def match(self, url: Url) -> str:
        """Return the pattern that the URL's host is in, or nothing."""
        host, port = url.host, port_of(url)
        found = self._exact.get((host, ANY)) or self._exact.get((host, port), "")
        if found or not self._parents:
            return found
        rest = host
        while rest := rest.partition(".")[2]:
            if found := self._parents.get((rest, ANY)) or self._parents.get((rest, port), ""):
                return found
        return ""

    def __bool__(self) -> bool:
        return bool(self._exact or self._parents)


class Prefixes:
    """URL prefixes, found by the host they begin with."""

    def __init__(self, prefixes: Iterable[str], name: str) -> None:
        self._by_origin: dict[str, list[tuple[str, str]]] = {}
        for prefix in prefixes:
            self.add(prefix, name)

    def add(self, prefix: str, name: str) -> None:
        """Take in one prefix; raise ConfigError, beginning with `name`, when it is no URL."""
        try:
            url = parse(prefix)
        except UrlError as error:
            raise ConfigError(f"{name}: {error}") from None
        if "*" in url.host:
            raise ConfigError(f"{name}: {prefix!r} has a star in its host; write *.example.org alone, or a regular expression")
        self._by_origin.setdefault(url.origin, []).append((url.wire, prefix))

    def match(self, url: Url) -> str:
        """Return the prefix that the URL begins with, or nothing."""
        wire = url.wire
        return next((prefix for start, prefix in self._by_origin.get(url.origin, ()) if wire.startswith(start)), "")

    def __bool__(self) -> bool:
        return bool(self._by_origin)


class Patterns:
    """One list: a URL matches when any line does."""

    def __init__(self, hosts: Hosts, prefixes: Prefixes, expressions: list[tuple[re.Pattern[str], str]]) -> None:
        self._hosts = hosts
        self._prefixes = prefixes
        self._expressions = expressions

    @classmethod
    def parse(cls, lines: Iterable[str], name: str) -> "Patterns":
        """Read the lines of the list called `name`; raise ConfigError that names the first bad line."""
        hosts, prefixes = Hosts((), name), Prefixes((), name)
        expressions: list[tuple[re.Pattern[str], str]] = []
        for number, text in enumerate(lines, start=1):
            line, where = text.strip().removeprefix("\ufeff"), f"{name}, line {number}"
            if not line or line.startswith("#"):
                continue
            if len(line) > 2 and line[0] == line[-1] == "/":
                expressions.append((compile_expression(line[1:-1], where), line))
            elif "://" in line:
                prefixes.add(line, where)
            else:
                hosts.add(line, where)
        return cls(hosts, prefixes, expressions)

    def match(self, url: Url) -> str:
        """Return the line that matches the URL, or nothing."""
        return self._hosts.match(url) or self._prefixes.match(url) or search(self._expressions, url.wire)


def compile_expression(text: str, name: str) -> re.Pattern[str]:
    """Compile a regular expression; raise ConfigError, beginning with `name`, when it is none."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(f"{name}: {text!r} is no regular expression: {error}") from None


def search(expressions: Iterable[tuple[re.Pattern[str], str]], text: str) -> str:
    """Return the source of the first expression that is found in the text, or nothing."""
    return next((source for expression, source in expressions if expression.search(text)), "")


def port_of(url: Url) -> int:
    """Return the port that is asked, the scheme's own when the URL names none."""
    return DEFAULT_PORTS.get(url.scheme, ANY) if url.port is None else url.port


def _host(text: str, pattern: str, name: str) -> Name:
    try:
        url = None if FOREIGN_TO_HOSTS.search(text) else parse(f"http://{text}/")
    except UrlError:
        url = None
    if url is None or not url.host:
        raise ConfigError(
            f"{name}: {pattern!r} is no host; write a name such as example.org, example.org:8080 or *.example.org"
        )
    return url.host, port_of(url) if re.search(r":[0-9]+$", text) else ANY
