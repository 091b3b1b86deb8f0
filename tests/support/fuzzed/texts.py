"""Targets that the web reaches: markup, links, texts, heads, chunks and what is archived of them."""

import zlib
from array import array

from fuzzed.feed import Feed
from gossamer import _edges, edges
from gossamer.dedupe import _simhash, vectors
from gossamer.dedupe.recent import CompiledRecent, PlainRecent, Recent
from gossamer.fetchers.chunks import GOES_ON, Chunks
from gossamer.fetchers.framing import Refused, ResponseHead, end_of_head, read_head
from gossamer.lessons import _phrases, phrases
from gossamer.processors import scan as scanner
from gossamer.processors._scan import scan as compiled_scan
from gossamer.processors.references import decode
from gossamer.records.entry import Link
from gossamer.storage.archive import _deflate
from gossamer.url import _join
from gossamer.url.parse import Base

_BASES = ("http://site.test/dir/page.html?q=1", "https://site.test/", "http://site.test:8080/a//b/", "http://1.2.3.4/a/b?/c")


def scan(data: bytes) -> None:
    """Find no more links than allowed, the same ones again, and text whose blanks are folded."""
    feed = Feed(data)
    limit, page = feed.choice((0, 1, 3, 100_000)), bytes(feed.rest())
    found = []
    for _ in range(2):
        pages: dict[str, object] = {}
        images: dict[str, object] = {}
        told: list[tuple[str, dict[str, str | None]]] = []
        note = lambda name, attributes, told=told: told.append((name, dict(attributes)))  # noqa: E731
        unread, text, title = compiled_scan(page, pages, images, scanner._OBEYING, note, decode, limit, True)
        assert unread >= 0 and max(len(pages), len(images), len(told)) <= limit and (title is None or len(title) <= 65536)
        lines = text.split("\n")
        assert all(line == " ".join(line.split()) and line for line in lines) or not text
        found.append((pages, images, told, unread, text, title))
    assert found[0] == found[1]


def join(data: bytes) -> None:
    """Join links as the full parser joins them, and refuse a base that is none."""
    feed = Feed(data)
    base, numbers = Base(feed.choice(_BASES)), [feed.number() for _ in range(3)]
    href, other = feed.text(), feed.text()
    assert base.join(href) == base.join_fully(href)
    try:
        _join.join_all(other, *numbers, [href, other])
    except (ValueError, UnicodeError):
        pass


def simhash(data: bytes) -> None:
    """Reckon what the vectors reckon."""
    text = data.decode("utf-8", "replace") * (1 + data[:1].count(b"\xff"))
    assert _simhash.reckon(text) == vectors.reckon(text)


def phrase(data: bytes) -> None:
    """Note, pack and learn phrases as the plain way does."""
    feed = Feed(data)
    memories = [array("Q", bytes(16 * phrases.PLACES)) for _ in range(2)]
    names = [feed.wide() for _ in range(feed.number() % 40)]
    for learn, memory in zip((_phrases.learn, phrases.plain_learn), memories, strict=True):
        learn(memory, array("Q", names).tobytes())
    shown = _phrases.Shown(memories[0]), phrases.PlainShown(memories[1])
    while feed:
        host, sketch = feed.wide(), tuple(feed.wide() for _ in range(feed.number() % 40))
        one, other = (each.has_news(host, sketch) for each in shown)
        assert one == other
    assert shown[0].names() == shown[1].names() and shown[0].news() == shown[1].news() and memories[0] == memories[1]
    assert phrases._decode(_phrases.packed(len(data), shown[0].news())) == (len(data), array("Q", shown[1].news()).tolist())
    _phrases.learn(memories[0], data)


def near(data: bytes) -> None:
    """Find near pages as the plain way does."""
    feed = Feed(data)
    both: tuple[Recent, Recent] = CompiledRecent(), PlainRecent()
    while feed:
        simhash = feed.wide() ^ 1 << feed.number() % 64
        entry = simhash.to_bytes(8, "big") + feed.wide().to_bytes(8, "big")
        what = feed.number() % 4
        if what == 0:
            one, other = (sorted(each.near(simhash, 3)) for each in both)
            assert one == other
        elif what == 1:
            one, other = (sorted(each.enter(entry, 3)) for each in both)
            assert one == other
        else:
            for each in both:
                (each.add if what == 2 else each.remove)(entry)


def edge(data: bytes) -> None:
    """Pack the links of a page as the plain way does."""
    feed = Feed(data)
    links: list[Link] = []
    while feed:
        links.append(Link(feed.text(), feed.choice(edges.KINDS), bool(feed.number() & 1)))
    known = {link.url: len(link.url) + 1 for link in links[::2]}
    names, unknown = _edges.split_known(tuple(links), known)
    assert names == [known.get(link.url) for link in links] and unknown == [each for each in links if each.url not in known]
    numbers = [name or 7 for name in names]
    ways = [edges.NUMBERS[link.kind] | (edges.NOFOLLOW if link.nofollow else 0) for link in links]
    packed = _edges.pack(tuple(links), numbers, edges.NUMBERS, False)
    assert packed == edges.pack(numbers, ways) and _edges.total(packed) == sum(numbers)
    _edges.total(data)


def deflate(data: bytes) -> None:
    """Write a text that every inflate reads."""
    text = data[: _deflate.MOST]
    for is_last in (False, True):
        assert zlib.decompressobj(-15).decompress(_deflate.deflate(text, is_last)) == text


def head(data: bytes) -> None:
    """Read any head, or say why it is none; the end of one is where a blank line is."""
    end = end_of_head(data)
    assert end == 0 or data[:end].endswith((b"\n\n", b"\n\r\n"))
    read = read_head(data[:end] if end else data + b"\r\n\r\n")
    assert isinstance(read, Refused) or (isinstance(read, ResponseHead) and read.extent >= -2)


def chunk(data: bytes) -> None:
    """Find the end of a chunked body at the same byte, in whatever pieces it comes."""
    feed = Feed(data)
    sizes, body = [1 + feed.number() % 50 for _ in range(4)], feed.rest()
    whole = Chunks()
    end, taken, pieces = whole.take(body), 0, Chunks()
    found = GOES_ON
    while taken < len(body) and found == GOES_ON and pieces.error is None:
        piece = body[taken : taken + sizes[taken % 4]]
        at = pieces.take(piece)
        found = at if at == GOES_ON else taken + at
        taken += len(piece)
    assert (found, pieces.error is None) == (end, whole.error is None), (found, end, pieces.error, whole.error)


TARGETS = (scan, join, simhash, phrase, near, edge, deflate, head, chunk)
