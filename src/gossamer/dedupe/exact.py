"""Exact sameness: the first page with some content owns it, every later one is its duplicate.

A claim lives in memory until its page is durable and `commit` writes it; so two visits under way at once cannot both be the
first, and a crash forgets only claims whose visits are repeated. A page never is its own duplicate: a visit repeated after a
crash finds its own claim in the store and goes on as the first.
"""

from collections.abc import Sequence

import msgspec

from gossamer.protocols import KeyValue
from gossamer.records import Original

_PREFIX = b"digest/"  # in a store that is shared with robots and DNS


class ExactDeduper:
    """Who had which payload first, over a key-value store."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv
        self._claims: dict[str, Original] = {}  # not yet committed
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Original).decode

    async def claim(self, digest: str, page: Original) -> Original | None:
        """Claim content for a page; return the page that had it before, None when this is the first or had it itself."""
        first = self._claims.get(digest)
        if first is None:
            stored = await self._kv.get(_key(digest))
            # Another visit may have claimed it while the store was read; from here on nothing waits.
            first = self._decode(stored) if stored is not None else self._claims.setdefault(digest, page)
        return None if first.key == page.key else first

    async def commit(self, claims: Sequence[tuple[str, Original]]) -> None:
        """Make claims durable, all in one step."""
        await self._kv.put_all([(_key(digest), self._encode(page)) for digest, page in claims])
        for digest, page in claims:
            self.release(digest, page)

    async def forget(self, captures: Sequence[tuple[str, str, float]]) -> None:
        """Drop claims whose capture is no longer kept, so that nobody becomes the duplicate of bytes that are gone."""
        stored = await self._kv.get_all([_key(digest) for digest, *_ in captures])
        for (digest, key, captured_at), record in zip(captures, stored, strict=True):
            page = self._decode(record) if record is not None else None
            if page is not None and page.key == key and page.fetched_at <= captured_at:
                await self._kv.delete(_key(digest))

    def release(self, digest: str, page: Original) -> None:
        """Give back a claim whose page was not kept."""
        claimed = self._claims.get(digest)
        if claimed is not None and claimed.key == page.key:
            del self._claims[digest]


def _key(digest: str) -> bytes:
    return _PREFIX + digest.removeprefix("sha1:").encode()
