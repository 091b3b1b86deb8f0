"""Heavy documents are read aside: the loop turns on, nothing outlives its deadline, and links are found all the same."""

import asyncio
import gzip
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import brotlicffi
import pytest
import zstandard
from ways import WAYS

from gossamer.assemble import make_processors, make_reader_processes
from gossamer.config.sections import Documents, Settings
from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.errors import GossamerError
from gossamer.processors.html import HtmlProcessor
from gossamer.readers.child import ChildReading
from gossamer.readers.document import document_of, read_by
from gossamer.readers.processes import ReaderProcesses
from gossamer.readers.reading import FEW_STEPS, LIGHT, LIGHT_PAGE, Reader
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Extract
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.registry import TABLE
from gossamer.watch.events import Event, Events, Trouble
from gossamer.watch.stall import StallWatch

SETTINGS = Settings()
MIB = 1024 * 1024
WORDS = (
    b"<p>some <b>bold</b> words and <a href='/page/%d'>a link</a> of a page that is long and honest</p>\n"
    + b"It goes on. " * 40
)
LONG = b"<title>long</title>" + b"".join(WORDS % number for number in range(4_000))
MANY_LINKS = b"".join(b"<a href=/p/%d>x</a>" % number for number in range(100_000))
PACKERS = {
    "gzip": lambda content: gzip.compress(content, 1),
    "deflate": lambda content: zlib.compress(content, 1),
    "br": lambda content: brotlicffi.compress(content, quality=1),
    "zstd": zstandard.compress,
}
HEAVY = (
    "asyncio",
    "pydantic",
    "rocksdict",
    "ssl",
    "sqlite3",
    "aiodns",
    "typer",
    "rich",
    "importlib.metadata",
    "logging",
    "numpy",
)
SITEMAP = (
    b"<urlset>" + b"".join(b"<url><loc>http://a.test/p/%d</loc></url>" % number for number in range(50_000)) + b"</urlset>"
)

# A child like ours whose processor does what the path of a URL says.
ODD_CHILD = """
import os, socket, sys, time
from gossamer.processors.html import HtmlProcessor
from gossamer.readers.child import Tools, greeted, serve, grow_at_most
from gossamer.readers.document import be_ready

class Odd(HtmlProcessor):
    def process(self, document):
        if document.url.endswith("/slow"):
            open(os.environ.get("READING_BEGAN", os.devnull), "w").close()
            time.sleep(3600)
        if document.url.endswith("/crash"):
            os.abort()
        if document.url.endswith("/bug"):
            raise KeyError("a bug of ours")
        if document.url.endswith("/memory"):
            bytearray(2 << 30)
        return super().process(document)

    def skim(self, document):
        return super().skim(document) if not document.url.endswith("/crash") else os.abort()

with socket.socket(fileno=int(sys.argv[1])) as connection:
    greeted(connection)
    be_ready()
    grow_at_most(256 << 20)
    serve(connection, Tools({"text/html": Odd(10_000)}))
"""


def answer(
    content: bytes, url: str = "http://a.test/", mime: str = "text/html", chunked: bool = False, **headers: str
) -> Fetched:
    """Return an answer with a body that is in a file when it is long, as a fetcher makes it."""
    body = Body()
    body.write(content)
    named = (("content-type", mime), *((name.replace("_", "-"), value) for name, value in headers.items()))
    return Fetched(url=url, outcome=Outcome.OK, status=200, body=body, headers=named, chunked=chunked)


def in_chunks(content: bytes, size: int) -> bytes:
    """Return content cut into chunks."""
    pieces = (content[start : start + size] for start in range(0, len(content), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def reader_with(aside: ReaderProcesses, deadline: float = 5) -> Reader:
    """Return a reader as `assemble` builds it."""
    settings = Settings(documents=Documents(deadline=deadline))
    return Reader(settings, make_processors(settings), aside)


def usual(fetched: Fetched) -> ChildReading:
    """Read a document here and now."""
    document = document_of(fetched, SETTINGS.fetch.max_decoded)
    extract, likeness = read_by(make_processors(SETTINGS), document)
    return ChildReading(document.mime, extract=extract, likeness=likeness)


@pytest.fixture
async def aside() -> AsyncIterator[ReaderProcesses]:
    """Children as a crawl has them."""
    children = make_reader_processes(Settings(documents=Documents(deadline=30)))
    yield children
    await children.aclose()


@pytest.fixture
async def odd() -> AsyncIterator[ReaderProcesses]:
    """Children that misbehave when told to, and half a second for them."""
    children = ReaderProcesses((sys.executable, "-c", ODD_CHILD), b"", 0.5)
    yield children
    await children.aclose()


@pytest.mark.parametrize("name", WAYS)
def test_many_tags_are_heavy_for_a_reader_that_builds_a_tree(name: str) -> None:
    processor = HtmlProcessor(500, way=WAYS[name])
    reader = Reader(SETTINGS, {"text/html": processor}, ReaderProcesses(("/nowhere/python",), b"", 5))
    is_heavy = reader._at_once(answer(b"<br>" * 7_000 + b"<a href=x>x</a>")) is None
    assert is_heavy is (name == "tree") is not processor.is_linear


async def test_a_light_page_needs_no_child() -> None:
    aside = ReaderProcesses(("/nowhere/python",), b"", 5)
    fetched = answer(b"<title>light</title><a href=x>x</a>")
    reader = reader_with(aside)
    assert await reader.digest(fetched) == payload_digest(fetched.body, False)
    assert await reader.read(fetched) == usual(fetched)


@pytest.mark.parametrize(
    "fetched",
    [
        answer(LONG),
        answer(in_chunks(LONG, 1000), chunked=True),
        answer(gzip.compress(LONG), content_encoding="gzip"),
        answer(SITEMAP, mime="application/xml"),
        answer(gzip.compress(SITEMAP), url="http://a.test/sitemap.xml.gz", mime="application/gzip"),
    ],
    ids=["long", "chunked", "compressed", "sitemap", "sitemap in gzip"],
)
async def test_a_heavy_document_is_read_aside_as_it_would_be_here(aside: ReaderProcesses, fetched: Fetched) -> None:
    reader = reader_with(aside)
    assert reader._at_once(fetched) is None
    assert await reader.digest(fetched) == payload_digest(fetched.body, fetched.chunked)
    reading = await reader.read(fetched)
    assert reading == usual(fetched)
    assert reading.extract.links and not reading.extract.cut and not reading.too_big


@pytest.mark.skipif("scan" not in WAYS, reason="a tree takes longer")
def test_a_page_of_a_megabyte_needs_no_child_unless_it_was_made_to_take_long() -> None:
    reader = reader_with(ReaderProcesses(("/nowhere/python",), b"", 5))
    page = LONG[: LIGHT_PAGE - 10]
    for fetched in (answer(page), answer(gzip.compress(page), content_encoding="gzip", mime="Text/HTML; charset=utf-8")):
        assert len(page) > LIGHT and reader._at_once(fetched) == usual(fetched)
    assert reader._at_once(answer(LONG)) is None
    for unit in (b"<br>", b"&zz", b"a, "):
        assert reader._at_once(answer(page[: LIGHT_PAGE // 2] + unit * FEW_STEPS)) is None
    assert reader._at_once(answer(page, mime="text/plain")) is None


async def test_a_large_file_nobody_reads_needs_no_child() -> None:
    fetched = answer(b"\x89PNG\r\n\x1a\n" + bytes(MIB), mime="image/png")
    assert await reader_with(ReaderProcesses(("/nowhere/python",), b"", 5)).read(fetched) == ChildReading("image/png")


async def test_a_bomb_is_too_big_and_takes_no_memory_of_ours(aside: ReaderProcesses) -> None:
    fetched = answer(gzip.compress(bytes(200 * MIB), 9), content_encoding="gzip")
    before = _resident()
    assert await reader_with(aside).read(fetched) == ChildReading("text/html", too_big=True)
    assert _resident() - before < 16 * MIB


async def test_a_child_is_kept_however_large_its_parent_is(aside: ReaderProcesses) -> None:
    ballast = b"\1" * (160 * MIB)
    fetched = answer(gzip.compress(bytes(30 * MIB), 9), content_encoding="gzip")
    read = reader_with(aside).read
    assert (await read(fetched)).too_big
    first = _children()
    assert (await read(fetched)).too_big
    assert _children() == first and ballast[-1] == 1


async def test_bombs_take_hardly_any_memory_of_the_child_either(aside: ReaderProcesses) -> None:
    reader = reader_with(aside)
    assert (await reader.read(answer(LONG))).extract.links
    for coding, pack in PACKERS.items():
        assert await reader.read(answer(pack(bytes(30 * MIB)), content_encoding=coding)) == ChildReading(
            "text/html", too_big=True
        )
    urlset = gzip.compress(b"<urlset><url><loc>http://a.test/") + gzip.compress(b" " * (60 * MIB), 1)
    assert (await reader.read(answer(urlset, mime="application/gzip"))).mime == "application/gzip"
    (child,) = _children()
    status = Path(f"/proc/{child}/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in status if line.endswith("kB")}
    assert 5 * MIB < sizes["VmHWM"] - sizes["RssFile"] < 30 * MIB


@pytest.mark.parametrize(
    "fetched",
    [
        answer(in_chunks(LONG[:30_000], 1), chunked=True),
        answer(brotlicffi.compress(LONG, quality=5, lgwin=24), content_encoding="br"),
        answer(in_chunks(brotlicffi.compress(LONG, quality=5, lgwin=24), 4000), chunked=True, content_encoding="BR"),
        answer(gzip.compress(brotlicffi.compress(b"<a href=x>x</a>", quality=5)), content_encoding="br, gzip"),
    ],
    ids=["tiny chunks", "wide window", "wide window in chunks", "brotli inside"],
)
async def test_a_short_body_that_takes_long_to_decode_is_read_aside(aside: ReaderProcesses, fetched: Fetched) -> None:
    assert fetched.body.size < LIGHT
    reader = reader_with(aside)
    assert reader._at_once(fetched) is None
    assert await reader.digest(fetched) == payload_digest(fetched.body, fetched.chunked)
    reading = await reader.read(fetched)
    assert reading == usual(fetched) and reading.extract.links


def test_a_usual_page_in_brotli_and_in_chunks_is_light() -> None:
    page = b"<title>light</title><a href=x>x</a>\r\n" * 100
    fetched = answer(in_chunks(brotlicffi.compress(page), 100), chunked=True, content_encoding="br")
    assert reader_with(ReaderProcesses(("/nowhere/python",), b"", 5))._at_once(fetched) == usual(fetched)


def test_a_child_imports_little() -> None:
    code = (
        "import sys; from gossamer.readers.child import ReaderGreeting, _made;"
        f"_made(ReaderGreeting({TABLE['processor']!r}, 500, 'x', True, 1));"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


async def test_documents_that_are_read_quickly_share_one_child(aside: ReaderProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.readers.processes.PATIENCE", 3600.0)
    reader = reader_with(aside)
    readings = await asyncio.gather(*(reader.read(answer(LONG)) for _ in range(6)))
    assert len({len(reading.extract.links) for reading in readings}) == 1
    assert len(_children()) == 1


async def test_a_document_that_takes_long_does_not_hold_up_the_next(
    odd: ReaderProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.readers.processes.PATIENCE", 0.0)
    monkeypatch.setenv("READING_BEGAN", str(tmp_path / "began"))
    odd._deadline = 60.0
    reader = reader_with(odd)
    slow = asyncio.create_task(reader.read(answer(LONG, url="http://a.test/slow")))
    while not (tmp_path / "began").exists():
        await asyncio.sleep(0.01)
    assert (await reader.read(answer(LONG))).extract.links
    assert not slow.done() and len(_children()) >= 2
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow


async def test_a_document_that_waits_for_a_child_that_dies_gets_another(
    odd: ReaderProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.readers.processes.PATIENCE", 3600.0)
    reader = reader_with(odd)
    crashed, read = await asyncio.gather(
        reader.read(answer(LONG, url="http://a.test/crash")), reader.read(answer(LONG, url="http://a.test/next"))
    )
    assert str(crashed.extract.cut).endswith("it was not read")
    assert read == usual(answer(LONG, url="http://a.test/next"))


async def test_a_page_that_takes_too_long_is_scanned_and_the_cut_is_said(odd: ReaderProcesses) -> None:
    reader = reader_with(odd, deadline=0.5)
    begin = time.monotonic()
    reading = await reader.read(answer(LONG, url="http://a.test/slow"))
    assert reading.mime == "text/html" and reading.extract.title == "long"
    assert len(reading.extract.links) == 4_000 and reading.extract.links_cut == 0
    assert (
        str(reading.extract.cut)
        == "reading took more than documents.deadline (0.5 s) or too much memory; it was scanned for links"
    )
    assert time.monotonic() - begin < 20
    assert await reader.read(answer(LONG, url="http://a.test/next")) == usual(answer(LONG, url="http://a.test/next"))


async def test_a_document_that_kills_its_reader_twice_is_kept_and_not_read(odd: ReaderProcesses) -> None:
    reading = await reader_with(odd).read(answer(LONG, url="http://a.test/crash"))
    assert reading.mime == "text/html"
    assert reading.extract == Extract(cut=because(Rule.DOCUMENTS_DEADLINE, seconds=5.0, done="not read"))


async def test_a_page_that_takes_too_much_memory_is_scanned(odd: ReaderProcesses) -> None:
    extract = (await reader_with(odd).read(answer(LONG, url="http://a.test/memory"))).extract
    assert len(extract.links) == 4_000 and str(extract.cut).endswith("it was scanned for links")


async def test_a_bug_of_ours_is_told_with_its_trace(odd: ReaderProcesses) -> None:
    with pytest.raises(GossamerError, match=r"(?s)http://a.test/bug met a bug.*Traceback.*KeyError: 'a bug of ours'"):
        await reader_with(odd).read(answer(LONG, url="http://a.test/bug"))


async def test_a_visit_that_is_cancelled_takes_its_child_along(
    odd: ReaderProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READING_BEGAN", str(tmp_path / "began"))
    odd._deadline = 60.0
    reading = asyncio.create_task(reader_with(odd).read(answer(LONG, url="http://a.test/slow")))
    while not (tmp_path / "began").exists():
        await asyncio.sleep(0.01)
    assert len(_children()) == 1
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await odd.aclose()
    assert _children() == []


async def test_the_loop_turns_while_anything_is_read(aside: ReaderProcesses) -> None:
    heard: list[Event] = []
    events = Events()
    events.subscribe(heard.append)
    reader = reader_with(aside)
    await reader.read(answer(LONG))  # a child is there
    heavy = [
        answer(LONG * 20),
        answer(MANY_LINKS),
        answer(SITEMAP, mime="application/xml"),
        answer(in_chunks(bytes(2 * MIB), 4), chunked=True),
        answer(gzip.compress(bytes(100 * MIB)), content_encoding="gzip"),
        answer(os.urandom(10 * MIB), mime="application/octet-stream"),
    ]
    with StallWatch(events, 0.2):
        for fetched in heavy:
            await reader.digest(fetched)
            await reader.read(fetched)
        await asyncio.sleep(0.1)
    assert [event.what for event in heard if isinstance(event, Trouble)] == []


PARENT = """
import asyncio, os, sys
from pathlib import Path
from gossamer.document.body import Body
from gossamer.readers.processes import ReaderProcesses
from gossamer.readers.child import Task

async def main():
    aside = ReaderProcesses((sys.executable, "-c", sys.argv[1]), b"", 3600)
    task = Task("read", "http://a.test/slow", "text/html", "", False, 1 << 24)
    asking = asyncio.create_task(aside.ask(task, Body.of(b"<p>")))
    while not os.path.exists(os.environ["READING_BEGAN"]):
        await asyncio.sleep(0.01)
    print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
    await asking

asyncio.run(main())
"""


def test_a_child_ends_with_its_parent_whatever_it_does_and_however_that_ends(tmp_path: Path) -> None:
    words, given = [sys.executable, "-c", PARENT, ODD_CHILD], {**os.environ, "READING_BEGAN": str(tmp_path / "began")}
    with subprocess.Popen(words, env=given, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert _is_running(child)
        os.kill(parent.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while _is_running(child):
        assert time.monotonic() < end, "the child outlived its parent"
        time.sleep(0.01)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _children() -> list[int]:
    """Return the live children of this process, but for the one that other tests run commands in (`forked.py`)."""
    pids = map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
    return [pid for pid in pids if _is_running(pid) and b"forked.py" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
