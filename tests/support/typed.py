"""A page of the documentation, typed by a reader: its commands run in order, in one directory, on a terminal.

Every block ```sh is run and has to end well. What stands before a block as a comment says what is different about it:

    <!-- shown: why -->        not run, for this reason
    <!-- beside -->            one command, started and left running until the end of the page
    <!-- exits 6 -->           has to end with this code

A block ```text right behind it is what it prints: each line is looked for, in any order, without regard to numbers, sizes
and widths; one that ends with `...` only has to begin like that, so `...` alone is anything. A block with a title is a file of
that name.
"""

import fcntl
import os
import pty
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import forked
from crawling import CLEAN

PORTS = range(8000, 8004)  # where simweb stands in the documentation: hosts, mazes, living hosts, their clock
COLUMNS = 120
_FENCE = re.compile(r"(?ms)^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<info>[^\n]*)\n(?P<text>.*?)^```$")
_AGAIN = re.compile(r"\r\n?|\x1b\[[0-9]*[AK]")  # a line ends, or what stands there is written anew
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\")
_NUMBER = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{8}\b|\d[\d,.:]*")  # or the name of a run
_UNIT = re.compile(r"(?<=# )(ms|s|min|B|kB|MB|GB)\b")
_GAPS = re.compile(r"\s+")


@dataclass(frozen=True)
class Block:
    """A fenced block: what it is in, what it says, how it is marked."""

    language: str
    title: str
    text: str
    mark: str
    is_adjacent: bool  # nothing but an empty line is between it and the one before

    @property
    def is_run(self) -> bool:
        """Tell whether it is typed."""
        return self.language == "sh" and not self.mark.startswith("shown: ")

    @property
    def is_printed(self) -> bool:
        """Tell whether it is what the block before it prints."""
        return self.language == "text" and self.is_adjacent and not self.title

    @property
    def exit_code(self) -> int:
        """The code it has to end with."""
        return int(self.mark.removeprefix("exits ")) if self.mark.startswith("exits ") else 0


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page, in order."""
    found, end = [], 0
    for fence in _FENCE.finditer(text):
        language, _, options = fence["info"].partition(" ")
        title = re.search(r'title="([^"]*)"', options)
        between = text[end : fence.start()]
        found.append(Block(language, title[1] if title else "", fence["text"], fence["mark"] or "", not between.strip()))
        end = fence.end()
    return found


def type_page(text: str, directory: Path) -> None:
    """Run the commands of a page and compare what they print; raise AssertionError if it is not what the page says."""
    ports = dict(zip(map(str, PORTS), map(str, _free_ports()), strict=True))
    found = blocks(re.sub(rf"\b({'|'.join(ports)})\b", lambda match: ports[match[0]], text))
    place = forked.server(tuple(CLEAN.items()))
    (directory / ".script").write_text("\n".join(_script(found, place)), encoding="utf-8")
    seen, code = _on_a_terminal(["bash", ".script"], directory)
    printed = {int(number): part for number, part in re.findall(r"\x1e(\d+)\x1e([^\x1e]*)", seen)}
    last = max(printed, default=0)
    assert code == 0, f"this ended otherwise than it should:\n{found[last].text}it printed:\n{printed.get(last, seen)}"
    for before, block in pairwise(enumerate(found)):
        if block[1].is_printed and before[1].is_run:
            missing = missing_line(block[1].text, printed[before[0]])
            assert missing is None, f"{missing} is not printed by\n{before[1].text}but\n{printed[before[0]]}"


def missing_line(expected: str, printed: str) -> str | None:
    """Return the first line of a block that is not printed anywhere; None: all are."""
    lines = {_masked(line) for line in printed.splitlines()}
    for line in expected.splitlines():
        wanted = _masked(line.removesuffix("..."))
        if wanted not in lines and not (line.endswith("...") and any(seen.startswith(wanted) for seen in lines)):
            return line
    return None


def _masked(line: str) -> str:
    """Return what has to be equal of a line."""
    spaced = _GAPS.sub(" ", re.sub("█+", "█", line)).strip()
    return _UNIT.sub("u", _NUMBER.sub("#", spaced))


def _script(found: list[Block], place: str) -> Iterator[str]:
    borrowed = [sys.executable, "-IS", str(Path(__file__).with_name("borrowed.py")), place]
    yield "set -e"
    yield "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"
    yield f'gossamer() {{ {shlex.join(borrowed)} "$@"; }}'
    for number, block in enumerate(found):
        if block.title and block.language != "sh":
            yield f"cat > {shlex.quote(block.title)} <<'END OF THE FILE'\n{block.text}END OF THE FILE"
        elif block.is_run:
            yield f"printf '\\036{number}\\036'"
            yield from _typed(block, number)


def _typed(block: Block, number: int) -> Iterator[str]:
    if block.mark == "beside":
        yield f"(unset -f gossamer; exec {block.text}) > .beside-{number} 2>&1 &"
        yield f"until [ -s .beside-{number} ]; do kill -0 $!; sleep 0.02; done"
        yield f"cat .beside-{number}"
    elif block.exit_code:
        yield f"{{\n{block.text}}} && false || [ $? = {block.exit_code} ]"
    else:
        yield block.text


def _free_ports() -> range:
    """Return as many ports in a row that nobody has."""
    while True:
        with ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            start = int(first.getsockname()[1])
            with suppress(OSError, OverflowError):
                for port in range(start + 1, start + len(PORTS)):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
                return range(start, start + len(PORTS))


def _on_a_terminal(words: list[str], directory: Path) -> tuple[str, int]:
    """Run a program on a terminal; return what a person reads there, and how it ended."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {name: value for name, value in CLEAN.items() if name != "LINES"}
    process = subprocess.Popen(
        words,
        cwd=directory,
        env={**environment, "TERM": "xterm", "COLUMNS": str(COLUMNS), "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = bytearray()
    try:
        while piece := _read(ours):
            seen += piece
        code = process.wait()
    finally:
        os.close(ours)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return _CODES.sub("", _AGAIN.sub("\n", seen.decode(errors="replace"))), code


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end was closed
        return b""
