"""The child that reads heavy documents: one task after the other, each with the descriptor of a body, each answered.

It is started for this alone and imports little: what it reads with is named in the greeting, its first message. It has no
network to speak of, no store, and a limit of memory; `processes.py` has the parent's side. It ends when its parent does,
however that ends. Readers of scripts run in children of their own, so that their code is nowhere where pages are read.

On the socket a message (`children.py`) is MessagePack; the descriptor comes with the length of a task.
"""

import ctypes
import resource
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from gossamer.children import LENGTH, end_with_parent, exactly, framed, receive
from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.joints.documents import Processor
from gossamer.policy.habit import Outline, outline
from gossamer.readers.document import be_ready, document_from, read_by
from gossamer.readers.scripts.travel import Gathered, ReaderSource
from gossamer.records.likeness import Likeness
from gossamer.records.page import Extract

if TYPE_CHECKING:
    from gossamer.readers.scripts.loading import ScriptReader

ROOM = 32 * 1024 * 1024  # address space by which a child may grow, whatever it reads
COPIES = 8  # and so many times the longest document
GROWN = 96 * 1024 * 1024  # resident memory after which a child is replaced
HELD = 1024 * 1024  # bytes of a document that are held before it is known not to be too big

_LARGE_BLOCKS = -3  # an option of mallopt(3): from which size on a block is given back when it is free
_LARGE = 128 * 1024


class ReaderGreeting(Struct, frozen=True, array_like=True):
    """The settings and processors of a child."""

    processors: dict[str, str]  # of a MIME type: module:class
    max_links: int
    agent: str
    meta: bool
    longest: int  # bytes of a document
    sources: tuple[ReaderSource, ...] = ()  # of the readers, for children that run these
    patience: float = 0.0  # seconds for the readers of a page


class Task(Struct, frozen=True, array_like=True):
    """One body to read."""

    step: str  # digest, read, skim: read in linear time, outline: the pieces of it, or gather: run readers over it
    url: str
    content_type: str
    encoding: str
    chunked: bool
    limit: int  # bytes after decompression
    readers: tuple[int, ...] = ()  # that want it, by number
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()


class ChildReading(Struct, frozen=True, array_like=True):
    """The result of reading one body."""

    mime: str
    too_big: bool = False  # there was more than may be decompressed: not read
    extract: Extract = Extract()
    likeness: Likeness | None = None  # None: it has no words


class ReaderReply(Struct, frozen=True, array_like=True):
    """The answer of a child."""

    digest: str = ""
    reading: ChildReading | None = None
    bug: str = ""  # the trace of an exception
    last: bool = False  # the child ends now
    outline: Outline | None = None  # None: it has none
    gathered: Gathered | None = None  # None: no readers were asked


class Tools(Struct, frozen=True):
    """What a child reads with."""

    processors: Mapping[str, Processor]
    readers: "Sequence[ScriptReader]" = ()
    patience: float = 0.0
    max_links: int = 0


def main(descriptor: int) -> None:
    """Read heavy documents for a crawl, which is at the other end of a socket."""
    with socket.socket(fileno=descriptor) as connection:
        greeting = msgspec.msgpack.decode(greeted(connection), type=ReaderGreeting)
        tools = Tools(_made(greeting), _loaded(greeting.sources), greeting.patience, greeting.max_links)
        be_ready()
        grow_at_most(ROOM + COPIES * greeting.longest)
        serve(connection, tools)


def greeted(connection: socket.socket) -> bytes:
    """Return the first message, and be ready for the worst: end with the parent, give memory back, leave no core behind."""
    end_with_parent()
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_LARGE_BLOCKS, _LARGE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return receive(connection)


def grow_at_most(size: int) -> None:
    """Take so many bytes of address space more than there are now, and no more."""
    with open("/proc/self/statm", "rb") as file:
        most = int(file.read().split()[0]) * resource.getpagesize() + size
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def serve(connection: socket.socket, tools: Tools) -> None:
    """Do one task after the other until the parent is gone."""
    connection.sendall(b"!")
    while True:
        try:
            length, descriptors, *_ = socket.recv_fds(connection, LENGTH, 1)
            if not length:
                return
            task = msgspec.msgpack.decode(exactly(connection, int.from_bytes(length, "big")), type=Task)
            reply = _answer(task, descriptors[0], tools)
            connection.sendall(framed(msgspec.msgpack.encode(reply)))
        except (EOFError, ConnectionError):
            return
        if reply.last:
            return


def _made(greeting: ReaderGreeting) -> dict[str, Processor]:
    """Build one processor per class, named by every MIME type it reads."""
    made: dict[str, Processor] = {}
    for name in greeting.processors.values():
        if name not in made:
            module, _, place = name.partition(":")
            chosen = attrgetter(place)(import_module(module))
            made[name] = chosen(greeting.max_links, greeting.agent, greeting.meta)
    return {mime: made[name] for mime, name in greeting.processors.items()}


def _loaded(sources: tuple[ReaderSource, ...]) -> "Sequence[ScriptReader]":
    """Load readers, if there are any; from then on nobody connects to anything: one lease is one request, and not theirs."""
    if not sources:
        return ()
    from gossamer.readers.scripts.loading import load  # which plain children do without

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo"):
            raise PermissionError("a reader cannot fetch; yield page.follow(url), and it is fetched when its turn has come")

    readers = load(sources)
    sys.addaudithook(refuse)
    return readers


def _answer(task: Task, descriptor: int, tools: Tools) -> ReaderReply:
    processors = tools.processors
    body = Body.over(open(descriptor, "rb"))  # noqa: SIM115 - closed below; its position is the parent's: nobody moves it
    try:
        if task.step == "digest":
            return ReaderReply(digest=payload_digest(body, task.chunked))
        if task.step == "outline":
            return ReaderReply(outline=_outlined(task, body.read(), processors), last=_resident() > GROWN)
        if task.step == "gather":
            return ReaderReply(gathered=_gathered(task, body.read(), tools), last=_resident() > GROWN)
        return ReaderReply(reading=_read(task, body.read(), processors), last=_resident() > GROWN)
    except MemoryError:
        raise  # nothing is left to go on with
    except Exception:  # noqa: BLE001 - the far end of the one in `crawl.py`, where this becomes the outcome `bug`
        return ReaderReply(bug=traceback.format_exc())
    finally:
        body.close()


def _read(task: Task, raw: bytes, processors: Mapping[str, Processor]) -> ChildReading:
    document = document_from(raw, task.chunked, task.encoding, task.content_type, task.url, task.limit, HELD)
    if document.too_big:
        return ChildReading(document.mime, too_big=True)
    extract, likeness = read_by(processors, document, task.step == "skim")
    return ChildReading(document.mime, extract=extract, likeness=likeness)


def _outlined(task: Task, raw: bytes, processors: Mapping[str, Processor]) -> Outline | None:
    document = document_from(raw, task.chunked, task.encoding, task.content_type, task.url, task.limit, HELD)
    processor = None if document.too_big else processors.get(document.mime)
    return outline(processor.process(document)) if processor is not None else None


def _gathered(task: Task, raw: bytes, tools: Tools) -> Gathered:
    from gossamer.readers.scripts.page import ScriptPage
    from gossamer.readers.scripts.yields import Gatherer

    document = document_from(raw, task.chunked, task.encoding, task.content_type, task.url, task.limit)
    page = ScriptPage(document, task.status, task.headers, tools.processors.get(document.mime))
    wanting = [tools.readers[number] for number in task.readers]
    return Gatherer(page, tools.max_links).run(wanting, tools.patience)


def _resident() -> int:
    """Return the bytes of memory this process has at most had; getrusage would count those of the parent it came from, too."""
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(b"VmHWM:"))
