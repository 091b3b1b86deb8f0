"""The request ledger: what the synthetic web was really asked for, and when.

A line is written with one system call when its answer has been handed to the socket, so that killing the server loses none
that was answered. Times are monotonic seconds, comparable within one machine. A status of 0: the client left before its answer.
"""

from os import PathLike
from pathlib import Path

import msgspec


class Request(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One request: from the arrival of its first byte until its answer was handed to the socket."""

    start: float
    end: float
    host: str  # without port
    path: str  # with its query
    status: int
    version: int = 0  # of a page that changes, whether it was sent or the client has it; 0: of any other
    conditional: bool = False  # the client asked for it only if it had changed


class Ledger:
    """Keeps requests in memory, in a file, or both."""

    def __init__(self, path: str | PathLike[str] | None = None, keep: bool = False) -> None:
        self._file = Path(path).open("ab", buffering=0) if path is not None else None  # noqa: SIM115 - closed by close()
        self._encode = msgspec.json.Encoder().encode
        self._keep = keep
        self.requests: list[Request] = []

    def add(self, request: Request) -> None:
        """Write a request down."""
        if self._file is not None:
            self._file.write(self._encode(request) + b"\n")
        if self._keep:
            self.requests.append(request)

    def close(self) -> None:
        """Close the file, if any."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read(path: str | PathLike[str]) -> list[Request]:
    """Read a ledger back."""
    decode = msgspec.json.Decoder(Request).decode
    with open(path, "rb") as file:
        return [decode(line) for line in file]
