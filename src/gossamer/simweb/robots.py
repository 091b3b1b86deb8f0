"""The robots.txt files of the synthetic web, and what each of them allows, by RFC 9309.

A file is made from its rules, and the rules are judged here without reading the file again, so the judgement owes nothing to
any parser: longest pattern wins, `Allow` wins a tie, `*` stands for anything, a final `$` for the end.
"""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

RobotsKind = Literal["allow", "rules", "groups", "missing", "pace", "deny", "unreachable", "moved", "elsewhere", "oversized"]

READ_LIMIT = 500 * 1024  # a crawler reads this much (RFC 9309, 2.5)


class GroupLine(NamedTuple):
    """One line of a group."""

    allow: bool
    pattern: str

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.pattern}"

    def matches(self, path: str) -> bool:
        """Say whether the pattern begins the path (with its query)."""
        body = self.pattern.removesuffix("$")
        expression = ".*".join(re.escape(part) for part in body.split("*"))
        return re.match(expression + ("$" if self.pattern.endswith("$") else ""), path) is not None


class Judgement(NamedTuple):
    """What a robots.txt says about a path, and the line or the state that says so."""

    allowed: bool
    reason: str


DENY_ALL = (GroupLine(False, "/"),)
RULES = (
    GroupLine(False, "/private/"),
    GroupLine(True, "/private/open/"),
    GroupLine(False, "/*.cgi$"),
    GroupLine(False, "/search?*sort="),
    GroupLine(False, "/tmp"),
    GroupLine(False, "/tie"),
    GroupLine(True, "/tie"),
)
EARLY = (GroupLine(False, "/private/"),)
LATE = GroupLine(False, "/late/")  # beyond the limit of an oversized file: does not count

# Paths that the rules above tell apart; hosts with rules have a page at each.
TELLING_PATHS = (
    "/private/ledger.html",
    "/private/open/minutes.html",
    "/Private/upper-case.html",
    "/bin/counter.cgi",
    "/bin/counter.cgi?shown=1",
    "/search?q=harbour",
    "/search?q=harbour&sort=date",
    "/tmpfile.html",
    "/tie/even.html",
    "/late/arrival.html",
)


@dataclass(slots=True, eq=False)
class RobotsFile:
    """The robots.txt of one host."""

    kind: RobotsKind
    delay: float = 0.0
    sitemaps: list[str] = field(default_factory=list)
    target: "RobotsFile | None" = None  # what a redirect to another host leads to
    location: str = ""  # where a redirect leads

    @property
    def status(self) -> int:
        """What a request for /robots.txt is answered with."""
        return {"missing": 404, "unreachable": 500, "moved": 301, "elsewhere": 302}.get(self.kind, 200)

    @property
    def rules(self) -> tuple[GroupLine, ...]:
        """The rules that bind a crawler nobody named."""
        if self.kind == "deny":
            return DENY_ALL
        if self.kind in ("rules", "groups", "moved"):
            return RULES
        return EARLY if self.kind == "oversized" else ()

    def judge(self, path: str) -> Judgement:
        """Say whether a path may be fetched."""
        if self.target is not None:
            return self.target.judge(path)
        if self.kind == "unreachable":
            return Judgement(False, "unreachable")
        found = [rule for rule in self.rules if rule.matches(path)]
        if not found:
            return Judgement(True, "")
        best = max(found, key=lambda rule: (len(rule.pattern), rule.allow))
        return Judgement(best.allow, str(best))

    def text(self) -> str:
        """Write the file."""
        if self.kind in ("missing", "unreachable"):
            return "no robots.txt here\n"
        sitemaps = "".join(f"Sitemap: {url}\n" for url in self.sitemaps)
        return self._groups() + sitemaps

    def _groups(self) -> str:
        if self.kind == "groups":
            return _scattered_groups()
        if self.kind == "oversized":
            return _oversized()
        lines = "".join(f"{rule}\n" for rule in self.rules) or "Disallow:\n"
        pace = f"Crawl-delay: {self.delay:g}\n" if self.delay else ""
        return f"# rules of this site\nUser-agent: otherbot\nDisallow: /\n\nUser-agent: *\n{lines}{pace}\n"


def _scattered_groups() -> str:
    """Spread the rules over two groups for everyone, which count as one, with odd but legal spelling."""
    first = "".join(f"disallow : {rule.pattern}  # closed\r\n" for rule in RULES if not rule.allow)
    second = "".join(f"ALLOW:{rule.pattern}\r\n" for rule in RULES if rule.allow)
    return (
        f"User-agent: otherbot\r\nUser-agent: *\r\n{first}\r\n"
        f"User-agent: thirdbot\r\nDisallow: /\r\n\r\nuser-agent: *\r\n{second}\r\n"
    )


def _oversized() -> str:
    """Put one rule before the limit of what is read and one after it."""
    before = "User-agent: *\n" + "".join(f"{rule}\n" for rule in EARLY)
    line = "# " + "this line fills the file beyond what a crawler reads " * 2 + "\n"
    filling = line * (READ_LIMIT // len(line) + 40)
    return f"{before}{filling}{LATE}\n"
