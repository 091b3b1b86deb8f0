"""A robots.txt file, read by RFC 9309: bytes in, a verdict on a URL with the line that decided out. Pure.

Groups that name the same robot are one. A robot is named by its product token, whatever the case; one that is not named
follows the groups of `*`. Only `allow` and `disallow` end a run of `user-agent` lines: other records never change how the
defined ones are read. What is no record is skipped. Product tokens may hold digits here, as many robots' names do.

Beyond the standard, where it is silent: a common misspelling or a missing colon is read as what was meant, since a rule that
we failed to read would harm the site and not us; Crawl-delay and Sitemap are read. Standard: RFC 9309 section 2.2.
"""

import math
import re

from gossamer.robots.patterns import Group, RobotsRule, Verdict

LIMIT = 500 * 1024  # what the standard asks for at least

_FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "user-agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "crawl-delay"),
    **dict.fromkeys(("sitemap", "site-map"), "sitemap"),
    "allow": "allow",
}
_TOKEN = re.compile(r"[A-Za-z0-9_-]*")


class Rules:
    """A parsed robots.txt. A robot's group is compiled when it is first asked for."""

    __slots__ = ("_compiled", "_records", "sitemaps")

    def __init__(self, records: "dict[str, list[_Record]]", sitemaps: tuple[str, ...]) -> None:
        self._records = records
        self._compiled: dict[str, Group] = {}
        self.sitemaps = sitemaps

    def group(self, agent: str) -> Group:
        """Return the group that a robot follows; one without rules when the file does not speak of it."""
        known = self._compiled.get(agent)
        if known is None:
            token = product_token(agent)
            name = token if token in self._records and token else "*"
            known = self._compiled.get(name) or self._compile(name)
            self._compiled[agent] = known
        return known

    def _compile(self, name: str) -> Group:
        records = self._records.get(name, [])
        delays = [record.delay for record in records if record.delay is not None]
        group = Group((rule for record in records for rule in record.rules), max(delays, default=None))
        self._compiled[name] = group
        return group

    def spoken_to(self, agent: str) -> tuple[str, list[RobotsRule]]:
        """Return whose group a robot follows, an empty text: nobody's; and the rules of that, in their order."""
        token = product_token(agent)
        name = token if token in self._records and token else "*"
        records = self._records.get(name)
        return (name, [rule for record in records for rule in record.rules]) if records is not None else ("", [])

    def judge(self, url: str, agent: str) -> Verdict:
        """Return whether `agent` may fetch a URL, and the line that decided."""
        return self.group(agent).judge(url)

    def delay(self, agent: str) -> float | None:
        """Return the Crawl-delay of `agent`; the longest when there are several."""
        return self.group(agent).delay


class _Record:
    """The lines below one run of user-agent lines; shared by all robots that the run names."""

    __slots__ = ("delay", "rules")

    def __init__(self) -> None:
        self.rules: list[RobotsRule] = []
        self.delay: float | None = None


def parse(content: bytes | str, limit: int = LIMIT) -> Rules:
    """Read a robots.txt; of a longer one the first `limit` bytes, up to the last whole line."""
    records: dict[str, list[_Record]] = {}
    sitemaps: list[str] = []
    record: _Record | None = None  # None: no user-agent line yet
    naming = False  # the line before was a user-agent line, other records aside
    for line in _lines(content, limit):
        field, value = _split(line)
        if field == "user-agent":
            if record is None or not naming:
                record, naming = _Record(), True
            records.setdefault(_robot(value), []).append(record)
        elif field == "sitemap":
            sitemaps.append(value)
        elif record is None or field is None:
            continue
        elif field == "crawl-delay":
            record.delay = _seconds(value) if record.delay is None else record.delay
        else:
            naming = False
            if value:
                record.rules.append(RobotsRule(field == "allow", value))
    return Rules(records, tuple(dict.fromkeys(filter(None, sitemaps))))


def product_token(agent: str) -> str:
    """Return the lower-case product token that a user agent begins with."""
    match = _TOKEN.match(agent)
    return match[0].lower() if match else ""


def _lines(content: bytes | str, limit: int) -> list[str]:
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    if len(content) > limit:
        content = content[:limit]
        content = content[: max(content.rfind(b"\n"), content.rfind(b"\r")) + 1]
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return text.replace("\r", "\n").split("\n")


def _split(line: str) -> tuple[str | None, str]:
    line = line.partition("#")[0]
    name, _, value = line.partition(":")
    field = _FIELDS.get(name.strip().lower())
    if field is None:
        words = line.split()
        if len(words) == 2:
            field, value = _FIELDS.get(words[0].lower()), words[1]
    return field, value.strip()


def _robot(value: str) -> str:
    return "*" if value == "*" or value.startswith(("* ", "*\t")) else product_token(value)


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
