"""Nearly the same text: which earlier page differs from this one in at most three bits of its SimHash.

Sixty-four bits are cut into five blocks. Two hashes that differ in three bits agree in two blocks at least, whichever they are;
so for each of the ten pairs of blocks there is a table whose keys are the bits of that pair. Whoever is near stands in the same
row of one of the ten: recall is complete by construction, and at ten million pages a row of 26 bits holds a page or none.
A sieve in memory knows most rows that are not there (`bands.py`).

Only a page that is the first of its kind is put into the tables: were near duplicates compared with as well, a chain of small
steps would make one kind of everything. They are noted beside their twin, to be listed.

A claim lives in memory until its page is durable and `commit` writes it, like one of `exact.py`: two visits under way at once
cannot both be the first. A page never is its own twin. One whose text has changed since leaves the rows it stood in.

Rows, all below one prefix: table and 26 bits -> (SimHash, name of the page)...; `p` and name -> the page as it was last noted;
`m` and the names of a twin and of a near duplicate -> the latter. A name is a fingerprint of a key; an empty row is none.
Standard: Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), section 3.
"""

import asyncio
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from gossamer.dedupe.bands import PREFIX, Sieve, rows_of
from gossamer.dedupe.rows import Rows
from gossamer.likeness import Likeness, distance
from gossamer.protocols import KeyValue
from gossamer.records import Original
from gossamer.url.fingerprint import fingerprint

NEAR = 3  # bits: the tables promise no more
ENTRY = 16  # bytes of a page in a row of a table: SimHash, name
MOST_LOADED = 50_000  # pages of a store that are put into the sieve: 0.3 s; with more, the store is asked
AT_ONCE = 1_000  # of them in one turn of the loop

_PAGE, _MEMBER = PREFIX + b"p", PREFIX + b"m"


class Known(Struct, frozen=True, array_like=True):
    """A page as it was last noted: the first of its kind, in the tables; like one that is; or neither."""

    page: Original
    simhash: int | None = None  # of a first one
    twin: bytes = b""  # name of the first one it is like


class Member(Struct, frozen=True, array_like=True):
    """A near duplicate, as it stands beside its twin."""

    page: Original
    distance: int


Claim = tuple[int, Original, list[bytes]]  # a SimHash, who has it, and the rows that were read for it
Near = list[tuple[int, bytes, bytes]]  # bits between, SimHash, name: nearest first
Move = tuple[int | None, int | None]  # a SimHash that leaves the tables, and one that enters them


class NearIndex:
    """Who had nearly the same text first, over a key-value store; `distance` is at most NEAR."""

    def __init__(self, kv: KeyValue, distance: int = NEAR, fewest_words: int = 50) -> None:
        self._kv = kv
        self._distance = distance
        self._fewest_words = fewest_words
        self._rows = Rows(kv)
        self._sieve: Sieve | None = None  # None: nobody needed it yet
        self._claims: dict[str, Claim] = {}  # not yet committed, by key of the page
        self._claimed: dict[int, list[Claim]] = {}  # the same, by each quarter of the SimHash
        self._encode = msgspec.msgpack.Encoder().encode
        self._known = msgspec.msgpack.Decoder(Known).decode
        self._member = msgspec.msgpack.Decoder(Member).decode

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        """Claim a kind of text for a page; return the nearest page that had it before, and the bits between them.

        None for the first, for a page that was the first already, and for a text of few words, which is not compared at all.
        """
        if likeness.words < self._fewest_words:
            return None
        sieve = self._sieve or await self._loaded()
        simhash = likeness.simhash
        while True:
            changes, bits, twin = self._rows.changes, self._distance + 1, None
            rows = sieve.asked(simhash)
            if rows:
                values = await self._kv.get_all(rows)
                near, name = self._near(simhash, values), _name(page)
                if (0, simhash.to_bytes(8, "big"), name) in near:
                    return None
                bits, twin = await self._stored_twin(near, name)
            if changes == self._rows.changes:  # no claim went from memory to the store meanwhile; from here on nothing waits
                break
        quarters = _quarters(simhash)
        for quarter in quarters:
            for claimed, other, _ in self._claimed.get(quarter, ()):
                if distance(simhash, claimed) < bits and other.key != page.key:
                    bits, twin = distance(simhash, claimed), other
        if twin is not None:
            return twin, bits
        self._forget(page)
        claim = self._claims[page.key] = simhash, page, rows
        for quarter in quarters:
            self._claimed.setdefault(quarter, []).append(claim)
        if rows:
            self._rows.keep(rows, values)  # a commit will add to them
        return None

    async def commit(self, claims: Sequence[tuple[Likeness, Original]]) -> None:
        """Make claims durable, all in one step; what their pages were before is forgotten."""
        notes = [Known(page, None if self._is_short(likeness) else likeness.simhash) for likeness, page in claims]
        await self._note([(note, 0) for note in notes])
        for _, page in claims:
            self._forget(page)

    async def join(self, members: Sequence[tuple[Original, Original, int]]) -> None:
        """Note near duplicates beside their twins (twin, near duplicate, bits between), durably, all in one step."""
        await self._note([(Known(member, twin=_name(twin)), bits) for twin, member, bits in members])

    def release(self, likeness: Likeness, page: Original) -> None:
        """Give back a claim whose page was not kept."""
        self._forget(page)

    async def cluster(self, simhash: int) -> list[tuple[Original, int]]:
        """Return every page of nearly that SimHash, nearest first; of a near duplicate the bits to its twin are told."""
        found = []
        for bits, theirs, name in self._near(simhash, await self._kv.get_all(rows_of(simhash))):
            known = await self._noted(name)
            if known is not None and known.simhash == int.from_bytes(theirs, "big"):
                found.append((known.page, bits))
                found += [(member.page, member.distance) for _, member in await self._members(name)]
        return sorted(found, key=lambda each: each[1])

    # --- reading -----------------------------------------------------------------------------------------------------

    async def _loaded(self) -> Sieve:
        """Put what is in the store into the sieve, unless that is much."""
        sieve = self._sieve = Sieve()  # whoever comes meanwhile asks the store, and puts in what it writes
        count = 0
        async for row, value in self._kv.scan(_PAGE):
            count += 1
            if count > MOST_LOADED:
                return sieve
            known, name = self._known(value), row[len(_PAGE) :]
            sieve.note(name)
            if known.simhash is not None:
                sieve.enter(known.simhash, name)
            if not count % AT_ONCE:
                await asyncio.sleep(0)
        sieve.whole = True
        return sieve

    def _near(self, simhash: int, values: Sequence[bytes | None]) -> Near:
        """Return what is near in some rows of the tables."""
        near: dict[bytes, int] = {}
        for value in filter(None, values):
            for start in range(0, len(value), ENTRY):
                bits = distance(simhash, int.from_bytes(value[start : start + 8], "big"))
                if bits <= self._distance:
                    near[value[start : start + ENTRY]] = bits
        return sorted((bits, entry[:8], entry[8:]) for entry, bits in near.items())

    async def _stored_twin(self, near: Near, name: bytes) -> tuple[int, Original | None]:
        """Return the nearest that is another page and has that text still."""
        for bits, theirs, other in near:
            if other != name:
                known = await self._noted(other)
                if known is not None and known.simhash == int.from_bytes(theirs, "big"):
                    return bits, known.page
        return self._distance + 1, None

    async def _noted(self, name: bytes) -> Known | None:
        value = await self._kv.get(_PAGE + name)
        return self._known(value) if value else None

    async def _members(self, name: bytes) -> list[tuple[bytes, Member]]:
        return [(row, self._member(value)) async for row, value in self._kv.scan(_MEMBER + name) if value]

    # --- writing -----------------------------------------------------------------------------------------------------

    def _is_short(self, likeness: Likeness) -> bool:
        return likeness.words < self._fewest_words

    def _forget(self, page: Original) -> None:
        claim = self._claims.pop(page.key, None)
        if claim is None:
            return
        self._rows.drop(claim[2])
        for quarter in _quarters(claim[0]):
            claims = self._claimed[quarter]
            if len(claims) == 1:
                del self._claimed[quarter]
            else:
                claims.remove(claim)

    async def _note(self, notes: Sequence[tuple[Known, int]]) -> None:
        """Write what pages are now, and take away what they were; with a near duplicate come the bits to its twin."""
        if notes:
            await self._rows.change(lambda: self._changed_by(notes))

    async def _changed_by(self, notes: Sequence[tuple[Known, int]]) -> dict[bytes, bytes]:
        sieve = self._sieve or await self._loaded()
        names = [_name(note.page) for note, _ in notes]
        before = await self._before([name for name in names if sieve.knows(name)])
        moves: dict[bytes, Move] = {}
        pairs: dict[bytes, bytes] = {}
        for name, (note, bits) in zip(names, notes, strict=True):
            known = before.get(name)
            was = known or Known(note.page)
            if was.simhash != note.simhash:
                moves[name] = (moves[name][0] if name in moves else was.simhash, note.simhash)
                if was.simhash is not None and not self._is_near(was.simhash, note.simhash):
                    pairs.update((row, b"") for row, _ in await self._members(name))
            if was.twin and was.twin != note.twin:
                pairs[_MEMBER + was.twin + name] = b""
            if note.twin:
                pairs[_MEMBER + note.twin + name] = self._encode(Member(note.page, bits))
            if known is not None or note.twin or note.simhash is not None:
                pairs[_PAGE + name] = self._encode(note)
                sieve.note(name)
                before[name] = note
        pairs.update(await self._moved(moves, sieve))
        return pairs

    async def _before(self, names: Sequence[bytes]) -> dict[bytes, Known]:
        stored = await self._rows.latest([_PAGE + name for name in names])
        return {name: self._known(value) for name, value in zip(names, stored, strict=True) if value}

    def _is_near(self, one: int, two: int | None) -> bool:
        return two is not None and distance(one, two) <= self._distance

    async def _moved(self, moves: dict[bytes, Move], sieve: Sieve) -> dict[bytes, bytes]:
        """Return the rows of the tables after pages have left and entered them."""
        table: dict[bytes, bytes] = {}
        leaving: list[tuple[bytes, bytes]] = []
        entering: list[tuple[bytes, bytes]] = []
        for name, (was, now) in moves.items():
            if was is not None:
                leaving += [(row, was.to_bytes(8, "big") + name) for row in rows_of(was)]
            if now is not None:
                entry = now.to_bytes(8, "big") + name
                fresh, others = sieve.enter(now, entry)
                table.update(fresh)
                entering += [(row, entry) for row in others]
        rows = [row for row in dict(leaving + entering) if row not in table]
        table.update((row, value or b"") for row, value in zip(rows, await self._rows.latest(rows), strict=True))
        for row, entry in leaving:
            entries = (table[row][start : start + ENTRY] for start in range(0, len(table[row]), ENTRY))
            table[row] = b"".join([each for each in entries if each != entry])
        for row, entry in entering:
            table[row] += entry
        return table


def _quarters(simhash: int) -> tuple[int, int, int, int]:
    """Cut a SimHash into four: two that differ in three bits have a quarter in common, and few others do among some hundred."""
    return simhash & 0xFFFF, simhash >> 16 & 0xFFFF | 1 << 16, simhash >> 32 & 0xFFFF | 2 << 16, simhash >> 48 | 3 << 16


def _name(page: Original) -> bytes:
    return fingerprint(page.key).to_bytes(8, "big")
