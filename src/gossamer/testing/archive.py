"""The checker of an archive: what any implementation of `joints.archive.Archive` has to promise.

    for rule in RULES:
        await rule(open_archive)

`open_archive` opens the same archive each time it is called, empty at first. A rule raises AssertionError when its promise
is broken.
"""

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import brotlicffi
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.errors import StoreError
from gossamer.joints.archive import Archive
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Place

Opener = Callable[[], Awaitable[Archive]]
Rule = Callable[[Opener], Awaitable[None]]

PAGE = b"<!doctype html><title>A page</title><p>" + b"some words that repeat themselves, " * 40


def answer(
    body: bytes = PAGE,
    *,
    url: str = "http://a.test/page",
    status: bytes = b"200 OK",
    head: bytes = b"",
    truncated: str = "",
    at: float = 1_790_000_000.123456,
) -> Fetched:
    """Make an answer as a fetcher would; `head` holds further header lines, each with its line end."""
    response_head = b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n" + head + b"\r\n"
    lines = response_head.decode("latin-1").split("\r\n")[1:-2]
    headers = tuple((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    return Fetched(
        url=url,
        outcome=Outcome.OK,
        status=int(status[:3]),
        request_head=b"GET /page HTTP/1.1\r\nHost: a.test\r\nUser-Agent: gossamer\r\n\r\n",
        response_head=response_head,
        headers=headers,
        body=Body.of(body),
        chunked=any(name == "transfer-encoding" and "chunked" in value for name, value in headers),
        truncated=truncated,
        address="127.0.0.1",
        started=at,
        answered=at,
        ended=at,
    )


def chunked(content: bytes, size: int = 100) -> bytes:
    """Cut content into chunks."""
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def answers() -> dict[str, Fetched]:
    """Make one answer of every kind an archive meets."""
    chunks = b"Transfer-Encoding: chunked\r\n"
    packed = gzip.compress(PAGE, mtime=0)
    return {
        "plain": answer(head=b"Content-Length: %d\r\n" % len(PAGE)),
        "chunked": answer(chunked(PAGE), head=chunks),
        "gzip": answer(packed, head=b"Content-Encoding: gzip\r\n"),
        "br": answer(brotlicffi.compress(PAGE), head=b"Content-Encoding: br\r\n"),
        "gzip in chunks": answer(chunked(packed), head=b"Content-Encoding: gzip\r\n" + chunks),
        "truncated": answer(PAGE[:100], head=b"Content-Length: 5000\r\n", truncated="length"),
        "truncated in chunks": answer(chunked(PAGE)[:150], head=chunks, truncated="disconnect"),
        "truncated gzip": answer(packed[:40], head=b"Content-Encoding: gzip\r\n", truncated="time"),
        "empty": answer(b"", head=b"Content-Length: 0\r\n"),
        "not modified": answer(b"", status=b"304 Not Modified", head=b'ETag: "a"\r\n'),
        "redirect": answer(b"", status=b"301 Moved", head=b"Location: /there\r\n"),
        "large": answer(bytes(range(256)) * 8192),
        "not chunked at all": answer(head=chunks),
        "every byte in a header": answer(head=b"X: " + bytes(set(range(1, 256)) - {10, 13}) + b"\r\n"),
        "line feeds only": replace(answer(), response_head=b"HTTP/1.1 200 OK\nA: b\n\n", headers=(("a", "b"),)),
        "a line of blanks": replace(
            answer(), response_head=b"HTTP/1.1 200 OK\r\nA: b\r\n \r\nC: d\r\n\r\n", headers=(("a", "b"), ("c", "d"))
        ),
        "no HTTP": replace(answer(url="file:///tmp/page.html"), request_head=b"", response_head=b"", address=""),
    }


async def keep(archive: Archive, fetched: Fetched, original: Original | None = None) -> Place:
    """Append an answer with its payload digest."""
    return await archive.append(fetched, payload_digest(fetched.body, fetched.chunked), original)


def same(one: Fetched, other: Fetched) -> bool:
    """Tell whether two answers are the same to the byte."""
    facts = ("url", "status", "response_head", "headers", "chunked", "truncated", "address", "started")
    return one.body.read() == other.body.read() and all(getattr(one, fact) == getattr(other, fact) for fact in facts)


async def every_kind_of_answer_reads_back_byte_for_byte(open_archive: Opener) -> None:
    archive = await open_archive()
    kept = {kind: (fetched, await keep(archive, fetched)) for kind, fetched in answers().items()}
    await archive.flush()
    for kind, (fetched, place) in kept.items():
        assert same(await archive.read(place), fetched), f"an answer of kind {kind!r} is not what was appended"
    await archive.aclose()


async def what_was_kept_is_there_after_closing_and_opening(open_archive: Opener) -> None:
    archive = await open_archive()
    fetched = answer(url="http://a.test/kept")
    place = await keep(archive, fetched)
    await archive.aclose()
    archive = await open_archive()
    second = await keep(archive, answer(url="http://a.test/later"))
    assert same(await archive.read(place), fetched), "a page is gone or changed after the archive was opened again"
    assert (await archive.read(second)).url == "http://a.test/later", "an archive that was opened again cannot be written"
    await archive.aclose()


async def a_revisit_says_so_and_names_its_original(open_archive: Opener) -> None:
    archive = await open_archive()
    first = answer(url="http://a.test/first")
    await keep(archive, first)
    original = Original(first.url, "first", first.started)
    place = await keep(archive, answer(url="http://a.test/second"), original)
    revisit = await archive.read(place)
    assert revisit.outcome is Outcome.DUPLICATE, "a revisit does not say that it is one"
    assert (revisit.url, revisit.detail) == ("http://a.test/second", first.url), "a revisit does not name its original"
    assert revisit.body.size == 0, "a revisit holds the body again"
    assert revisit.response_head == first.response_head, "a revisit forgets its own head"
    await archive.aclose()


async def a_304_says_so_and_names_what_it_confirms(open_archive: Opener) -> None:
    archive = await open_archive()
    first = answer(url="http://a.test/first")
    await keep(archive, first)
    unmodified = answer(b"", url=first.url, status=b"304 Not Modified", head=b'ETag: "a"\r\n', at=first.started + 1)
    for digest in ("", payload_digest(first.body, False)):
        place = await archive.append(unmodified, digest, Original(first.url, "first", first.started, chunked=True))
        revisit = await archive.read(place)
        assert revisit.outcome is Outcome.NOT_MODIFIED, f"a 304 comes back as {revisit.outcome}"
        assert (revisit.url, revisit.detail, revisit.status) == (first.url, first.url, 304), "a 304 confirms something else"
        assert revisit.response_head == unmodified.response_head, "a 304 forgets what the server said"
    await archive.aclose()


async def answers_appended_at_once_do_not_mix(open_archive: Opener) -> None:
    archive = await open_archive()
    fetched = [
        answer(bytes([65 + number]) * (3_000_000 if number % 3 == 0 else 500), url=f"http://a.test/{number}")
        for number in range(9)
    ]
    places = await asyncio.gather(*(keep(archive, one) for one in fetched))
    for one, place in zip(fetched, places, strict=True):
        assert same(await archive.read(place), one), f"{one.url} was mixed up with another answer"
    await archive.aclose()


async def a_url_cannot_forge_a_header(open_archive: Opener) -> None:
    archive = await open_archive()
    place = await keep(archive, answer(url="http://a.test/x\r\nWARC-Truncated: length\r\n\r\n\x00é"))
    read = await archive.read(place)
    assert read.url == "http://a.test/x%0D%0AWARC-Truncated:%20length%0D%0A%0D%0A%00%C3%A9", (
        f"the URL came back as {read.url!r}"
    )
    assert read.truncated == "", "a line end in a URL made a header of its own"
    await archive.aclose()


async def a_place_that_is_none_is_refused(open_archive: Opener) -> None:
    archive = await open_archive()
    place = await keep(archive, answer())
    wrong = (
        Place(place.file, place.offset + 1, place.length),
        Place(place.file, place.offset, place.length - 1),
        Place(place.file, 1 << 40, place.length),
        Place("nothing", place.offset, place.length),
        Place("../" + place.file, place.offset, place.length),
    )
    for nowhere in wrong:
        try:
            await archive.read(nowhere)
        except StoreError:
            continue
        raise AssertionError(f"{nowhere} is no record, and was read")
    await archive.aclose()


RULES: tuple[Rule, ...] = (
    every_kind_of_answer_reads_back_byte_for_byte,
    what_was_kept_is_there_after_closing_and_opening,
    a_revisit_says_so_and_names_its_original,
    a_304_says_so_and_names_what_it_confirms,
    answers_appended_at_once_do_not_mix,
    a_url_cannot_forge_a_header,
    a_place_that_is_none_is_refused,
)
