"""A command on a terminal, as a person sees it."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

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
