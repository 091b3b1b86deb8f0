"""Pages as rows: how they are written and read.

Every value that is bound costs 0.1 us, and 0.5 us if it is of a type that sqlite3 has to adapt (an enum, a bool). A new page
that has in common with nearly all others what they have in common is therefore written by a statement with those values in its
text, and all bound values are plain. A page that is there already is replaced as a whole. A reason is its rule, which can be
searched for, and its facts as JSON; both are empty where there is none.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple, replace

from gossamer.errors import StoreError
from gossamer.records.freshness import Freshness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.reason import Fact, Reason
from gossamer.seal import RESTORE
from gossamer.storage.catalog.kinds import COMMON, Kinds

_ALIKE: dict[str, tuple[object, str]] = {  # what nearly all pages have, and the same in SQL
    "outcome": (Outcome.OK, "'ok'"),
    "reason": (None, "'', ''"),
    "status": (200, "200"),
    "mime": ("text/html", "'text/html'"),
    "charset": ("utf-8", "'utf-8'"),
    "duplicate_of": ("", "''"),
    "truncated": ("", "''"),
    "links_cut": (0, "0"),
    "noindex": (False, "0"),
    "noarchive": (False, "0"),
}
_PLACE = ("file", "record_offset", "record_length")
_REASON = ("rule", "facts")
_LEARNED = ("simhash", "outlinks", "freshness")
_OWN = tuple(name for name in Page.__struct_fields__ if name not in (*_ALIKE, *_LEARNED, "place"))
_COMMON = tuple(column for name in _ALIKE for column in (_REASON if name == "reason" else (name,)))
_COLUMNS = (*_OWN, *_LEARNED, *_PLACE, *_COMMON, "kind")
_MADE = (*_LEARNED, *_PLACE, "outcome", *_REASON, "noindex", "noarchive")  # columns that are not as they are in a page
_PLAIN = tuple(name for name in _COLUMNS if name not in (*_MADE, "kind"))
WHOLE = ", ".join(f"pages.{name}" for name in (*_PLAIN, *_MADE))
SELECT = f"SELECT {WHOLE} FROM pages"

_INTO = f"INSERT INTO pages (id, {', '.join(_COLUMNS)}) VALUES "
_ANY = f"{_INTO} ({', '.join('?' * (len(_COLUMNS) + 1))}) ON CONFLICT (key) DO "
_LIKE_MOST = (
    f"{_INTO} ({', '.join('?' * (len(_COLUMNS) - len(_COMMON)))}, {', '.join(sql for _, sql in _ALIKE.values())}, {COMMON}) "
    "ON CONFLICT (key) DO NOTHING"
)
_REPLACE = (
    f"{_ANY} UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS if name != 'key')}, "
    "text_id = CASE WHEN digest = excluded.digest AND url = excluded.url AND title = excluded.title "
    "AND excluded.noindex = 0 AND excluded.duplicate_of = '' THEN text_id END"
)
_KEYS = 64  # looked up at once: a fifth of what one at a time takes
_KNOWN = (
    "SELECT key, id, token, url, title, noindex, outcome, length, truncated <> '', links_cut "
    f"FROM pages WHERE key IN ({', '.join('?' * _KEYS)})"
)
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_BITS = 0xFFFF_FFFF_FFFF_FFFF

_own = itemgetter(*map(Page.__struct_fields__.index, _OWN))
_learned = itemgetter(*map(Page.__struct_fields__.index, (*_LEARNED, "place")))
_alike = itemgetter(*map(Page.__struct_fields__.index, _ALIKE))
_MOST = tuple([value for value, _ in _ALIKE.values()])
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Freshness).decode
_write_facts = msgspec.json.Encoder().encode
_read_facts = msgspec.json.Decoder(dict[str, Fact]).decode


def known(connection: sqlite3.Connection, wanted: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return key, id, token, URL, title, noindex, and what is counted, of those pages that are there, by their keys."""
    found: list[tuple[Any, ...]] = []
    keys = list(wanted)
    for start in range(0, len(keys), _KEYS):
        some = keys[start : start + _KEYS]
        found += connection.execute(_KNOWN, (*some, *(None,) * (_KEYS - len(some)))).fetchall()
    return found


def latest(pages: Sequence[Page]) -> dict[str, Page]:
    """Return the pages by key: of several the one of the newest lease, and of that the last."""
    found = {page.key: page for page in pages}
    return found if len(found) == len(pages) else {page.key: page for page in sorted(pages, key=lambda page: page.token)}


def insert(connection: sqlite3.Connection, kinds: Kinds, pages: Sequence[Page]) -> tuple[range, int]:
    """Write those pages that are not there yet; return the ids that were free for them, and how many were written."""
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()
    alike, others = [], []
    for id_, page in enumerate(pages, last + 1):
        values = astuple(page)
        if _alike(values) == _MOST:
            alike.append((id_, *_own(values), *_bound(*_learned(values))))
        else:
            others.append(_row(id_, values, kinds))
    count = connection.executemany(_LIKE_MOST, alike).rowcount if alike else 0
    count += connection.executemany(f"{_ANY} NOTHING", others).rowcount if others else 0
    return range(last + 1, last + 1 + len(pages)), count


def update(connection: sqlite3.Connection, kinds: Kinds, pages: Sequence[tuple[int, Page]]) -> None:
    """Replace pages that are there, each with its id."""
    connection.executemany(_REPLACE, [_row(id_, astuple(page), kinds) for id_, page in pages])


def _row(id_: int, values: tuple[Any, ...], kinds: Kinds) -> tuple[object, ...]:
    outcome, reason, status, mime, charset, duplicate_of, truncated, links_cut, noindex, noarchive = _alike(values)
    how = outcome._value_  # `value` is a call
    kind = kinds.of(how, reason, status, mime, truncated)
    why = ("", "") if reason is None else (reason.rule, _write_facts(reason.facts).decode())
    rest = (status, mime, charset, duplicate_of, truncated, links_cut, int(noindex), int(noarchive), kind)
    return (id_, *_own(values), *_bound(*_learned(values)), how, *why, *rest)


def _bound(simhash: int | None, outlinks: int | None, known: Freshness | None, place: Place | None) -> tuple[object, ...]:
    """Return what was learned of a page as SQLite takes it, which has no unsigned numbers and no records."""
    if simhash is not None and simhash >> 63:
        simhash -= 1 << 64
    if outlinks is not None and outlinks >> 63:
        outlinks -= 1 << 64
    freshness = None if known is None else _encode(known)
    if place is None:
        return (simhash, outlinks, freshness, None, None, None)
    return (simhash, outlinks, freshness, place.file, place.offset, place.length)


def encodable(page: Page) -> Page:
    """Replace what UTF-8 cannot write by question marks; a validator that is not what the server said is none."""
    names = (name for name in Page.__struct_fields__ if type(getattr(page, name)) is str)
    texts = {name: value for name in names if not (value := getattr(page, name)).isascii()}
    mended = {name: value.encode("utf-8", "replace").decode() for name, value in texts.items()}
    freshness = page.freshness
    if freshness is not None and not (freshness.etag.isascii() and freshness.last_modified.isascii()):
        freshness = replace(freshness, etag="", last_modified="")
    return replace(page, **mended, freshness=freshness)


def page_of(row: tuple[Any, ...]) -> Page:
    """Return the page of a row that was selected."""
    values = dict(zip(_PLAIN, row, strict=False))
    simhash, outlinks, freshness, file, offset, length, outcome, rule, facts, noindex, noarchive = row[len(_PLAIN) :]
    try:
        return Page(
            **values,
            outcome=_OUTCOMES[outcome],
            reason=Reason(rule, _read_facts(facts)) if rule else None,
            noindex=bool(noindex),
            noarchive=bool(noarchive),
            simhash=None if simhash is None else simhash & _BITS,
            outlinks=None if outlinks is None else outlinks & _BITS,
            freshness=None if freshness is None else _decode(freshness),
            place=None if file is None else Place(file, offset, length),
        )
    except (KeyError, ValueError, TypeError, msgspec.DecodeError) as error:
        raise StoreError(f"the catalog's row of {values['key']!r} is damaged ({error}); {RESTORE}") from error


class ChosenFields(NamedTuple):
    """Some fields of pages: how they are selected, and how the values of each are made from their columns."""

    fields: Sequence[str]

    @property
    def columns(self) -> str:
        """What is selected."""
        return ", ".join(f"pages.{column}" for field in self.fields for column in _STORED.get(field, (field,)))

    def values(self, rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
        """Return the values of each field of some rows."""
        columns = iter(zip(*rows, strict=True))
        try:
            return [_MAKERS.get(field, list)(*islice(columns, len(_STORED.get(field, (field,))))) for field in self.fields]
        except (KeyError, ValueError, TypeError, msgspec.DecodeError) as error:
            raise StoreError(f"a row of the catalog is damaged ({error}); {RESTORE}") from error


def _numbers(column: Sequence[int | None]) -> list[int | None]:
    return [None if value is None else value & _BITS for value in column]


def _reasons(rules: Sequence[str], facts: Sequence[str]) -> list[Reason | None]:
    return [Reason(rule, _read_facts(facts)) if rule else None for rule, facts in zip(rules, facts, strict=True)]


def _places(files: Sequence[str | None], offsets: Sequence[int], lengths: Sequence[int]) -> list[Place | None]:
    columns = zip(files, offsets, lengths, strict=True)
    return [None if file is None else Place(file, offset, length) for file, offset, length in columns]


_STORED = {  # fields whose columns are called otherwise, or that are several
    "place": _PLACE,
    "place.file": _PLACE[:1],
    "place.offset": _PLACE[1:2],
    "place.length": _PLACE[2:],
    "reason": _REASON,
}
_MAKERS: dict[str, Callable[..., list[Any]]] = {
    "outcome": lambda column: list(map(_OUTCOMES.__getitem__, column)),
    "reason": _reasons,
    "place": _places,
    "simhash": _numbers,
    "outlinks": _numbers,
    "freshness": lambda column: [None if value is None else _decode(value) for value in column],
    "noindex": lambda column: list(map(bool, column)),
    "noarchive": lambda column: list(map(bool, column)),
}
