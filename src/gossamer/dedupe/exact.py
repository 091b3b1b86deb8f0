"""Exact sameness: the first page with some content owns it, unless a later one is canonical; all others are its duplicates.

A claim lives in memory until its page is durable and `commit` writes it; so two visits under way at once cannot both be the
first, and a crash forgets only claims whose visits are repeated. A page never is its own duplicate: a visit repeated after a
crash finds its own claim in the store and goes on as the first. One that takes the place of another (`policy/canonical.py`)
holds the claim at once; who of the two has it for good is told before they are committed, in whatever order they are.

Most digests are new, and a sieve in memory knows it of nearly all of these. A store with more claims than are worth looking at
when the first digest comes is asked for each.
Invariant: a digest that is in the store, or on its way there, has its bit; or the sieve is not whole, and lets all through.
"""

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from gossamer.joints.keyvalue import KeyValue
from gossamer.policy import canonical
from gossamer.policy.canonical import Why
from gossamer.records.page import Original
from gossamer.records.visit import Succession

MOST_LOADED = 100_000  # claims of a store that are put into the sieve: 0.1 s
AT_ONCE = 1_000  # of them in one turn of the loop

_PLACE = "digest/"  # and the first characters of a digest
_FIRST = 2
_USUAL = "sha1:"  # how nearly every digest begins: left out in the store
_PLACES = 1 << 23  # of the sieve: 1 MB


class ExactDeduper:
    """The owner of each payload, by digest, over a key-value store."""

    def __init__(self, kv: KeyValue, why: Why = canonical.why) -> None:
        self._kv = kv
        self._why = why
        self._claims: dict[str, Original] = {}  # not yet committed
        self._contested: dict[str, dict[str, Original]] = {}  # by digest: who claimed it and is not committed, by key
        self._sieve = bytearray()  # empty: nobody needed it yet
        self._is_whole = False
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Original).decode

    async def claim(self, digest: str, page: Original) -> Original | None:
        """Claim content for a page; return the page that has it and stays the canonical one, None when this one is."""
        first = self._claims.get(digest)
        if first is None:
            stored = await self._stored(digest)
            # Another visit may have claimed it while the store was read; from here on nothing waits.
            first = self._claims.get(digest) or stored or self._claims.setdefault(digest, page)
        if first.key == page.key:
            return None
        if not self._why(page, first):
            return first
        self._take_over(digest, page, first)
        return None

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content."""
        return self._claims.get(digest) or await self._stored(digest)

    async def successions(self, claims: Sequence[tuple[str, Original]]) -> list[Succession]:
        """Say who of those that are to be committed takes another's place, or has lost its own meanwhile."""
        found: list[Succession] = []
        owners: dict[str, Original] = {}
        for digest, page in claims if self._contested else ():
            if digest not in self._contested:
                continue
            other = owners.get(digest) or await self._stored(digest)
            owners[digest] = page
            if other is not None and other.key != page.key:
                reason = self._why(page, other)
                if reason:
                    found.append(Succession(page, other, reason, digest))
                else:
                    reason = self._why(other, page) or "it came first"
                    found.append(Succession(other, page, reason, digest))
                    owners[digest] = other
        return found

    async def commit(self, claims: Sequence[tuple[str, Original]]) -> None:
        """Make claims durable."""
        if not self._sieve:
            await self._load()
        self._note([digest for digest, _ in claims])
        places: dict[str, list[tuple[bytes, bytes]]] = {}
        for digest, page in claims:
            place, key = _placed(digest)
            places.setdefault(place, []).append((key, self._encode(page)))
        await self._kv.put_places(places)
        for digest, page in claims:
            self._let_go(digest, page)

    async def forget(self, captures: Sequence[tuple[str, str, float]]) -> None:
        """Drop claims whose capture is no longer kept, so that nobody becomes the duplicate of bytes that are gone."""
        for digest, key, captured_at in captures:
            place, row = _placed(digest)
            record = await self._kv.at(place).get(row)
            page = self._decode(record) if record is not None else None
            if page is not None and page.key == key and page.fetched_at <= captured_at:
                await self._kv.at(place).delete(row)

    def release(self, digest: str, page: Original) -> None:
        """Give back a claim whose page was not kept; one whose place it took, and that is not kept yet either, has it again."""
        if self._let_go(digest, page) and (others := self._contested.get(digest)):
            self._claims[digest] = next(reversed(others.values()))

    def _let_go(self, digest: str, page: Original) -> bool:
        """Forget a page that claimed; return whether the claim was its own."""
        others = self._contested.get(digest)
        if others is not None:
            others.pop(page.key, None)
            if not others:
                del self._contested[digest]
        claimed = self._claims.get(digest)
        if claimed is None or claimed.key != page.key:
            return False
        del self._claims[digest]
        return True

    def _take_over(self, digest: str, page: Original, first: Original) -> None:
        others = self._contested.setdefault(digest, {})
        if self._claims.get(digest) is first:
            others[first.key] = first
        others[page.key] = self._claims[digest] = canonical.crowned(page, first)

    async def _stored(self, digest: str) -> Original | None:
        if not self._sieve:
            await self._load()
        if not self._may_have(digest):
            return None
        place, row = _placed(digest)
        stored = await self._kv.at(place).get(row)
        return self._decode(stored) if stored is not None else None

    # --- the sieve ---------------------------------------------------------------------------------------------------

    def _may_have(self, digest: str) -> bool:
        place = hash(digest) % _PLACES
        return not self._is_whole or bool(self._sieve[place >> 3] >> (place & 7) & 1)

    def _note(self, digests: Iterable[str]) -> None:
        sieve = self._sieve
        for digest in digests:
            place = hash(digest) % _PLACES
            sieve[place >> 3] |= 1 << (place & 7)

    async def _load(self) -> None:
        """Put what is in the store into the sieve, unless that is much."""
        self._sieve = bytearray(_PLACES // 8)  # whoever comes meanwhile asks the store, and notes what it writes
        count = 0
        async for place, row, _ in self._kv.walk(_PLACE):
            count += 1
            if count > MOST_LOADED:
                return
            self._note([_digest(place, row)])
            if not count % AT_ONCE:
                await asyncio.sleep(0)
        self._is_whole = True


def _placed(digest: str) -> tuple[str, bytes]:
    """Return the place of a digest, and its key there."""
    text = digest.removeprefix(_USUAL)
    return _PLACE + text[:_FIRST], text[_FIRST:].encode()


def _digest(place: str, key: bytes) -> str:
    """Return a digest as whoever claims it calls it: with the name of its algorithm."""
    text = place.removeprefix(_PLACE) + key.decode()
    return text if ":" in text else _USUAL + text
