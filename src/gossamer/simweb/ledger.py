"""The request ledger: what the synthetic web was really asked for, when, and what it sent.

A line is written with one system call when its answer has been handed to the socket, so that killing the server loses none
that was answered. Times are monotonic seconds, comparable within one machine. A status of 0: the client left before its answer.

What was sent is told by digests. Who does not send whole answers at once (the attacks) has a transcript instead, in a file
beside the ledger: every piece is in it before it is handed to the socket, so a part of an answer can be compared, too.
"""

from io import FileIO
from os import PathLike, fspath

import msgspec

TRANSCRIPT = ".said"  # after the name of the ledger


class SeenRequest(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One request: from the arrival of its first byte until its answer was handed to the socket."""

    start: float
    end: float
    host: str  # without port
    path: str  # with its query
    status: int
    version: int = 0  # of a page that changes, whether it was sent or the client has it; 0: of any other
    conditional: bool = False  # the client asked for it only if it had changed
    head: str = ""  # SHA-1 in hex of the status line and headers that were sent, final blank line included
    body: str = ""  # the same of all that was sent after it
    payload: str = ""  # the same of what a chunked body carries; empty when it is the body
    answer: str = ""  # the name of its answer in the transcript, instead of digests


class Said(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A piece of an answer, as a line of the transcript has it."""

    answer: str
    words: bytes = b""  # empty: those of its last line once more
    crossed: bool = False  # said before the request came, so late that it was perhaps under way: the answer, or no part of it


class RequestLedger:
    """Keeps requests in memory, in a file, or both."""

    def __init__(self, path: str | PathLike[str] | None = None, keep: bool = False) -> None:
        self._path = path
        self._file = _open(path) if path is not None else None
        self._transcript: FileIO | None = None  # there when something is in it
        self._encode = msgspec.json.Encoder().encode
        self._keep = keep
        self.requests: list[SeenRequest] = []

    def add(self, request: SeenRequest) -> None:
        """Write a request down."""
        if self._file is not None:
            self._file.write(self._encode(request) + b"\n")
        if self._keep:
            self.requests.append(request)

    def say(self, said: Said) -> None:
        """Write down a piece of an answer."""
        if self._path is None:
            return
        if self._transcript is None:
            self._transcript = _open(f"{fspath(self._path)}{TRANSCRIPT}")
        self._transcript.write(self._encode(said) + b"\n")

    def close(self) -> None:
        """Close the files, if any."""
        for file in (self._file, self._transcript):
            if file is not None:
                file.close()
        self._path = self._file = self._transcript = None


def _open(path: str | PathLike[str]) -> FileIO:
    """Open a file to append to, so that every write is one system call."""
    return open(path, "ab", buffering=0)


def read(path: str | PathLike[str]) -> list[SeenRequest]:
    """Read a ledger back."""
    decode = msgspec.json.Decoder(SeenRequest).decode
    with open(path, "rb") as file:
        return [decode(line) for line in file]
