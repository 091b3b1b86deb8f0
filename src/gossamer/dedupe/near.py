"""Nearly the same text: which earlier page differs from this one in at most three bits of its SimHash.

Sixty-four bits are cut into five blocks. Two hashes that differ in three bits agree in two blocks at least, whichever they are;
so for each of the ten pairs of blocks there is a table whose keys are the bits of that pair. Whoever is near stands in the same
row of one of the ten: recall is complete by construction, and at ten million pages a row of 26 bits holds a page or none.

Only a page that is the first of its kind is put into the tables: were near duplicates compared with as well, a chain of small
steps would make one kind of everything. They are noted beside their twin, to be listed.

A claim lives in memory until its page is durable and `commit` writes it, like one of `exact.py`: two visits under way at once
cannot both be the first. A page never is its own twin. One whose text has changed since leaves the rows it stood in.

Rows, all below one prefix: table and 26 bits -> (SimHash, name of the page)...; `p` and name -> the page as it was last noted;
`m` and the names of a twin and of a near duplicate -> the latter. A name is a fingerprint of a key; an empty row is none.
Standard: Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), section 3.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, repeat

import msgspec
from msgspec import Struct

from gossamer.dedupe.rows import Rows
from gossamer.likeness import Likeness, distance
from gossamer.protocols import KeyValue
from gossamer.records import Original
from gossamer.url.fingerprint import fingerprint

NEAR = 3  # bits: the tables promise no more
BLOCKS = (13, 13, 13, 13, 12)  # bits of each
ENTRY = 16  # bytes of a page in a row of a table: SimHash, name

_PREFIX = b"near/"  # in a store that is shared with robots and DNS
_PAGE, _MEMBER = _PREFIX + b"p", _PREFIX + b"m"
_SPANS = [(64 - sum(BLOCKS[: place + 1]), width) for place, width in enumerate(BLOCKS)]
_TABLES = [  # of each pair of blocks: where they begin and which bits they have, and how far the first is moved up
    (number << 32, high, (1 << high_width) - 1, low, (1 << low_width) - 1, low_width)
    for number, ((high, high_width), (low, low_width)) in enumerate(combinations(_SPANS, 2))
]


class Known(Struct, frozen=True, array_like=True):
    """A page as it was last noted: the first of its kind, in the tables; like one that is; or neither."""

    page: Original
    simhash: int | None = None  # of a first one
    twin: bytes = b""  # name of the first one it is like


class Member(Struct, frozen=True, array_like=True):
    """A near duplicate, as it stands beside its twin."""

    page: Original
    distance: int


Claim = tuple[int, Original, tuple[bytes, ...]]  # a SimHash, who has it, and the rows of the tables it belongs in
Near = list[tuple[int, bytes, bytes]]  # bits between, SimHash, name: nearest first
Move = tuple[int | None, int | None]  # a SimHash that leaves the tables, and one that enters them


class NearIndex:
    """Who had nearly the same text first, over a key-value store; `distance` is at most NEAR."""

    def __init__(self, kv: KeyValue, distance: int = NEAR, fewest_words: int = 50) -> None:
        self._kv = kv
        self._distance = distance
        self._fewest_words = fewest_words
        self._rows = Rows(kv)
        self._claims: dict[str, Claim] = {}  # not yet committed, by key of the page
        self._claimed: dict[bytes, list[Claim]] = {}  # the same, as rows of the tables
        self._encode = msgspec.msgpack.Encoder().encode
        self._known = msgspec.msgpack.Decoder(Known).decode
        self._member = msgspec.msgpack.Decoder(Member).decode

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        """Claim a kind of text for a page; return the nearest page that had it before, and the bits between them.

        None for the first, for a page that was the first already, and for a text of few words, which is not compared at all.
        """
        if self._is_short(likeness):
            return None
        simhash, name = likeness.simhash, _name(page)
        rows = _rows(simhash)
        while True:
            changes = self._rows.changes
            values = await self._kv.get_all(rows)
            near = self._near(simhash, values)
            if (0, simhash.to_bytes(8, "big"), name) in near:
                return None
            bits, twin = await self._stored_twin(near, name)
            if changes == self._rows.changes:  # no claim went from memory to the store meanwhile; from here on nothing waits
                break
        for row in rows:
            for claimed, other, _ in self._claimed.get(row, ()):
                if distance(simhash, claimed) < bits and other.key != page.key:
                    bits, twin = distance(simhash, claimed), other
        if twin is None:
            self._remember((simhash, page, rows))
            self._rows.keep(rows, values)  # a commit will add to them
        return None if twin is None else (twin, bits)

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
        for bits, theirs, name in self._near(simhash, await self._kv.get_all(_rows(simhash))):
            known = await self._noted(name)
            if known is not None and known.simhash == int.from_bytes(theirs, "big"):
                found.append((known.page, bits))
                found += [(member.page, member.distance) for _, member in await self._members(name)]
        return sorted(found, key=lambda each: each[1])

    # --- reading -----------------------------------------------------------------------------------------------------

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

    def _remember(self, claim: Claim) -> None:
        _, page, rows = claim
        self._forget(page)
        self._claims[page.key] = claim
        for row in rows:
            self._claimed.setdefault(row, []).append(claim)

    def _forget(self, page: Original) -> None:
        claim = self._claims.pop(page.key, None)
        if claim is None:
            return
        self._rows.drop(claim[2])
        for row in claim[2]:
            self._claimed[row].remove(claim)
            if not self._claimed[row]:
                del self._claimed[row]

    async def _note(self, notes: Sequence[tuple[Known, int]]) -> None:
        """Write what pages are now, and take away what they were; with a near duplicate come the bits to its twin."""
        if notes:
            await self._rows.change(lambda: self._changed_by(notes))

    async def _changed_by(self, notes: Sequence[tuple[Known, int]]) -> dict[bytes, bytes]:
        names = [_name(note.page) for note, _ in notes]
        stored = await self._rows.latest([_PAGE + name for name in names])
        before = {name: self._known(value) if value else None for name, value in zip(names, stored, strict=True)}
        moves: dict[bytes, Move] = {}
        pairs: dict[bytes, bytes] = {}
        for name, (note, bits) in zip(names, notes, strict=True):
            was = before[name] or Known(note.page)
            if was.simhash != note.simhash:
                moves[name] = (moves[name][0] if name in moves else was.simhash, note.simhash)
                if was.simhash is not None and not self._is_near(was.simhash, note.simhash):
                    pairs.update((row, b"") for row, _ in await self._members(name))
            if was.twin and was.twin != note.twin:
                pairs[_MEMBER + was.twin + name] = b""
            if note.twin:
                pairs[_MEMBER + note.twin + name] = self._encode(Member(note.page, bits))
            if before[name] is not None or note != Known(note.page):
                pairs[_PAGE + name] = self._encode(note)
            before[name] = note
        return pairs | await self._moved(moves)

    def _is_near(self, one: int, two: int | None) -> bool:
        return two is not None and distance(one, two) <= self._distance

    async def _moved(self, moves: dict[bytes, Move]) -> dict[bytes, bytes]:
        """Return the rows of the tables after pages have left and entered them."""
        leaving = [pair for name, (was, _) in moves.items() if was is not None for pair in _placed(was, name)]
        entering = [pair for name, (_, now) in moves.items() if now is not None for pair in _placed(now, name)]
        rows = list(dict(leaving + entering))
        table = {row: value or b"" for row, value in zip(rows, await self._rows.latest(rows), strict=True)}
        for row, entry in leaving:
            entries = (table[row][start : start + ENTRY] for start in range(0, len(table[row]), ENTRY))
            table[row] = b"".join(each for each in entries if each != entry)
        for row, entry in entering:
            table[row] += entry
        return table


@lru_cache(maxsize=1024)  # a commit asks for those of its claims again
def _rows(simhash: int) -> tuple[bytes, ...]:
    """Return the row of each table that a SimHash stands in."""
    rows = [
        _PREFIX + (number | (simhash >> high & high_bits) << width | simhash >> low & low_bits).to_bytes(5, "big")
        for number, high, high_bits, low, low_bits, width in _TABLES
    ]
    return tuple(rows)


def _name(page: Original) -> bytes:
    return fingerprint(page.key).to_bytes(8, "big")


def _placed(simhash: int, name: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Pair the rows that a page stands in with what is there of it."""
    return zip(_rows(simhash), repeat(simhash.to_bytes(8, "big") + name))
