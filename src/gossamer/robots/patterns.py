"""The rules of one robots.txt group, compiled once so that judging a path takes microseconds whatever the file holds.

The longest pattern wins, and of two that are equally long the one that allows. `*` stands for any characters and a final `$`
for the end of the URL. Nothing here backtracks: a pattern's literal parts are searched from left to right, which is enough
because `*` is the only wildcard, so a hostile pattern costs no more than its length plus the path's. Ten thousand of them take
a tenth of a second for a long path, which is why a group says what it judges at once.

Paths and patterns are compared in one spelling: escapes of printable ASCII are decoded, everything else is an upper-case
escape. Where decoding would change the meaning the escape stays: `%` `#` `?`, and `/` outside the query. A `*` or `$` in a URL
is spelled as its escape, which is how a pattern names them literally. Standard: RFC 9309 sections 2.2.2 and 2.2.3.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

Verdict = tuple[bool, str]  # allowed, and the line that decided
NO_RULE: Verdict = (True, "no rule matches")
STEPS = 2_000_000  # characters gone through for all patterns with `*` inside: 6 ms, and 50 ms of the worst
ITSELF: Verdict = (True, "robots.txt itself is always allowed")

_ESCAPE = {byte: f"%{byte:02X}" for byte in range(256)}
_DECODED = {escape: chr(byte) for byte, escape in _ESCAPE.items() if 0x20 < byte < 0x7F and chr(byte) not in "%#?*$/"}
_PATH_SPELLING = {escape: _DECODED.get(escape, escape) for escape in _ESCAPE.values()}
_QUERY_SPELLING = {**_PATH_SPELLING, "%2F": "/"}
_RESPELLED_IN_URL = re.compile(r"%[0-9A-Fa-f]{2}|[^!-~]|[*$]")
_RESPELLED_IN_PATTERN = re.compile(r"%[0-9A-Fa-f]{2}|[^!-~]|\$")
_PLAIN = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[!"&-)+-~]*)""")  # nearly every URL: nothing in it is respelled
_BEFORE_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|")


class RobotsRule(NamedTuple):
    """A line of robots.txt that allows or disallows."""

    allow: bool
    pattern: str

    def __str__(self) -> str:
        field = "allow" if self.allow else "disallow"
        if self.pattern.isascii():
            return f"{field}: {self.pattern}"
        return f"{field}: {self.pattern.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')}"


class Group:
    """The rules for one robot: judges URLs by its rules, and says its Crawl-delay."""

    __slots__ = ("_best", "_exact", "_parents", "_prefixes", "_wildcards", "at_once", "delay", "size")

    def __init__(self, rules: Iterable[RobotsRule], delay: float | None = None) -> None:
        self.delay = delay
        prefixes: dict[str, _Weighed] = {}
        self._exact: dict[str, _Weighed] = {}
        wildcards: list[_Wildcard] = []
        for rule in dict.fromkeys(rules):
            verdict = (rule.allow, str(rule))
            for pattern in _spellings(rule.pattern):
                weighed = (2 * len(pattern) + rule.allow, verdict)
                stem = pattern.rstrip("*")
                if "*" in stem:
                    wildcards.append(_Wildcard.of(pattern, weighed))
                elif stem.endswith("$"):
                    self._exact[stem[:-1]] = max(weighed, self._exact.get(stem[:-1], weighed))
                else:
                    prefixes[stem] = max(weighed, prefixes.get(stem, weighed))
        self._wildcards = sorted(wildcards, key=lambda wildcard: -wildcard.weight)
        self._nest(prefixes)
        self.size = len(self._prefixes) + len(self._exact) + len(self._wildcards)
        self.at_once = STEPS // max(
            len(self._wildcards), 1
        )  # characters of a URL that is judged in some hundredths of a second

    def _nest(self, prefixes: dict[str, "_Weighed"]) -> None:
        """Sort the prefixes; note for each the longest other one it begins with, and the best rule of itself and those."""
        self._prefixes = sorted(prefixes)
        self._parents: list[int] = []
        self._best: list[_Weighed] = []
        for prefix in self._prefixes:
            parent = len(self._parents) - 1
            while parent >= 0 and not prefix.startswith(self._prefixes[parent]):
                parent = self._parents[parent]
            self._parents.append(parent)
            own = prefixes[prefix]
            self._best.append(own if parent < 0 else max(own, self._best[parent]))

    def judge(self, url: str) -> Verdict:
        """Return whether the URL may be fetched, and the line that decided."""
        if not self.size and "/robots.txt" not in url and "%" not in url:
            return NO_RULE  # a file without rules for us
        path = spell_path(url)
        if path.startswith("/robots.txt") and path[11:12] in ("", "?"):
            return ITSELF
        weight, verdict = self._exact.get(path, (0, NO_RULE))
        index = bisect_right(self._prefixes, path) - 1
        while index >= 0 and not path.startswith(self._prefixes[index]):
            index = self._parents[index]
        if index >= 0 and self._best[index][0] > weight:
            weight, verdict = self._best[index]
        for wildcard in self._wildcards:
            if wildcard.weight <= weight:
                break
            if wildcard.probe in path and wildcard.matches(path):
                return wildcard.verdict
        return verdict


_Weighed = tuple[int, Verdict]  # twice the length of the pattern, plus one when the rule allows


class _Wildcard(NamedTuple):
    """A pattern with `*` inside."""

    weight: int
    verdict: Verdict
    probe: str  # its longest literal part: a path without it cannot match
    head: str
    middle: tuple[str, ...]
    tail: str | None  # what the path must end with; None: anything

    @classmethod
    def of(cls, pattern: str, weighed: _Weighed) -> "_Wildcard":
        head, *parts = pattern.removesuffix("$").split("*")
        tail = parts.pop() if pattern.endswith("$") else None
        return cls(*weighed, max((head, *parts, tail or ""), key=len), head, tuple(filter(None, parts)), tail)

    def matches(self, path: str) -> bool:
        if not path.startswith(self.head):
            return False
        position = len(self.head)
        for part in self.middle:
            found = path.find(part, position)
            if found < 0:
                return False
            position = found + len(part)
        return self.tail is None or (path.endswith(self.tail) and len(path) - len(self.tail) >= position)


def spell_path(url: str) -> str:
    """Return path and query of a URL in the spelling that patterns are compared with."""
    plain = _PLAIN.fullmatch(url)
    if plain is not None:
        return plain[1]
    rest = url[_BEFORE_PATH.match(url).end() :].partition("#")[0]  # type: ignore[union-attr]  # matches every text
    if not rest.startswith("/"):
        rest = "/" + rest
    if _RESPELLED_IN_URL.search(rest) is None:
        return rest
    path, mark, query = rest.partition("?")
    return _RESPELLED_IN_URL.sub(_in_path, path) + mark + _RESPELLED_IN_URL.sub(_in_query, query)


def _spellings(pattern: str) -> Iterator[str]:
    """Give the spelling of a pattern; two when a `*` leaves open whether its `%2F` stands in a path or in a query."""
    if not pattern.startswith(("/", "*")):
        return  # every path begins with a slash: it matches nothing
    if _RESPELLED_IN_PATTERN.search(pattern) is None:
        yield pattern
        return
    anchor = "$" if pattern.endswith("$") else ""
    path, mark, query = pattern.removesuffix("$").partition("?")
    path = _RESPELLED_IN_PATTERN.sub(_in_path, path)
    rest = mark + _RESPELLED_IN_PATTERN.sub(_in_query, query) + anchor
    yield path + rest
    head, star, tail = path.partition("*")
    if "%2F" in tail:
        yield head + star + tail.replace("%2F", "/") + rest


def _respell(spelling: dict[str, str], match: re.Match[str]) -> str:
    text = match[0]
    if len(text) == 3:
        return spelling[text.upper()]
    return "".join(_ESCAPE[byte] for byte in text.encode("utf-8", "surrogateescape"))


_in_path = partial(_respell, _PATH_SPELLING)
_in_query = partial(_respell, _QUERY_SPELLING)
