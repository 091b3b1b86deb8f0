"""Nearly the same text: which earlier page differs from this one in at most three bits of its SimHash.

The latest pages are found in memory (`latest.py`). For those before them the sixty-four bits are cut into five blocks. Two
hashes that differ in three bits agree in two blocks at least, whichever they are; so for each of the ten pairs of blocks there
is a table whose keys are the bits of that pair. Whoever is near stands in the same row of one of the ten: recall is complete by
construction, and at ten million pages a row of 26 bits holds a page or none.
A sieve in memory knows most rows that are not there (`bands.py`).

Only the page of a kind that counts is put in, the canonical one (`policy/canonical.py`), mostly the first: were near duplicates
compared with as well, a chain of small steps would make one kind of everything. They are noted beside their twin, to be listed.
A page that takes another's place takes its near duplicates over; how far they are from it, nobody counts again.

A claim lives in memory until its page is durable and `commit` writes it, like one of `exact.py`: two visits under way at once
cannot both be the first. A page never is its own twin. One whose text has changed since leaves the rows it stood in; wherever
it is found by what it was, it is not believed.

Rows, all below one prefix: table and 26 bits -> (SimHash, name of the page)...; `l` and a number -> a leaf of the log; `p` and
name -> the page as it was last noted; `m` and the names of a twin and of a near duplicate -> the latter. A name is a
fingerprint of a key; an empty row is none. Stores written before there was a log have all their pages in the tables.
Standard: Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), section 3.
"""

import asyncio
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from gossamer.dedupe.bands import PREFIX, TABLES, Pairs, Sieve, rows_of
from gossamer.dedupe.latest import Latest, LogStep, Share
from gossamer.dedupe.recent import ENTRY, split
from gossamer.dedupe.rows import Rows
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.policy import canonical
from gossamer.policy.canonical import Why
from gossamer.records.likeness import Likeness, distance
from gossamer.records.page import Original
from gossamer.records.visit import Succession
from gossamer.url.fingerprint import hashed_bytes

NEAR = 3  # bits: the tables promise no more
MOST_LOADED = 50_000  # pages of a store that are put into the sieve: 0.3 s; with more, the store is asked
AT_ONCE = 1_000  # of them in one turn of the loop

_PAGE, _MEMBER = PREFIX + b"p", PREFIX + b"m"


class NotedPage(Struct, frozen=True, array_like=True):
    """A page as it was last noted: the first of its kind, in the tables; like one that is; or neither."""

    page: Original
    simhash: int | None = None  # of a first one
    twin: bytes = b""  # name of the first one it is like


class Member(Struct, frozen=True, array_like=True):
    """A near duplicate, as it stands beside its twin."""

    page: Original
    distance: int


Near = list[tuple[int, bytes]]  # bits between, entry
Rivals = list[tuple[int, Original]]  # bits between, page; the nearest first


class NearIndex:
    """An index of texts by SimHash, over a key-value store: finds the page that counts; `distance` is at most NEAR."""

    def __init__(self, kv: KeyValue, distance: int = NEAR, fewest_words: int = 50, why: Why = canonical.why) -> None:
        self._kv = kv.at(RUN)
        self._why = why
        self._distance = distance
        self._fewest_words = fewest_words
        self._rows = Rows(self._kv)
        self._latest: Latest | None = None  # None: nobody needed it yet
        self._loading = asyncio.Lock()
        self._loaded: tuple[Latest, Sieve] | None = None
        self._has_tables = True  # some page is in them
        self._claims: dict[bytes, tuple[bytes, Original]] = {}  # not yet committed, by name of the page: entry, page
        self._successions: dict[bytes, Succession] = {}  # by name of the copy; the other, or both, are not yet committed
        self._made = 0  # claims, ever
        self._encode = msgspec.msgpack.Encoder().encode
        self._known = msgspec.msgpack.Decoder(NotedPage).decode
        self._member = msgspec.msgpack.Decoder(Member).decode

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        """Claim a kind of text for a page; return the nearest page that has it and counts, and the bits between them.

        None for the first, for the canonical one of all that are near, for a page that counted already, and for a text of few
        words, which is not compared at all.
        """
        if likeness.words < self._fewest_words:
            return None
        latest, sieve = self._loaded or await self._load()
        simhash, name = likeness.simhash, _name(page)
        entry = simhash.to_bytes(8, "big") + name
        has_rows = self._has_tables and sieve.asked(simhash)
        if has_rows or name in self._claims or latest.enter(entry, self._distance):  # hardly ever
            rivals = await self._rivals(simhash, entry, page)
            if rivals is None:
                return None
            yielding = dict[bytes, Succession]()
            for bits, rival in rivals:
                reason = self._why(page, rival)
                if not reason:
                    return rival, bits
                yielding[_name(rival)] = Succession(page, rival, reason, bits=bits)
            self._forget([name])
            self._drop(name)
            latest.add(entry)
            self._successions |= yielding
            for succession in yielding.values():
                page = canonical.crowned(page, succession.copy)
        self._claims[name] = entry, page
        self._made += 1
        return None

    async def _rivals(self, simhash: int, entry: bytes, page: Original) -> Rivals | None:
        """Return other pages that have or claim what is near; None: the page itself has it."""
        latest, sieve = self._loaded or await self._load()
        while True:
            changes, made = self._rows.changes, self._made
            near = latest.near(simhash, self._distance)
            rows = sieve.asked(simhash) if self._has_tables else []
            rivals = await self._stored_rivals(await self._nearest(simhash, near, rows), entry)
            if rivals is None:
                return None
            if changes == self._rows.changes:  # no claim went from memory to the store meanwhile; from here on nothing waits
                near = near if made == self._made else latest.near(simhash, self._distance)
                break
        for apart, other in near:
            claimed = self._claims.get(other[8:])
            if claimed is not None and claimed[0] == other and claimed[1].key != page.key:
                rivals.append((apart, claimed[1]))
        return sorted(rivals, key=lambda each: each[0])

    async def successions(self, claims: Sequence[tuple[Likeness, Original]]) -> list[Succession]:
        """Say who of those that are to be committed takes another's place, or has lost its own meanwhile."""
        if not self._successions:
            return []
        names = {_name(page) for _, page in claims}
        found = []
        for name, succession in self._successions.items():
            winner = _name(succession.canonical)
            if winner in names or name in names:
                others = [other for other in (winner, name) if other not in names]
                if all([(known := await self._noted(other)) is not None and known.simhash is not None for other in others]):
                    found.append(succession)
        return found

    async def commit(
        self, claims: Sequence[tuple[Likeness, Original]], members: Sequence[tuple[Original, Original, int]] = ()
    ) -> None:
        """Make claims durable and note near duplicates beside their twins, all in one step.

        What these pages were before is forgotten; what was near to one that is a near duplicate now goes to its twin.
        """
        fewest = self._fewest_words
        notes = {
            _name(page): NotedPage(page, likeness.simhash if likeness.words >= fewest else None) for likeness, page in claims
        }
        notes |= {_name(member): NotedPage(member, twin=_name(twin)) for twin, member, _ in members}
        await self._note(notes, {_name(member): bits for _, member, bits in members})
        self._forget(notes)
        for name, succession in list(self._successions.items()):
            is_told = _name(succession.canonical) in notes and name not in self._claims  # else the other one is still under way
            if is_told or (name in notes and notes[name].twin):
                del self._successions[name]

    def release(self, likeness: Likeness, page: Original) -> None:
        """Give back a claim whose page was not kept."""
        self._forget([_name(page)])
        self._drop(_name(page))

    async def cluster(self, simhash: int) -> list[tuple[Original, int]]:
        """Return every page of nearly that SimHash, nearest first; of a near duplicate the bits to its twin are told."""
        latest = self._latest or await self._read_log()
        found = []
        for bits, entry in await self._nearest(simhash, latest.near(simhash, self._distance), rows_of(simhash)):
            page = await self._has_text(entry)
            if page is not None:
                found.append((page, bits))
                found += [(member.page, member.distance) for _, member in await self._members(entry[8:])]
        return sorted(found, key=lambda each: each[1])

    # --- reading -----------------------------------------------------------------------------------------------------

    async def _read_log(self) -> Latest:
        async with self._loading:  # nothing may be logged before all of it was read
            if self._latest is None:
                latest = await Latest.load(self._kv)
                self._has_tables = False
                async for row, _ in self._kv.scan(PREFIX):
                    self._has_tables = row[len(PREFIX)] < TABLES  # they come first
                    break
                self._latest = latest
        return self._latest

    async def _load(self) -> tuple[Latest, Sieve]:
        """Read the log, and put what is in the store into the sieve, unless that is much."""
        latest = await self._read_log()
        if self._loaded is not None:
            return self._loaded  # somebody else was faster
        has_tables, sieve, count = self._has_tables, Sieve(), 0
        sieve.has_all_rows = not has_tables
        self._loaded = latest, sieve  # whoever comes meanwhile asks the store, and puts in what it writes
        async for row, value in self._kv.scan(_PAGE):
            count += 1
            if count > MOST_LOADED:
                return self._loaded
            sieve.met([row[len(_PAGE) :]])
            simhash = self._known(value).simhash if has_tables else None
            if simhash is not None:
                sieve.enter(simhash)
            if not count % AT_ONCE:
                await asyncio.sleep(0)
        sieve.has_all_names = sieve.has_all_rows = True
        return self._loaded

    async def _nearest(self, simhash: int, latest: Near, rows: list[bytes]) -> Near:
        """Return what is near among the latest and in rows of the tables, each once, the nearest first."""
        near = {entry: bits for bits, entry in latest}
        for value in filter(None, await self._rows.latest(rows)):
            for entry in split(value):
                bits = distance(simhash, int.from_bytes(entry[:8], "big"))
                if bits <= self._distance:
                    near[entry] = bits
        return sorted((bits, entry) for entry, bits in near.items())

    async def _stored_rivals(self, near: Near, own: bytes) -> Rivals | None:
        """Return other pages that have that text still, and the bits between; None: the page itself has it."""
        is_own = any(entry == own for _, entry in near)
        if is_own and await self._has_text(own) is not None:
            return None
        others = [(bits, await self._has_text(entry)) for bits, entry in near if entry[8:] != own[8:]]
        return [(bits, page) for bits, page in others if page is not None]

    async def _has_text(self, entry: bytes) -> Original | None:
        """Return the page of an entry if it is that still."""
        known = await self._noted(entry[8:])
        return known.page if known is not None and known.simhash == int.from_bytes(entry[:8], "big") else None

    async def _noted(self, name: bytes) -> NotedPage | None:
        value = await self._kv.get(_PAGE + name)
        return self._known(value) if value else None

    async def _members(self, name: bytes) -> list[tuple[bytes, Member]]:
        return [(row, self._member(value)) async for row, value in self._kv.scan(_MEMBER + name) if value]

    # --- writing -----------------------------------------------------------------------------------------------------

    def _drop(self, name: bytes) -> None:
        """Let a page neither take nor lose a place."""
        for other in [other for other, one in self._successions.items() if name in (other, _name(one.canonical))]:
            del self._successions[other]

    def _forget(self, names: Iterable[bytes]) -> None:
        """Claim no longer."""
        claims = self._claims
        entries = [claimed[0] for name in names if (claimed := claims.pop(name, None)) is not None]
        if entries and self._latest is not None:
            self._latest.remove(b"".join(entries))

    async def _note(self, notes: dict[bytes, NotedPage], bits: dict[bytes, int]) -> None:
        """Write what pages are now, and take away what they were; with near duplicates come the bits to their twins."""
        if not notes:
            return
        latest, _ = self._loaded or await self._load()
        step = LogStep()
        try:
            await self._rows.change(lambda: self._changed_by(notes, bits, step))
        except BaseException:
            latest.owe(step)
            raise
        latest.remove(step.overwritten)

    async def _changed_by(self, notes: dict[bytes, NotedPage], bits: dict[bytes, int], step: LogStep) -> dict[bytes, bytes]:
        latest, sieve = self._loaded or await self._load()
        before = await self._before(sieve.met(list(notes)))
        pairs: dict[bytes, bytes] = {}
        left, new = list[bytes](), list[bytes]()
        for name, note in notes.items():
            known, simhash = before.get(name), note.simhash
            if known is not None or note.twin:
                pairs.update(await self._beside(name, known or NotedPage(note.page), note, bits.get(name, 0)))
                if known is not None and note.twin in notes:
                    pairs.update(await self._inherited(name, known, note.twin, notes))
            elif simhash is None:
                continue
            was = known.simhash if known is not None else None
            if was is not None and was != simhash:
                left.append(was.to_bytes(8, "big") + name)
            if simhash is not None and was != simhash:
                new.append(simhash.to_bytes(8, "big") + name)
            pairs[_PAGE + name] = self._encode(note)
        for entry in left:
            latest.leave(entry)
        pairs.update(latest.log(b"".join(new), step))
        if step.shares:
            self._has_tables = True
        if self._has_tables:
            pairs.update(await self._moved(left, step.shares, sieve))
        return pairs

    async def _beside(self, name: bytes, was: NotedPage, now: NotedPage, bits: int) -> dict[bytes, bytes]:
        """Return rows of near duplicates that change with a page."""
        pairs: dict[bytes, bytes] = {}
        if was.simhash is not None and (now.simhash is None or distance(was.simhash, now.simhash) > self._distance):
            pairs.update((row, b"") for row, _ in await self._members(name))
        if was.twin and was.twin != now.twin:
            pairs[_MEMBER + was.twin + name] = b""
        if now.twin:
            pairs[_MEMBER + now.twin + name] = self._encode(Member(now.page, bits))
        return pairs

    async def _inherited(self, name: bytes, was: NotedPage, heir: bytes, notes: dict[bytes, NotedPage]) -> dict[bytes, bytes]:
        """Return rows of near duplicates of a page whose place is taken: they are those of its heir now."""
        simhash = notes[heir].simhash
        if was.simhash is None or simhash is None or distance(was.simhash, simhash) > self._distance:
            return {}  # its text is another now, so they are nobody's
        pairs: dict[bytes, bytes] = {}
        for row, member in await self._members(name):
            if row[-8:] not in notes:
                pairs[_MEMBER + heir + row[-8:]] = self._encode(member)
                pairs[_PAGE + row[-8:]] = self._encode(NotedPage(member.page, twin=heir))
        return pairs

    async def _before(self, names: Sequence[bytes]) -> dict[bytes, NotedPage]:
        stored = await self._rows.latest([_PAGE + name for name in names])
        return {name: self._known(value) for name, value in zip(names, stored, strict=True) if value}

    async def _moved(self, left: list[bytes], shares: list[Share], sieve: Sieve) -> dict[bytes, bytes]:
        """Return the rows of the tables after entries have left and entered them; one that is there enters no more."""
        table: dict[bytes, bytes] = {}
        entering: Pairs = []
        for number, entries in shares:
            fresh, others = sieve.entered(number, entries)
            table.update(fresh)
            entering += others
        leaving = [(row, entry) for entry in left for row in sieve.asked(int.from_bytes(entry[:8], "big"))]
        rows = [row for row in dict(leaving + entering) if row not in table]
        stored = dict(zip(rows, await self._rows.latest(rows), strict=True))
        for row, entry in leaving:
            value = table.get(row) or stored.get(row) or b""
            if (place := _place(value, entry)) >= 0:
                table[row] = value[:place] + value[place + ENTRY :]
        for row, entry in entering:
            value = table.get(row) or stored.get(row) or b""
            if _place(value, entry) < 0:
                table[row] = value + entry
        return table


def _place(entries: bytes, entry: bytes) -> int:
    """Return where an entry stands among others; -1: nowhere."""
    place = entries.find(entry)
    while place >= 0 and place % ENTRY:
        place = entries.find(entry, place + 1)
    return place


def _name(page: Original) -> bytes:
    return hashed_bytes(page.key)
