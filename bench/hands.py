"""Each hand alone over one page of 25 KB: what a step costs when nothing else happens, beside what others take for the same.

The least of several rounds counts, in CPU of this thread; a peer is timed in the same way by its own interpreter.
"""

import asyncio
import json
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from bench import install
from bench.measure import ROOT, Account, least
from bench.site import Generated
from bench.table import Column, Row, Table
from gossamer.assemble import make_admission, make_processors
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.joints.keyvalue import RUN
from gossamer.readers.document import document_of
from gossamer.records.entry import Entry, Link
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Document, Extract
from gossamer.storage.archive import warc
from gossamer.url.parse import parse, split

URL = "http://127.0.0.1:8000/"
NOW = 1_700_000_000.0
COLUMNS = (
    Column("step", "step"),
    Column("microseconds", "us", ",.1f", headline=True),
    Column("peer", "peer"),
    Column("theirs", "their us", ",.1f"),
    Column("ratio", "gossamer is", ".1f", "x"),
)
PEERS = {"parse, links and keys": "Scrapy LinkExtractor", "key of a URL": "w3lib", "WARC record": "warcio"}


class Bench:
    """One page and the parts that touch it."""

    def __init__(self, page: bytes, packed: bytes) -> None:
        settings = Settings()
        self.page, self.packed = page, packed
        self.admission = make_admission(settings, [parse(URL)])
        self.processor = make_processors(settings)["text/html"]
        self.parent = Entry(URL, URL, "127.0.0.1")
        self.document = Document(url=URL, mime="text/html", content=page, charset="utf-8")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
        self.fetched = Fetched(
            url=URL,
            outcome=Outcome.OK,
            status=200,
            request_head=b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n",
            response_head=head,
            headers=(("content-type", "text/html; charset=utf-8"), ("content-encoding", "gzip")),
            body=Body.of(packed),
            address="127.0.0.1",
            started=NOW,
            answered=NOW,
            ended=NOW,
        )
        self.digest = payload_digest(self.fetched.body, False)
        self.links = self.parse().links

    def parse(self) -> Extract:
        """Read links and facts out of the page."""
        return self.processor.process(self.document)

    def admit(self, links: tuple[Link, ...]) -> int:
        """Judge links and make their keys."""
        return len(self.admission.admit(links, self.parent))

    def record(self) -> bytes:
        """Write a response record."""
        draft = warc.kept(self.fetched, self.digest, None, "urn:uuid:00000000-0000-4000-a000-000000000000")
        return b"".join(warc.pack(draft, 1))

    def steps(self) -> dict[str, float]:
        """Return the microseconds of every step."""
        several = [link.url for link in self.links]
        return {
            "decode (gunzip, type, charset)": least(partial(document_of, self.fetched, 1 << 20), 200),
            "digest": least(partial(payload_digest, self.fetched.body, False), 500),
            "parse and links": least(self.parse, 50),
            f"admit {len(self.links)} links": least(partial(self.admit, self.links), 50),
            "parse, links and keys": least(lambda: self.admit(self.parse().links), 50),
            "key of a URL": least(lambda: [self.admission.key(split(url)) for url in several], 50) / len(several),
            "WARC record": least(self.record, 100),
        }


def tables(scale: str) -> list[Table]:
    """Measure every step, and those of the peers that are at hand."""
    answer = Generated(1_000, 25_000, 100).site().answers[b"/"]
    assert answer.packed is not None
    steps = Bench(answer.body, answer.packed).steps() | asyncio.run(_stores())
    theirs = _theirs(answer.body, answer.packed)
    rows: list[Row] = [{"step": step, "microseconds": spent, **_beside(step, spent, theirs)} for step, spent in steps.items()]
    return [Table("stages: each hand alone on a page of 25 KB", COLUMNS, rows)]


def _beside(step: str, spent: float, theirs: dict[str, float]) -> Row:
    other = theirs.get(step)
    if other is None:
        return {"peer": "", "theirs": None, "ratio": None}
    return {"peer": PEERS[step], "theirs": other, "ratio": other / spent}


def _theirs(page: bytes, packed: bytes) -> dict[str, float]:
    if not install.has_peers():
        return {}
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        (Path(place) / "page.html").write_bytes(page)
        (Path(place) / "page.gz").write_bytes(packed)
        done = subprocess.run(
            [install.PYTHON, "-m", "bench.peers.hands", place, URL], stdout=subprocess.PIPE, check=True, cwd=ROOT
        )
    told: dict[str, float] = json.loads(done.stdout)
    return told


async def _stores() -> dict[str, float]:
    """Measure the stores by the page, 50 pages at a time as a busy crawl would, syncs not waited for."""
    from gossamer.kv.rocks import RocksKeyValue
    from gossamer.records.page import Page
    from gossamer.storage.catalog.sqlite import SqliteCatalog

    account, batches, batch = Account(), 20, 50
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        catalog = SqliteCatalog.open_at(Path(place) / "catalog.db", False)
        kv = RocksKeyValue.open_at(Path(place) / "kv", False)
        for number in range(batches):
            names = [f"{URL}page/{number}/{n}" for n in range(batch)]
            pages = [
                Page(url=name, key=name, host="127.0.0.1", outcome=Outcome.OK, status=200, mime="text/html", title=name)
                for name in names
            ]
            with account.on("catalog row"):
                await catalog.add(pages)
            with account.on("digest kept in kv"):
                await kv.at(RUN).put_all([(name.encode(), b"x" * 60) for name in names])
        await catalog.aclose()
        await kv.aclose()
    return {name: spent / (batches * batch) * 1e6 for name, spent in account.spent.items()}
