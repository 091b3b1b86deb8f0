"""What a query asks of a page's row, as SQL; and where the keys of a host are.

The pages of a host are found by their keys, which begin with scheme and host: an index over hosts as well was a quarter of what
a page costs.
"""

import re

from msgspec import Struct

from gossamer.records.pagequery import PageQuery

_SCHEMES = {"ftp": "21", "http": "80", "https": "443"}  # and the port that a URL need not name
_WITH_PORT = re.compile(r"([^:]+|\[.*\]):([0-9]+)")  # a host and one port of it
_BETWEEN = "pages.key >= ? AND pages.key < ?"
_ROW = {
    "status": "pages.status = ?",
    "outcome": "pages.outcome = ?",
    "mime": "pages.mime = ?",
    "rule": "pages.rule = ?",
}
_TIME = {"since": "pages.fetched_at >= ?", "until": "pages.fetched_at < ?"}


class Conditions(Struct, frozen=True):
    """Terms that must hold, and their parameters."""

    terms: tuple[str, ...] = ()
    parameters: tuple[object, ...] = ()

    def __add__(self, other: "Conditions") -> "Conditions":
        return Conditions(self.terms + other.terms, self.parameters + other.parameters)

    @property
    def sql(self) -> str:
        """All of them as one expression."""
        return " AND ".join(self.terms) or "1"


class HostKeys(Struct, frozen=True):
    """A host's name, and where its keys begin and end: in the order of keys."""

    name: str
    ranges: tuple[tuple[str, str], ...]


def of_row(query: PageQuery) -> Conditions:
    """Return what must hold of a row, words and host left out."""
    return of_kind(query) + of_time(query)


def of_kind(query: PageQuery) -> Conditions:
    """Return what must hold of outcome, rule, status and type, and whether its body must be cut."""
    found = _given(query, _ROW)
    return found + Conditions(("pages.truncated <> ''",)) if query.cut else found


def of_time(query: PageQuery) -> Conditions:
    """Return what must hold of the time of the visit."""
    return _given(query, _TIME)


def of_host(query: PageQuery) -> Conditions:
    """Return what must hold of host and port."""
    if not query.host:
        return Conditions()
    name = keys_of(query.host).name
    return Conditions(("pages.host = ?",), (name,)) if name == query.host else of_keys(query)


def of_keys(query: PageQuery) -> Conditions:
    """Return the same, to be looked up by keys."""
    keys = keys_of(query.host)
    between = f"({' OR '.join([_BETWEEN] * len(keys.ranges))})"
    return Conditions((between, "pages.host = ?"), (*(bound for pair in keys.ranges for bound in pair), keys.name))


def keys_of(host: str) -> HostKeys:
    """Return where the keys of a host are, for every scheme: all of them, or those of one port.

    Behind the host stands a slash, or a colon and a port; a zero comes next after the slash, and a semicolon after the colon.
    """
    if found := _WITH_PORT.fullmatch(host):
        name, port = found.groups()
        served = [f"{scheme}://{name}:{port}" for scheme in _SCHEMES]
        served += [f"{scheme}://{name}" for scheme, usual in _SCHEMES.items() if port == usual]
        return HostKeys(name.strip("[]"), tuple(sorted((f"{one}/", f"{one}0") for one in served)))
    spelled = f"[{host}]" if ":" in host else host
    ends = (("/", "0"), (":", ";"))
    ranges = [(f"{scheme}://{spelled}{begin}", f"{scheme}://{spelled}{end}") for scheme in _SCHEMES for begin, end in ends]
    return HostKeys(host, tuple(sorted(ranges)))


def _given(query: PageQuery, columns: dict[str, str]) -> Conditions:
    given = {name: value for name in columns if (value := getattr(query, name)) is not None and value != ""}
    return Conditions(tuple(columns[name] for name in given), tuple(map(_plain, given.values())))


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value  # an outcome may be given as one
