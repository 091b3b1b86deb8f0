"""Requests that are sent again: the answer to a POST with an Idempotency-Key is kept for a day, and given again.

A row is written, durably, before the request is carried out, and its answer before it is sent: a server that is killed in
between has left a row without an answer. Whether such a request was carried out cannot be told from here. Routes that may be
carried out twice, because the second time changes nothing or finds what the first has made, say so
(`opt={"repeatable": True}`); at all others the answer is 409, and a person looks.
"""

import sqlite3
from hashlib import sha256
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from gossamer.api.refusal import RequestRefused
from gossamer.errors import CrawlReadOnly, DiskFull

FILE = "serve.db"
DAY = 86_400.0
LONGEST = 200  # characters of a key
_TABLE = """create table if not exists repeats (
    who text, key text, request blob, run text, at real, answer blob, primary key (who, key)
) without rowid"""


class KeptAnswer(Struct, frozen=True):
    """An answer as it was sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Repeats:
    """Answers by key, in a file of the place that is served."""

    def __init__(self, place: Path, run: str) -> None:
        """`run`: this run of the server, told from all others."""
        self._run = run
        self._lock = Lock()  # calls come from threads
        path = place / FILE
        path.touch(0o600)
        self._store = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._store.execute("pragma journal_mode = wal")
        self._store.execute("pragma synchronous = full")
        self._store.execute(_TABLE)

    def begin(self, who: str, key: str, request: bytes, repeatable: bool, now: float) -> KeptAnswer | None:
        """Return the answer that was given already; None: carry the request out, and tell `end` what came of it."""
        try:
            with self._lock:
                self._store.execute("delete from repeats where at < ?", (now - DAY,))
                found = self._store.execute(
                    "select request, run, answer from repeats where who = ? and key = ?", (who, key)
                ).fetchone()
                if found is None or (found[0] == request and found[2] is None and found[1] != self._run and repeatable):
                    row = (who, key, request, self._run, now)
                    self._store.execute("insert or replace into repeats values (?, ?, ?, ?, ?, null)", row)
                    return None
        except sqlite3.OperationalError as error:
            raise _failed(error) from error
        known, run, answer = found
        if known != request:
            raise RequestRefused(
                422, "idempotency-key", "this Idempotency-Key came with another request before; take a new one"
            )
        if answer is not None:
            return msgspec.msgpack.decode(answer, type=KeptAnswer)
        if run == self._run:
            raise RequestRefused(
                409, "under-way", "this request is being carried out; ask again for its answer", {"Retry-After": "1"}
            )
        raise RequestRefused(
            409,
            "unknown-outcome",
            "this request came before and its answer was lost; look what became of it, then take a new key",
        )

    def end(self, who: str, key: str, answer: KeptAnswer | None) -> None:
        """Keep an answer; None: nobody knows what came of the request, so that it is as if this run had ended."""
        try:
            with self._lock:
                if answer is None:
                    self._store.execute("update repeats set run = '' where who = ? and key = ?", (who, key))
                else:
                    kept = msgspec.msgpack.encode(answer)
                    self._store.execute("update repeats set answer = ? where who = ? and key = ?", (kept, who, key))
        except sqlite3.OperationalError as error:
            raise _failed(error) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._store.close()


def key_of(headers: dict[bytes, bytes]) -> str:
    """Return the key of a request; empty: it has none."""
    given = headers.get(b"idempotency-key")
    if given is None:
        return ""
    key = given.decode("latin-1")
    if not key or len(key) > LONGEST or not key.isascii() or not key.isprintable():
        raise RequestRefused(422, "idempotency-key", f"an Idempotency-Key has 1 to {LONGEST} characters that can be printed")
    return key


def fingerprint(method: str, path: str, query: bytes, body: bytes) -> bytes:
    """Return what tells a request from others."""
    parts = (method.encode(), path.encode(), query, body)
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def _failed(error: sqlite3.OperationalError) -> DiskFull | CrawlReadOnly:
    full = "full" in str(error)
    remedy = "free some space" if full else "check its permissions"
    return (DiskFull if full else CrawlReadOnly)(f"cannot keep what was asked in {FILE}: {error}; {remedy}")
