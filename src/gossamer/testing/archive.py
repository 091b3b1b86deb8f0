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


async def a_record_is_taken_out_as_warc_with_its_request(open_archive: Opener) -> None:
    archive = await open_archive()
    for kind, fetched in answers().items():
        place = await keep(archive, fetched)
        await archive.flush()
        packed = await archive.packed(place)
        record, both = gzip.decompress(packed.content.read(packed.length)), gzip.decompress(packed.content.read())
        assert record.startswith(b"WARC/1.1\r\n") and both.startswith(record), f"{kind}: no record of WARC 1.1"
        assert fetched.response_head + fetched.body.read() in record, f"{kind}: not the bytes that came"
        assert both.endswith(fetched.request_head + b"\r\n\r\n"), f"{kind}: the request is missing"
        packed.content.close()
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


async def _pruned(open_archive: Opener) -> tuple[Archive, list[Place]]:
    """Open an archive of one closed file: two captures of a page, a copy of the first, and a 304 that confirms it."""
    archive = await open_archive()
    first, second = answer(b"one", url="http://a.test/"), answer(b"two", url="http://a.test/", at=1_790_000_009.0)
    original = Original(first.url, "a", first.started)
    copy, unmodified = answer(b"one", url="http://a.test/copy"), answer(b"", url=first.url, status=b"304 Not Modified")
    places = [await keep(archive, fetched) for fetched in (first, second)]
    places += [await keep(archive, fetched, original) for fetched in (copy, unmodified)]
    await archive.aclose()
    return await open_archive(), places


async def what_refers_to_a_capture_is_found(open_archive: Opener) -> None:
    archive, places = await _pruned(open_archive)
    names = [await archive.identity(place) for place in places[:2]]
    assert names[0] != names[1], "two captures of a page are called the same"
    files = [file async for file in archive.files()]
    found = [one for file, _ in files async for one in archive.references(file, names)]
    spots = {(one.file, one.offset): (one.url, one.target) for one in found}
    expected = [(place.file, place.offset) for place in places[2:]]
    assert spots == dict(zip(expected, [("http://a.test/copy", names[0]), ("http://a.test/", names[0])], strict=True)), (
        "not the revisits that refer to a capture"
    )
    assert [one for file, _ in files async for one in archive.references(file, names[1:])] == [], "nobody refers to the second"
    await archive.aclose()


async def a_file_is_rewritten_without_some_records(open_archive: Opener) -> None:
    archive, places = await _pruned(open_archive)
    for place in (places[0], *[place for place in places[1:] if place.file != places[0].file]):
        without = {place.offset}
        before = [file async for file in archive.files()]
        weighed = await archive.weigh(place.file, without)
        assert [file async for file in archive.files()] == before, "what is only weighed was written"
        rewritten = await archive.rewrite(place.file, without, 1_790_000_010.0)
        assert weighed.offsets.keys() == rewritten.offsets.keys(), "it was weighed with other records"
        assert rewritten.after < rewritten.before and place.offset not in rewritten.offsets, "nothing was taken out"
        left = [one for one in places if one.file == place.file and one != place]
        assert rewritten.is_empty is not bool(left), "it is not known whether something is left"
        for one in left:
            moved = Place(rewritten.file, rewritten.offsets[one.offset], one.length)
            assert same(await archive.read(moved), await archive.read(one)), "a record is not what it was before the file moved"
        await archive.drop(place.file)
        files = {file async for file, _ in archive.files()}
        assert place.file not in files and rewritten.file in files, "the old file is there, or the new one is not"
        places = [one for one in places if one.file != place.file]
    assert not [problem async for _, problem in archive.problems() if problem], "a file that was rewritten is not sound"
    await archive.aclose()


async def of_an_old_and_a_new_file_the_one_in_use_stays(open_archive: Opener) -> None:
    for moved in (False, True):
        archive, places = await _pruned(open_archive)
        old = places[0].file
        new = (await archive.rewrite(old, {places[0].offset}, 1_790_000_010.0)).file

        async def uses(file: str, old: str = old, moved: bool = moved) -> bool:
            return (file != old) if moved else (file == old)

        await archive.finish(uses)
        files = {file async for file, _ in archive.files()}
        assert (old in files, new in files) == (not moved, moved), "a prune that was interrupted is not cleared up"
        await archive.finish(uses)
        assert files == {file async for file, _ in archive.files()}, "clearing up twice takes more away"
        await archive.aclose()


async def everything_kept_is_walked_over_and_sound(open_archive: Opener) -> None:
    archive, _ = await _pruned(open_archive)
    later = await keep(archive, answer(b"three", url="http://a.test/three"))  # in a file that is still open
    await archive.flush()
    walked = [(fetched.url, fetched.outcome, digest) async for fetched, digest in archive.captures()]
    assert [outcome for _, outcome, _ in walked].count(Outcome.OK) == 3 and len(walked) == 5, f"walked over {walked}"
    assert ("http://a.test/three", Outcome.OK, payload_digest(answer(b"three").body, False)) in walked, "a digest is missing"
    problems = [problem async for problem in archive.problems()]
    assert problems and not any(problem for _, problem in problems), f"a sound archive has problems: {problems}"
    await archive.merge()
    assert (await archive.read(later)).url == "http://a.test/three", "an archive that was merged cannot be read"
    await archive.aclose()


async def a_second_archive_repairs_and_reads_beside_the_first(open_archive: Opener) -> None:
    writer = await open_archive()
    place = await keep(writer, answer(url="http://a.test/first"))
    await writer.flush()
    reader = await open_archive()
    assert (await reader.read(place)).url == "http://a.test/first", "what was flushed cannot be read beside the writer"
    second = await keep(writer, answer(url="http://a.test/second"))
    await writer.aclose()
    await reader.repair()
    for each, url in ((place, "http://a.test/first"), (second, "http://a.test/second")):
        assert (await reader.read(each)).url == url, "a repair took something whole away"
    await reader.aclose()


RULES: tuple[Rule, ...] = (
    what_refers_to_a_capture_is_found,
    a_file_is_rewritten_without_some_records,
    of_an_old_and_a_new_file_the_one_in_use_stays,
    everything_kept_is_walked_over_and_sound,
    a_second_archive_repairs_and_reads_beside_the_first,
    every_kind_of_answer_reads_back_byte_for_byte,
    what_was_kept_is_there_after_closing_and_opening,
    a_revisit_says_so_and_names_its_original,
    a_304_says_so_and_names_what_it_confirms,
    answers_appended_at_once_do_not_mix,
    a_record_is_taken_out_as_warc_with_its_request,
    a_url_cannot_forge_a_header,
    a_place_that_is_none_is_refused,
)
