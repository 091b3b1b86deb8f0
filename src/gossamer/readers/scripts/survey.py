"""A survey of readers: a process of its own loads scripts and plugins and says what readers there are, or what is wrong.

So a script with an error is told before a crawl begins, and the crawl knows which pages are wanted without running any of it.
"""

import contextlib
import socket
import sys

import msgspec
from msgspec import Struct

from gossamer.children import end_with_parent, framed, receive, start
from gossamer.errors import ScriptError
from gossamer.readers.scripts.loading import load
from gossamer.readers.scripts.travel import ReaderRule, ReaderSource

PATIENCE = 60.0  # seconds that loading may take
PROGRAM = (sys.executable, "-P", "-c", "import sys; from gossamer.readers.scripts.survey import main; main(int(sys.argv[1]))")


class Surveyed(Struct, frozen=True, array_like=True):
    """What loading came to."""

    rules: tuple[ReaderRule, ...] = ()
    error: str = ""  # one sentence


def survey(sources: tuple[ReaderSource, ...]) -> tuple[ReaderRule, ...]:
    """Return what readers there are; raise `ScriptError` that names the line."""
    connection, process = start(PROGRAM, silent=True)
    names = ", ".join(source.path or source.point for source in sources)
    try:
        with connection:
            connection.settimeout(PATIENCE)
            connection.sendall(framed(msgspec.msgpack.encode(sources)))
            surveyed = msgspec.msgpack.decode(receive(connection), type=Surveyed)
    except TimeoutError:
        raise ScriptError(f"{names} did not load within {PATIENCE:g} s; keep what takes long out of it") from None
    except (EOFError, OSError):
        raise ScriptError(f"{names} ended the process that loaded it; a script only defines readers") from None
    finally:
        process.kill()
        process.wait()
    if surveyed.error:
        raise ScriptError(surveyed.error)
    return surveyed.rules


def main(descriptor: int) -> None:
    """Load what the other end of a socket names, and answer."""
    end_with_parent()
    with socket.socket(fileno=descriptor) as connection, contextlib.suppress(EOFError, OSError):
        sources = msgspec.msgpack.decode(receive(connection), type=tuple[ReaderSource, ...])
        try:
            surveyed = Surveyed(tuple(reader.rule for reader in load(sources)))
        except ScriptError as error:
            surveyed = Surveyed(error=str(error))
        connection.sendall(framed(msgspec.msgpack.encode(surveyed)))
