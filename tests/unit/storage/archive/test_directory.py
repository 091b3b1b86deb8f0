"""The archive in a directory: names, rolling, repair, and a disk that is full."""

import asyncio
import re
import resource
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from gossamer.config.sections import Storage
from gossamer.errors import StoreError
from gossamer.records.page import Original, Place
from gossamer.storage.archive import directory, member, upkeep, warc
from gossamer.storage.archive.check import check
from gossamer.storage.archive.directory import LONG, DirectoryArchive
from gossamer.storage.archive.segment import Segment
from gossamer.storage.archive.walk import walk
from gossamer.testing.archive import answer, answers, keep, same
from gossamer.testing.clock import VirtualClock

SOFTWARE = {
    "software": "gossamer/1",
    "robots": "obey",
    "http-header-user-agent": "gossamer/1 (+mailto:a@b.test)",
    "operator": "a@b.test",
}


def open_archive(path: Path, clock: VirtualClock | None = None, **settings: float) -> DirectoryArchive:
    upkeep.repair(path)
    return DirectoryArchive(path, Storage.model_validate(settings), SOFTWARE, (clock or VirtualClock()).now, "one")


def names(path: Path, pattern: str = "*.warc.gz*") -> list[str]:
    return sorted(file.name for file in path.glob(pattern))


async def test_a_file_is_open_until_it_is_closed(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    assert names(tmp_path) == []
    place = await keep(archive, answer())
    assert names(tmp_path) == [place.file + ".open"]
    await archive.aclose()
    assert names(tmp_path) == [place.file]
    assert re.fullmatch(r"gossamer-20231114221320-000001-one\.warc\.gz", place.file)
    assert names(tmp_path, "*.cdxj") == [place.file.replace(".warc.gz", ".cdxj")]


@pytest.mark.parametrize(("size", "on_a_thread"), [(LONG, False), (LONG + 1, True), (member.LARGE + 1, True)])
async def test_a_body_that_takes_long_to_pack_does_not_hold_up_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, on_a_thread: bool
) -> None:
    threads: list[bool] = []
    pack = warc.pack

    def noting(draft: warc.Draft, level: int) -> Iterator[bytes]:
        if draft.body is not None:
            threads.append(threading.current_thread() is not threading.main_thread())
        return pack(draft, level)

    monkeypatch.setattr(warc, "pack", noting)
    archive = open_archive(tmp_path)
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    kept = await archive.read(await keep(archive, answer(content)))
    assert kept.body.read() == content
    assert threads == [on_a_thread]
    await archive.aclose()
    assert list(check(next(tmp_path.glob("*.warc.gz")))) == []


async def test_a_very_long_record_is_written_aside_and_others_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "AT_ONCE", 100_000)
    threads: list[str] = []
    append = Segment.append

    def noting(segment: Segment, pieces: Iterable[bytes]) -> int:
        threads.append(threading.current_thread().name)
        return append(segment, pieces)

    monkeypatch.setattr(Segment, "append", noting)
    archive = open_archive(tmp_path, segment_bytes=1_000_000)
    noise = [Random(number).randbytes(300_000) for number in range(6)]
    pages = [answer(content, url=f"http://a.test/{number}") for number, content in enumerate(noise)]
    short = [answer(b"short", url=f"http://a.test/short/{number}") for number in range(6)]
    mixed = [one for pair in zip(pages, short, strict=True) for one in pair]
    places = await asyncio.gather(*(keep(archive, one) for one in mixed))
    assert threading.main_thread().name in threads and len(set(threads)) > 1
    given_up = asyncio.create_task(keep(archive, pages[0]))
    while len(threads) < 20 and not given_up.done():
        await asyncio.sleep(0)
        if archive._growing.locked():
            given_up.cancel()
    await asyncio.wait({given_up})
    places.append(await keep(archive, short[0]))
    for place, one in zip(places, (*mixed, short[0]), strict=True):
        kept = await archive.read(place)
        assert (kept.url, kept.body.read()) == (one.url, one.body.read())
    await archive.aclose()
    assert [problem for file in tmp_path.glob("*.warc.gz") for problem in check(file)] == []


async def test_every_file_begins_with_who_wrote_it(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, segment_bytes=1024)
    for number in range(3):
        await keep(archive, answer(bytes(range(256)) * 20, url=f"http://a.test/{number}"))
    await archive.aclose()
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) == 3
    for file in files:
        first = next(walk(file))
        text = b"".join(first.block()).decode()
        assert (first.kind, first.headers["warc-filename"]) == ("warcinfo", file.name)
        assert all(f"{name}: {value}\r\n" in text for name, value in SOFTWARE.items())
        assert "format: WARC File Format 1.1\r\n" in text


async def test_every_record_has_an_id_of_its_own_also_among_archives_that_are_written_at_once(tmp_path: Path) -> None:
    archives = [open_archive(tmp_path / name) for name in ("a", "b")]
    for number in range(10):
        for archive in archives:
            await keep(archive, answer(url=f"http://a.test/{number}"))
    for archive in archives:
        await archive.aclose()
    found = [record.headers["warc-record-id"] for path in tmp_path.glob("*/*.warc.gz") for record in walk(path)]
    assert len(found) == len(set(found)) == 2 * (1 + 10 * 2)
    assert {uuid.UUID(each.removeprefix("<urn:uuid:").removesuffix(">")).version for each in found} == {4}


async def test_files_roll_by_size(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, segment_bytes=4096)
    places = [await keep(archive, answer(bytes(range(256)) * 8, url=f"http://a.test/{number}")) for number in range(20)]
    await archive.aclose()
    sizes = [file.stat().st_size for file in sorted(tmp_path.glob("*.warc.gz"))]
    assert len(sizes) > 1
    assert all(size >= 4096 for size in sizes[:-1])
    assert all(size < 4096 + 2048 for size in sizes)
    assert sorted({place.file for place in places}) == names(tmp_path)
    assert names(tmp_path, "*.open") == []
    assert len(names(tmp_path, "*.cdxj")) == len(sizes)


async def test_files_roll_by_age(tmp_path: Path) -> None:
    clock = VirtualClock()
    archive = open_archive(tmp_path, clock, segment_seconds=60)
    files = []
    for step in (0, 59, 1, 59, 61):
        clock.advance(step)
        files.append((await keep(archive, answer())).file)
    await archive.aclose()
    assert [files.index(file) for file in files] == [0, 0, 2, 2, 4]


async def test_the_sequence_goes_on_after_opening_again(tmp_path: Path) -> None:
    for number in range(1, 4):
        archive = open_archive(tmp_path)
        assert f"-{number:06}-" in (await keep(archive, answer())).file
        await archive.aclose()


async def test_closing_an_archive_nothing_was_written_to_leaves_nothing(tmp_path: Path) -> None:
    archive = open_archive(tmp_path / "new")
    await archive.aclose()
    assert list((tmp_path / "new").iterdir()) == []


async def test_a_left_over_file_is_closed_and_indexed_on_open(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    fetched = answer()
    place = await keep(archive, fetched)
    await keep(archive, answer(url="http://a.test/copy"), Original(fetched.url, "k", fetched.started))
    await archive.aclose()
    closed = tmp_path / place.file
    index = closed.with_name(place.file.replace(".warc.gz", ".cdxj"))
    whole, lines = closed.read_bytes(), index.read_bytes()
    assert len(lines.splitlines()) == 2
    index.unlink()
    closed.rename(tmp_path / (place.file + ".open"))
    again = open_archive(tmp_path)
    assert closed.read_bytes() == whole
    assert index.read_bytes() == lines
    assert same(await again.read(place), fetched)


async def test_a_file_with_nothing_but_a_beginning_is_removed_on_open(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    place = await keep(archive, answer())
    await archive.aclose()
    content = (tmp_path / place.file).read_bytes()
    beginning = next(iter(walk(tmp_path / place.file))).length
    for file in tmp_path.iterdir():
        file.unlink()
    for size in (0, 1, beginning - 1, beginning, beginning + 1):
        (tmp_path / (place.file + ".open")).write_bytes(content[:size])
        open_archive(tmp_path)
        assert list(tmp_path.iterdir()) == [], f"{size} bytes were kept"


async def test_a_missing_index_is_made_again_the_same(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    for fetched in answers().values():
        await keep(archive, fetched)
    await keep(archive, answer(url="http://a.test/copy"), Original("http://a.test/page", "k", 5.0))
    await archive.aclose()
    (index,) = tmp_path.glob("*.cdxj")
    lines = index.read_bytes()
    index.unlink()
    open_archive(tmp_path)
    assert index.read_bytes() == lines
    assert len(lines.splitlines()) == len(answers()) + 1


async def test_a_file_that_someone_writes_is_not_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "PATIENCE", 0.0)
    archive = open_archive(tmp_path)
    await keep(archive, answer())
    before = names(tmp_path)
    other = DirectoryArchive(tmp_path, Storage(), SOFTWARE, VirtualClock().now, "two")
    await other.repair()
    assert names(tmp_path) == before
    place = await keep(archive, answer(url="http://a.test/after"))
    assert (await other.read(place)).url == "http://a.test/after"
    await archive.aclose()
    await other.aclose()


async def test_a_worker_name_cannot_leave_the_directory(tmp_path: Path) -> None:
    archive = DirectoryArchive(tmp_path / "warc", Storage(), {}, VirtualClock().now, "../../x y")
    place = await keep(archive, answer())
    await archive.aclose()
    assert (tmp_path / "warc" / place.file).is_file()
    assert (await open_archive(tmp_path / "warc").read(place)).status == 200


async def test_a_place_cannot_leave_the_directory(tmp_path: Path) -> None:
    archive, other = open_archive(tmp_path / "warc"), open_archive(tmp_path / "other")
    place = await keep(other, answer())
    with pytest.raises(StoreError, match="is no file of this archive"):
        await archive.read(Place(f"../other/{place.file}", place.offset, place.length))
    await other.aclose()


FULL = """
import asyncio, os, resource, sys
from pathlib import Path
from gossamer.config.sections import Storage
from gossamer.errors import DiskFull
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.testing.archive import answer, keep

async def main(path, limit):
    archive = DirectoryArchive(path, Storage(), {}, lambda: 1.0, "local")
    kept = [await keep(archive, answer())]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for body in (os.urandom(50_000), os.urandom(3_000_000)):
        try:
            await keep(archive, answer(body))
        except DiskFull as error:
            print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    kept.append(await keep(archive, answer(url="http://a.test/room")))
    print([(await archive.read(place)).url for place in kept])
    await archive.aclose()

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.mark.parametrize("limit", [1100, 1234, 30_000])
def test_a_full_disk_costs_only_the_record_that_did_not_fit(limit: int, tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path), str(limit)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "no space is left for gossamer-19700101000001-000001-local.warc.gz; free some and resume",
        "no space is left for a temporary file; free some and resume",
        "['http://a.test/page', 'http://a.test/room']",
    ]
    (file,) = tmp_path.glob("*.warc.gz")
    assert list(check(file)) == []
    assert [record.kind for record in walk(file)] == ["warcinfo", "response", "request", "response", "request"]


def test_a_directory_that_is_a_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "warc").write_text("no directory")
    with pytest.raises(StoreError, match="warc cannot be written"):
        open_archive(tmp_path / "warc")


async def test_problems_are_told_by_file(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, segment_bytes=1024)
    for number in range(3):
        await keep(archive, answer(bytes(range(256)) * 20, url=f"http://a.test/{number}"))
    await archive.aclose()
    sound, broken, left = sorted(tmp_path.glob("*.warc.gz"))
    broken.write_bytes(broken.read_bytes()[:-5])
    left.write_bytes(left.read_bytes()[:-5])
    left.rename(tmp_path / (left.name + ".open"))
    found = [problem async for problem in archive.problems()]
    assert [(name, bool(problem)) for name, problem in found] == [
        (sound.name, False),
        (broken.name, True),
        (left.name + ".open", False),
    ]
