"""The checker of an export: what any implementation of `joints.export.Exporter` has to promise.

    for rule in RULES:
        await rule(make_exporter)

`make_exporter` builds the format with the options it is given.
"""

import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.joints.export import Exporter
from gossamer.joints.walks import batches
from gossamer.records.export import Edge, ExportOptions, KeptRecord, PackedRecord, WordedLink
from gossamer.records.fetch import Fetched
from gossamer.records.findings import BrokenLink, Hop, LinkSource, RedirectChain
from gossamer.records.item import KeptItem
from gossamer.records.outcome import Outcome
from gossamer.records.page import Document, Page, values_of
from gossamer.records.reason import because
from gossamer.records.rules import Rule as ReasonRule
from gossamer.url.parse import parse

Maker = Callable[[ExportOptions], Exporter]
Rule = Callable[[Maker], Awaitable[None]]

EXTRAS = frozenset({"text", "html", "links"})
LONG = "http://site.test/" + "very/" * 800
URLS = (
    "http://site.test/",
    "http://site.test/a",
    "http://site.test/A",
    "http://site.test/a/",
    "http://site.test/a/index",
    "http://site.test/%2e%2e/%2e%2e/etc",
    "http://site.test/con?q=%22,;&x=%0A",
    "https://site.test/a",
    "http://other.test:8080/a",
    LONG,
)


class SampleHoldings:
    """A few odd pages that no store holds; counts how often it was asked for the next one."""

    def __init__(self, count: int = 0) -> None:
        self._count = count  # of further pages
        self.given = 0

    async def pages(self) -> AsyncIterator[Page]:
        """Walk over the pages."""
        for page in self._all():
            self.given += 1
            yield page

    async def columns(self, fields: Sequence[str], at_once: int) -> AsyncIterator[list[list[Any]]]:
        """Walk over fields of the pages."""
        async for pages in batches(self.pages(), at_once):
            yield [values_of(field, pages) for field in fields]

    async def links(self) -> AsyncIterator[Edge]:
        """Walk over their links."""
        for page in self._all():
            self.given += 1
            yield Edge(page.url, URLS[0], "anchor", nofollow=False)

    async def items(self) -> AsyncIterator[KeptItem]:
        """Walk over what readers found."""
        for number, page in enumerate(self._all(), 1):
            self.given += 1
            found = msgspec.json.encode({"title": page.title})
            yield KeptItem(number=number, url=page.url, host=page.host, fetched_at=1.5, reader="title", content=found)

    async def broken_links(self) -> AsyncIterator[BrokenLink]:
        """Walk over what is broken."""
        async for page in self.pages():
            sources = (LinkSource(URLS[0], "anchor", True, "=1+1"), LinkSource(URLS[1], "image", False))
            yield BrokenLink(page, sources if page.status else ())

    async def redirect_chains(self) -> AsyncIterator[RedirectChain]:
        """Walk over chains."""
        async for page in self.pages():
            yield RedirectChain((Hop(page.url, "redirected", 301), Hop(URLS[0], "", 0)), page.url == URLS[0], ())

    async def records(self) -> AsyncIterator[KeptRecord]:
        """Walk over records; the last one was given before."""
        page = None
        async for page in self.pages():
            if page.status:
                packed = PackedRecord(Body.of(b"record"), 6)
                yield KeptRecord(page=page, fetched=_fetched(page), digest=page.digest, is_revisit=False, packed=packed)
        if page is not None:
            yield KeptRecord(page=page, fetched=_fetched(page), digest=page.digest, is_revisit=False, packed=None)

    async def document(self, page: Page) -> Document | None:
        """Return the markup of a page."""
        if page.outcome is not Outcome.OK:
            return None
        return Document(url=page.url, mime=page.mime, content=b"<p>words", charset="utf-8")

    def text(self, document: Document) -> str:
        """Return what a reader sees."""
        return document.content.decode().removeprefix("<p>")

    def links_of(self, document: Document) -> list[WordedLink]:
        """Return a link."""
        return [WordedLink(document.url, "anchor", False, "words")]

    def _all(self) -> Iterator[Page]:
        odd = ["=1+1", 'two\nlines, "and" a comma\t;', "\x00 & < > \u2028", "\U0001f577", ""]
        for number, url in enumerate(URLS):
            yield _page(url, odd[number % len(odd)])
        gone = _page("http://site.test/gone", "")
        yield replace(gone, outcome=Outcome.GONE, status=404, reason=because(ReasonRule.HTTP_STATUS, status=404))
        yield replace(_page("http://never.test/", ""), outcome=Outcome.ROBOTS_DENIED, status=0, mime="", fetched_at=0.0)
        alike = _page(URLS[0], "one of many")
        for number in range(self._count):
            yield replace(alike, url=f"http://site.test/many/{number}", key=f"http://site.test/many/{number}")


def _fetched(page: Page) -> Fetched:
    return Fetched(url=page.url, outcome=Outcome.OK, status=page.status, body=Body.of(b""), started=page.fetched_at)


def _page(url: str, title: str) -> Page:
    return Page(
        url=url,
        key=url,
        host=parse(url).host,
        outcome=Outcome.OK,
        status=200,
        mime="text/html",
        digest="sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
        title=title,
        charset="utf-8",
        fetched_at=1_700_000_000.5,
        simhash=2**64 - 1,
    )


class MemoryTarget:
    """Keeps what is written in memory."""

    def __init__(self) -> None:
        self.stream: BinaryIO = io.BytesIO()
        self.files: dict[str, bytes] = {}
        self._names: set[str] = set()

    @contextmanager
    def file(self, path: PurePosixPath) -> Iterator[BinaryIO]:
        """Begin a file."""
        assert str(path).casefold() not in self._names, f"{path} is written twice"
        self._names.add(str(path).casefold())
        file = io.BytesIO()
        yield file
        self.files[str(path)] = file.getvalue()

    @property
    def everything(self) -> object:
        """What was written, to be compared."""
        stream = self.stream
        assert isinstance(stream, io.BytesIO)
        return b"" if stream.closed else stream.getvalue(), self.files


async def _written(exporter: Exporter, holdings: SampleHoldings | None = None) -> tuple[MemoryTarget, int]:
    target, rows = MemoryTarget(), 0
    async for count in exporter.write(holdings or SampleHoldings(), target):
        rows += count
    return target, rows


async def it_says_what_it_can_write(make: Maker) -> None:
    exporter = make(ExportOptions())
    assert "pages" in exporter.tables, "pages are what an export is filtered by"
    assert exporter.extras <= EXTRAS, "nobody can ask for that"
    assert exporter.is_folder in (True, False)


async def every_table_and_every_extra_is_written(make: Maker) -> None:
    for table in make(ExportOptions()).tables:
        target, rows = await _written(make(ExportOptions(table=table)))
        assert rows, f"no row of {table} was written, or none was told of"
        assert target.files or target.everything, "nothing was written"
    asked = {name: True for name in make(ExportOptions()).extras}
    await _written(make(ExportOptions(**asked)))  # type: ignore[arg-type]


async def the_same_pages_are_written_the_same_way(make: Maker) -> None:
    one, two = await _written(make(ExportOptions())), await _written(make(ExportOptions()))
    assert one[1] == two[1] and one[0].files == two[0].files, "two exports of the same pages differ"


async def nothing_is_written_but_one_file_or_files_of_a_folder(make: Maker) -> None:
    exporter = make(ExportOptions())
    target, _ = await _written(exporter)
    assert bool(target.files) == exporter.is_folder, "it says that it is a folder and writes a file, or the other way round"
    for name in target.files:
        parts = PurePosixPath(name).parts
        assert not name.startswith("/") and ".." not in parts, f"{name} leads out of the folder"


async def rows_are_told_of_while_they_are_written(make: Maker) -> None:
    exporter, holdings, most = make(ExportOptions()), SampleHoldings(3_000), 0
    told = 0
    async for count in exporter.write(holdings, MemoryTarget()):
        told += 1
        most = max(most, count)
    assert told > 1 and most <= 100_000, "all rows are held in memory, or nobody is told how far it is"


RULES: tuple[Rule, ...] = (
    it_says_what_it_can_write,
    every_table_and_every_extra_is_written,
    the_same_pages_are_written_the_same_way,
    nothing_is_written_but_one_file_or_files_of_a_folder,
    rows_are_told_of_while_they_are_written,
)
