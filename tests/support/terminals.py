"""A command on a terminal, as a person sees it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from time import monotonic

from crawling import CLEAN, GOSSAMER

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(columns: int, *arguments: object) -> str:
    """Run a command on a terminal of so many columns; return everything it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    words = [*GOSSAMER, *map(str, arguments)]
    environment = {name: value for name, value in CLEAN.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(words, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm-256color"}) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end was closed
                break
            seen += piece
        process.wait(60)
    os.close(ours)
    return seen.decode()


def read_on_a_terminal(columns: int, *arguments: object) -> str:
    """Return what a person reads there: without colours and carriage returns."""
    return _CODES.sub("", on_a_terminal(columns, *arguments)).replace("\r", "")


class Terminal:
    """A command that runs on a terminal, and what it has written there so far."""

    def __init__(self, *arguments: object) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        words, environment = [*GOSSAMER, *map(str, arguments)], {**CLEAN, "TERM": "xterm-256color"}
        self.process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        self._seen = b""

    def read_until(self, pattern: str, patience: float = 100.0) -> "re.Match[str]":
        """Read until something is written there; fails after a while, or when the command has ended without it."""
        until = monotonic() + patience
        while True:
            text = _CODES.sub("", self._seen.decode(errors="replace")).replace("\r", "")
            if found := re.search(pattern, text):
                return found
            ready, _, _ = select.select([self._ours], [], [], max(until - monotonic(), 0))
            try:
                piece = os.read(self._ours, 65536) if ready else b""
            except OSError:  # the other end was closed
                piece = b""
            assert piece, f"{pattern} was not to be seen in: {text}"
            self._seen += piece

    def close(self) -> None:
        """End the command, if it has not ended."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
