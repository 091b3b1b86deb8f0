"""Lasting tokens of a place that is served: who may ask its server for what, until when.

They are in `tokens.json`, for its owner alone, and of each only the SHA-256: whoever reads the file cannot ask with it. Command
line and server both write it, whole and one at a time; the server looks at the file whenever it is asked, so that a token that
was revoked is refused by the next request.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import Literal

import msgspec
from msgspec import Struct

from gossamer.config.choice import remedy
from gossamer.errors import CrawlReadOnly, DiskFull, StoreError, UsageError
from gossamer.jobs.directory import FULL
from gossamer.seal import write_whole

FILE = "tokens.json"
SCOPES = ("read", "operate", "admin")  # each may do all that those before it may
START = "start"  # the name of the token that a server makes when it starts
TokenScope = Literal["read", "operate", "admin"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")


class Token(Struct, frozen=True, kw_only=True):
    """A token, without what is secret about it."""

    name: str
    scope: TokenScope
    digest: str  # SHA-256 of its text, in hex
    created: float
    expires: float | None = None


def new_text() -> str:
    """Return the text of a token that nobody guesses."""
    return token_urlsafe(32)


def digest_of(text: str) -> str:
    """Return what is kept of a token."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


class TokenFile:
    """The lasting tokens of a place."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._path = place / FILE
        self._read: tuple[tuple[int, int, int], list[Token]] | None = None

    def all(self) -> list[Token]:
        """Return the tokens as the file has them now, in the order they were made."""
        try:
            seen = self._path.stat()
        except FileNotFoundError:
            return []
        version = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        if self._read is None or self._read[0] != version:
            self._read = (version, self._content())
        return self._read[1]

    def make(self, name: str, scope: str, expires: float | None, now: float) -> tuple[Token, str]:
        """Make a token and return it with its text, which is told this once; `expires`: a time, None: never."""
        if not _NAME.match(name):
            raise UsageError(f"{name!r} is no name for a token; use letters, digits, dots and dashes, at most 63")
        if scope not in SCOPES:
            raise UsageError(f"there is no scope {scope!r}; {remedy(scope, SCOPES)}")
        if expires is not None and expires <= now:
            raise UsageError(f"the token {name} would have expired already; give it more time")
        text = new_text()
        made = Token(name=name, scope=scope, digest=digest_of(text), created=now, expires=expires)  # type: ignore[arg-type]
        with self._held():
            others = self._content()
            if name == START or any(other.name == name for other in others):
                raise UsageError(f"there is a token {name} already; revoke it first, or choose another name")
            self._write([*others, made])
        return made, text

    def revoke(self, name: str) -> bool:
        """End a token; tell whether there was one of that name."""
        with self._held():
            tokens = self._content()
            left = [token for token in tokens if token.name != name]
            if len(left) == len(tokens):
                return False
            self._write(left)
            return True

    def _content(self) -> list[Token]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[Token])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError(f"cannot read {self._path}: {error}; remove it and make the tokens anew") from None

    def _write(self, tokens: list[Token]) -> None:
        write_whole(self._path, msgspec.json.format(msgspec.json.encode(tokens)) + b"\n", mode=0o600)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let nobody else write meanwhile."""
        try:
            descriptor = os.open(self._place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise UsageError(
                f"{self._place} cannot be opened: {error.strerror}; name a crawl, or a directory of crawls"
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as error:
            if error.errno in FULL:
                raise DiskFull(f"no space is left for {self._path}; free some") from error
            raise CrawlReadOnly(f"cannot write {self._path}: {error.strerror}; check its permissions") from error
        finally:
            os.close(descriptor)
