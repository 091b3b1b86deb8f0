"""Lists of hosts, URL prefixes and regular expressions, one pattern a line, as operators keep them in files.

    # a comment
    example.org              this host, whatever the port
    example.org:8080         only what answers there on this port
    *.example.org            every subdomain of it (the domain itself needs a line of its own)
    https://example.org/dir/ every URL that begins so
    /[?&]sort=/              every URL in which this regular expression is found

Reading the file is done elsewhere; this is pure. Hosts and prefixes are looked up, not searched, so a list may have
hundreds of thousands of them. Regular expressions are searched for all at once by RE2, in time linear in the URL whoever wrote
either of the two (docs/decisions/0021).
"""

import re
from collections.abc import Iterable
from typing import Any

from gossamer.errors import ConfigError, UrlError
from gossamer.url.normalize import DEFAULT_PORTS
from gossamer.url.parse import Url, parse

FOREIGN_TO_HOSTS = re.compile(r"[/\\?#@*]|:$")  # the rest of a URL, a star in the middle, a port that is missing
HOST = re.compile(r"[\w.:-]+")  # a URL may have more in its host; in a list, more is an expression that lacks its slashes
MOST_MEMORY = 64 * 1024 * 1024  # bytes for all expressions of a list
ANY = 0  # port of a pattern that names none
Name = tuple[str, int]  # host and port

_BEYOND = re.compile(r"\(\?<?[=!]|\\[1-9Z]|\(\?P=|\(\?>|[*+?}]\+")  # what `re` can do and RE2 cannot, in time that has no bound
_REMEDY = (
    "look-around, back-references, possessive and atomic groups are not there, because no URL may hold a crawl up: "
    "write what is wanted in scope.allow and what is not in scope.block, and $ for \\Z"
)


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


class Expressions:
    """Regular expressions that are searched for together; ConfigError, beginning with `name`, is raised for a bad one."""

    def __init__(self, expressions: Iterable[str], name: str) -> None:
        self._name = name
        self._sources: list[str] = []
        self._set: Any = None
        for expression in expressions:
            self.add(expression, expression, name)
        self.compile()

    def add(self, expression: str, source: str, name: str) -> None:
        """Take in one expression and the text it is reported by; `compile` makes it count."""
        compiled(expression, name)
        self._set = self._set or _new_set()
        self._set.Add(expression)
        self._sources.append(source)

    def compile(self) -> None:
        """Make ready what was taken in; nothing is added afterwards."""
        if self._set is None:
            return
        self._set.Add("")  # is found in every text: a search that gave up for lack of memory finds not even this
        if not _is_ready(self._set):
            raise ConfigError(f"{self._name}: the regular expressions are too large together; write fewer or shorter ones")

    def match(self, url: Url) -> str:
        """Return the source of the first expression that is found in the URL, or nothing."""
        if self._set is None:
            return ""
        first = min(self._set.Match(url.wire))
        return self._sources[first] if first < len(self._sources) else ""

    def __bool__(self) -> bool:
        return self._set is not None


class Patterns:
    """One list: a URL matches when any line does."""

    def __init__(self, hosts: Hosts, prefixes: Prefixes, expressions: Expressions) -> None:
        self._hosts = hosts
        self._prefixes = prefixes
        self._expressions = expressions

    @classmethod
    def parse(cls, lines: Iterable[str], name: str) -> "Patterns":
        """Read the lines of the list called `name`; raise ConfigError that names the first bad line."""
        return cls.join([(name, lines)])

    @classmethod
    def join(cls, lists: Iterable[tuple[str, Iterable[str]]]) -> "Patterns":
        """Read several lists, each with its name, as one."""
        lists = list(lists)
        name = ", ".join(each for each, _ in lists)
        hosts, prefixes, expressions = Hosts((), name), Prefixes((), name), Expressions((), name)
        for where, line in [pair for each, lines in lists for pair in written_lines(lines, each)]:
            if len(line) > 2 and line[0] == line[-1] == "/":
                expressions.add(line[1:-1], line, where)
            elif "://" in line:
                prefixes.add(line, where)
            else:
                hosts.add(line, where)
        expressions.compile()
        return cls(hosts, prefixes, expressions)

    def match(self, url: Url) -> str:
        """Return the line that matches the URL, or nothing."""
        return self._hosts.match(url) or self._prefixes.match(url) or self._expressions.match(url)


def written_lines(lines: Iterable[str], name: str) -> Iterable[tuple[str, str]]:
    """Return the patterns of a list called `name`, and where each stands."""
    for number, text in enumerate(lines, start=1):
        line = text.strip().removeprefix("\ufeff")
        if line and not line.startswith("#"):
            yield f"{name}, line {number}", line


def compiled(expression: str, name: str) -> Any:
    """Return a regular expression; raise ConfigError, beginning with `name`, for what is none, or none that RE2 can do."""
    import re2  # here, because few crawls have one

    try:
        return re2.compile(expression, _options())
    except (re2.error, UnicodeEncodeError) as error:
        text = error.args[0] if error.args and isinstance(error.args[0], bytes) else str(error).encode()
        why = text.decode("utf-8", "replace")
    remedy = f"; {_REMEDY}" if _BEYOND.search(expression) else ""
    raise ConfigError(f"{name}: {expression!r} is no regular expression: {why}{remedy}")


def _is_ready(expressions: Any) -> bool:
    """Compile a set; tell whether there was memory for it."""
    import re2

    try:
        expressions.Compile()
        return bool(expressions.Match(""))
    except re2.error:
        return False


def _new_set() -> Any:
    import re2

    return re2.Set.SearchSet(_options())


def _options() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = MOST_MEMORY
    return options


def port_of(url: Url) -> int:
    """Return the port that is asked, the scheme's own when the URL names none."""
    return DEFAULT_PORTS.get(url.scheme, ANY) if url.port is None else url.port


def _host(text: str, pattern: str, name: str) -> Name:
    try:
        url = None if FOREIGN_TO_HOSTS.search(text) else parse(f"http://{text}/")
    except UrlError:
        url = None
    if url is None or not HOST.fullmatch(url.host):
        raise ConfigError(
            f"{name}: {pattern!r} is no host; write a name such as example.org, example.org:8080 or *.example.org, "
            "the beginning of a URL, or /an expression/"
        )
    return url.host, port_of(url) if re.search(r":[0-9]+$", text) else ANY
