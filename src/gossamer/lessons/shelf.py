"""The rows of the book: one for each thing learned about a host, loaded when the host is first asked for.

A host has a place of its own in the store; a row's key is a letter for its kind, and its name. What is in memory is what is in
the store: changes are written first and taken over afterwards, so that a commit can be repeated. Hosts with a rule in force are
also named in rows of the run, before the rule is there: so a link to one is known without loading every host that a page links
to.

Invariant: what an operator ruled is changed by an operator only, whatever was being learned at the same time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.policy import habit, marks, parameters, templates, views, vocabulary
from gossamer.records.evidence import Growth, Habit, Parameter, Probe, Ruling, TemplateTally, View, Words
from gossamer.url.fingerprint import hashed
from gossamer.url.parse import Url

_PLACE = "lesson/"  # and the host
_RULED = b"ruled/"
MOST_HOSTS = 20_000  # in memory

Record = TemplateTally | Parameter | Probe | Growth | Words | View | Habit
Name = tuple[str, str, str]  # host, letter of the kind, name
TEMPLATE, PARAMETER, PROBE, GROWTH, WORDS, VIEW, HABIT = "t", "p", "s", "g", "w", "v", "h"

_KINDS: dict[str, type[Record]] = {
    TEMPLATE: TemplateTally,
    PARAMETER: Parameter,
    PROBE: Probe,
    GROWTH: Growth,
    WORDS: Words,
    VIEW: View,
    HABIT: Habit,
}
_DECODERS: dict[str, Any] = {letter: msgspec.msgpack.Decoder(kind) for letter, kind in _KINDS.items()}
_NO_RULES: frozenset[str] = frozenset()  # one for all hosts: a set of its own is 200 bytes that every look has to fetch
_NO_RECORDS: dict[str, Any] = {}  # the same; never changed
_encode = msgspec.msgpack.Encoder().encode


class HostLessons:
    """All that is known of one host; changed only by its shelf.

    Small: of most hosts there is one page in a commit, so that all that it is asked for has to be fetched from far away.
    """

    __slots__ = (
        "cosmetic",
        "folders",
        "habit",
        "has_barren",
        "has_doubts",
        "has_file_marks",
        "has_path_marks",
        "is_honest",
        "lasts",
        "number",
        "parameters",
        "probes",
        "templates",
        "traps",
        "verbs",
        "views",
        "whole",
        "words",
    )

    def __init__(self, name: str) -> None:
        self.number = hashed(name)
        self.templates: dict[str, TemplateTally] = {}
        self.parameters: dict[str, Parameter] = _NO_RECORDS
        self.probes: dict[str, Probe] = _NO_RECORDS
        self.whole: Growth | None = None  # how the host grows,
        self.folders: dict[str, Growth] = _NO_RECORDS  # and parts of it
        self.words: dict[str, Words] = _NO_RECORDS  # in the places of its URLs,
        self.verbs = vocabulary.NO_VERBS  # and which of them are its vocabulary
        self.views: dict[str, View] = _NO_RECORDS
        self.has_path_marks = False  # some mark of views is no part of a query,
        self.has_file_marks = False  # some mark is one of files to download
        self.lasts = _NO_RULES  # marks of views, which wait behind all else
        self.habit: Habit | None = None  # what changes on most of its pages
        self.cosmetic = _NO_RULES  # parameters that make no difference
        self.traps = _NO_RULES  # templates that may keep a URL from being fetched
        self.has_barren = False  # some fetch of some template brought nothing
        self.has_doubts = False  # of some template, which has brought little
        self.is_honest = False  # what cannot exist is answered with an error, wherever it was asked for

    @property
    def growth(self) -> dict[str, Growth]:
        """How the host and parts of it grow; the host is the one without a name."""
        return self.folders if self.whole is None else {"": self.whole, **self.folders}

    def table(self, letter: str) -> dict[str, Any]:
        """Return the records of one kind by their names, to be read."""
        if letter == TEMPLATE:
            return self.templates
        if letter == GROWTH:
            return self.growth
        if letter == WORDS:
            return self.words
        if letter == VIEW:
            return self.views
        if letter == HABIT:
            return _NO_RECORDS if self.habit is None else {habit.NAME: self.habit}
        return self.probes if letter == PROBE else self.parameters

    def shapes_of(self, path: str, query: str | None) -> tuple[str, ...]:
        """Return the templates of a URL: the fine and the coarse one, and before them that with words of the vocabulary."""
        narrow = vocabulary.narrow_of(path, query, self.verbs) if self.verbs else ""
        shapes = templates.shapes_of(path, query)
        return (narrow, *shapes) if narrow else shapes

    def marks_of(self, url: Url) -> list[str]:
        """Return the marks that a URL may have wherever it was found."""
        found = list(marks.within(marks.apart(url.wire)))
        return [*found, marks.of_files(url.path, url.query)] if self.has_file_marks else found

    def last_by(self, url: Url, via: str) -> str:
        """Return the mark for which a URL found on the page `via` waits behind all else; an empty text: none."""
        mark = marks.in_force(url.wire, via, self.lasts)
        if not mark and self.has_file_marks and (title := marks.of_files(url.path, url.query)) in self.lasts:
            return title
        return mark

    def put(self, letter: str, title: str, record: Any) -> None:
        """Take over a record."""
        if letter == TEMPLATE:
            self.templates[title] = record
            self.has_barren |= bool(record.barren)
        elif letter == PARAMETER:
            self.parameters = self.parameters or {}
            self.parameters[title] = record
        elif letter == VIEW:
            self.views = self.views or {}
            self.views[title] = record
            self.has_path_marks |= title[0] != "?"
            self.has_file_marks |= marks.is_of_files(title)
        elif letter == PROBE:
            self.probes = {**self.probes, title: record}
            self.is_honest = list(self.probes) == ["/"] and self.probes["/"].status >= 400
        elif letter == WORDS:
            before, self.words = self.words.get(title), {**self.words, title: record}
            if vocabulary.verbs_in(record) != (vocabulary.verbs_in(before) if before is not None else _NO_RULES):
                self.verbs = vocabulary.verbs_of(self.words)
        elif letter == HABIT:
            self.habit = record
        elif title:
            self.folders = self.folders or {}
            self.folders[title] = record
        else:
            self.whole = record

    @property
    def has_rules(self) -> bool:
        """Whether anything here changes what becomes of a URL."""
        return bool(self.cosmetic or self.traps or self.lasts)

    def decide(self, letter: str, title: str, is_rule: bool) -> None:
        """Take note that a record is in force, or is not."""
        if letter == TEMPLATE and is_rule is not (title in self.traps):
            self.traps ^= {title}
        elif letter == PARAMETER and is_rule is not (title in self.cosmetic):
            self.cosmetic ^= {title}
        elif letter == VIEW and is_rule is not (title in self.lasts):
            self.lasts ^= {title}


def _is_rule(letter: str, title: str, record: Any, settings: Traps) -> bool:
    """Tell whether a record changes what becomes of a URL."""
    if letter == TEMPLATE:
        return templates.one_in(title, record, settings) != 1
    if letter == VIEW:
        return views.is_view(title, record, settings.view_evidence)
    return letter == PARAMETER and parameters.is_cosmetic(record, settings)


class Shelf:
    """Hosts and what is known of them, over a key-value store."""

    def __init__(self, kv: KeyValue, settings: Traps) -> None:
        self._kv = kv
        self._run = kv.at(RUN)
        self._settings = settings
        self._hosts: OrderedDict[str, HostLessons] = OrderedDict()
        self.at_hand = self._hosts.get  # a host that need not be loaded: several times a page, where a coroutine costs as much
        self._ruled: set[str] | None = None  # hosts with a rule in force; None: not loaded
        self._told: set[Name] = set()  # what an operator ruled in this process
        self._writing = asyncio.Lock()

    async def host(self, name: str) -> HostLessons:
        """Return a host, loaded if need be."""
        known = self._hosts.get(name)
        if known is not None:
            return known
        loaded = HostLessons(name)
        async for _, letter, title, record in self._rows(name):
            loaded.put(letter, title, record)
            loaded.decide(letter, title, _is_rule(letter, title, record, self._settings))
            loaded.has_doubts |= letter == TEMPLATE and templates.is_doubtful(record, self._settings)
        while len(self._hosts) >= MOST_HOSTS:
            self._hosts.popitem(last=False)
        return self._hosts.setdefault(name, loaded)  # somebody else may have loaded it meanwhile

    async def ruled(self) -> set[str]:
        """Return the hosts with a rule in force."""
        if self._ruled is None:
            found = {key[len(_RULED) :].decode() async for key, value in self._run.scan(_RULED) if value}
            if self._ruled is None:
                self._ruled = found
        return self._ruled

    async def write(self, changes: Mapping[Name, Record], others: list[tuple[bytes, bytes]]) -> None:
        """Make changes durable, with some rows of others in the same step, and take them over."""
        async with self._writing:
            names = self._may_rule(changes)
            await self._put(await self._under_rulings(changes, names), names, others)

    def _may_rule(self, changes: Mapping[Name, Any]) -> list[Name]:
        """Return what may change what becomes of a URL, or an operator ruled; of nearly all it is told without a call."""
        evidence = (self._settings.template_evidence + 1) // 2  # from here on they are in doubt
        names = [
            name
            for name, record in changes.items()
            if name[1] != GROWTH and name[1] != WORDS and (name[1] != TEMPLATE or record.weight >= evidence or record.ruling)
        ]
        return names + [name for name in self._told if name in changes]

    async def _under_rulings(self, changes: Mapping[Name, Record], names: list[Name]) -> Mapping[Name, Record]:
        """Return changes with what an operator ruled and they do not know: it came later, or they are made anew."""
        hosts = await self._named({name[0] for name in names})
        kept = {name: _under(hosts[name[0]].table(name[1]).get(name[2]), changes[name]) for name in names}
        return {**changes, **kept} if kept else changes

    async def _named(self, names: Iterable[str]) -> dict[str, HostLessons]:
        return {name: self.at_hand(name) or await self.host(name) for name in names}

    async def rule(self, name: Name, ruling: Ruling) -> bool:
        """Put an operator's word above a record, durably; False: there is none, and nothing to decide."""
        async with self._writing:
            known: Any = (await self.host(name[0])).table(name[1]).get(name[2])
            if known is None and ruling is Ruling.NONE:
                return False
            record = replace(known or _KINDS[name[1]](), ruling=ruling)
            if isinstance(record, Parameter) and ruling is Ruling.BLOCK:
                record = replace(record, was_cosmetic=True)
            await self._put({name: record}, [name], [])
            self._told.add(name)
        return True

    async def _put(self, changes: Mapping[Name, Any], names: list[Name], others: list[tuple[bytes, bytes]]) -> None:
        """Write changes, take them over, and name their hosts as those with rules or not; `names`: of what may be one."""
        ruled = await self.ruled()
        rules = {name for name in names if _is_rule(name[1], name[2], changes[name], self._settings)}
        begin = {name[0] for name in rules} - ruled
        if begin:
            await self._run.put_all([(_RULED + host.encode(), b"1") for host in begin])
        await self._kv.put_places({**_rows(changes), RUN: others})
        ruled |= begin
        touched = await self._take_over(changes, rules, ruled)
        for known in (await self._named({name[0] for name in names if name[1] == TEMPLATE})).values():
            known.has_doubts = True
        end = [host for host, known in touched.items() if not known.has_rules]
        await self._run.put_all([(_RULED + host.encode(), b"") for host in end])
        ruled.difference_update(end)

    async def _take_over(self, changes: Mapping[Name, Any], rules: set[Name], ruled: set[str]) -> dict[str, HostLessons]:
        """Take over changes that are written; return the hosts with rules among those they are of."""
        touched: dict[str, HostLessons] = {}
        last = known = None
        for name, record in changes.items():
            host, letter, title = name
            if known is None or host is not last:  # what a page changed stands together
                last, known = host, self.at_hand(host) or await self.host(host)  # it may have left memory meanwhile
                if host in ruled:
                    touched[host] = known
            if letter == TEMPLATE:  # most are: no call for each
                known.templates[title] = record
                known.has_barren = known.has_barren or bool(record.barren)
            else:
                known.put(letter, title, record)
            if touched and host in touched:
                known.decide(letter, title, name in rules)
        return touched

    async def everything(self, host: str = "") -> AsyncIterator[tuple[str, str, str, Any]]:
        """Walk over all that was learned of one host or all: host, letter, name, record."""
        if host:
            async for row in self._rows(host):
                yield row
            return
        async for place, key, value in self._kv.walk(_PLACE):
            yield _read(place.removeprefix(_PLACE), key, value)

    async def _rows(self, host: str) -> AsyncIterator[tuple[str, str, str, Any]]:
        async for key, value in self._kv.at(_PLACE + host).scan(b""):
            yield _read(host, key, value)


def _read(host: str, key: bytes, value: bytes) -> tuple[str, str, str, Any]:
    name = key.decode()
    return host, name[0], name[1:], _DECODERS[name[0]].decode(value)


def _under(known: Any, record: Any) -> Any:
    """Return a record with what an operator ruled since it was made."""
    if known is None or isinstance(record, Words):
        return record
    if isinstance(record, Parameter) and known.was_cosmetic and not record.was_cosmetic:
        record = replace(record, was_cosmetic=True)
    return record if record.ruling is known.ruling else replace(record, ruling=known.ruling)


def _rows(changes: Mapping[Name, Record]) -> dict[str, list[tuple[bytes, bytes]]]:
    """Return changes as they are stored, by place."""
    places: dict[str, list[tuple[bytes, bytes]]] = {}
    last, packed, here = None, b"", ""
    for (host, letter, title), record in changes.items():
        if record is not last:  # two templates may have one record
            last, packed = record, _encode(record)
        if host is not here or not places:  # what a page changed stands together
            here, rows = host, places.setdefault(_PLACE + host, [])
        rows.append((f"{letter}{title}".encode(), packed))
    return places
