"""A crash in the middle of a write: the torn tail is cut at the last whole record, and nothing before it changes."""

import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.config.sections import Storage
from gossamer.records.page import Place
from gossamer.storage.archive import upkeep
from gossamer.storage.archive.check import check
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.storage.archive.walk import walk
from gossamer.testing.archive import answer, keep, same


def open_archive(path: Path) -> DirectoryArchive:
    upkeep.repair(path)
    return DirectoryArchive(path, Storage(), {"software": "test"}, lambda: 1_790_000_000.0, "local")


async def test_a_file_torn_at_any_byte_of_its_last_page_keeps_every_whole_record(tmp_path: Path) -> None:
    archive = open_archive(tmp_path / "whole")
    first = answer(b"<p>first", url="http://a.test/first")
    place = await keep(archive, first)
    await keep(archive, answer(b"<p>last", url="http://a.test/last"))
    await archive.aclose()
    file = tmp_path / "whole" / place.file
    content = file.read_bytes()
    ends = [record.offset + record.length for record in walk(file)]
    assert len(ends) == 5 and ends[-1] == len(content)
    torn = tmp_path / "torn"
    torn.mkdir()
    for size in range(ends[2], len(content) + 1):
        (torn / (file.name + ".open")).write_bytes(content[:size])
        repaired = open_archive(torn)
        kept = max(end for end in ends if end <= size)
        assert (torn / file.name).read_bytes() == content[:kept], f"torn at byte {size}"
        assert same(await repaired.read(place), first)
        index = (torn / file.name.replace(".warc.gz", ".cdxj")).read_text()
        assert [f"/{page} " in index for page in ("first", "last")] == [True, kept >= ends[3]]
        assert not list(torn.glob("*.open"))
        for left in torn.iterdir():
            left.unlink()


@pytest.mark.parametrize("tail", [b"\x00" * 4096, b"\x1f\x8b\x08\x00", b"\xff" * 100], ids=["zeros", "gzip", "ones"])
async def test_garbage_behind_the_last_record_is_cut(tail: bytes, tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    place = await keep(archive, answer())
    await archive.aclose()
    file = tmp_path / place.file
    content = file.read_bytes()
    (tmp_path / (file.name + ".open")).write_bytes(content + tail)
    file.unlink()
    open_archive(tmp_path)
    assert file.read_bytes() == content


WRITER = """
import asyncio, os, sys
from pathlib import Path
from gossamer.config.sections import Storage
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.testing.archive import answer, keep

async def main():
    archive = DirectoryArchive(Path(sys.argv[1]), Storage(segment_bytes=200_000), {}, lambda: 1_790_000_000.0, "local")
    await archive.repair()
    number = int(sys.argv[2])
    while True:
        place = await keep(archive, answer(os.urandom(5_000), url=f"http://a.test/{number}"))
        await archive.flush()
        sys.stdout.write(f"{number} {place.file} {place.offset} {place.length}\\n")
        sys.stdout.flush()
        number += 1

asyncio.run(main())
"""


async def test_every_flushed_record_outlives_a_kill(tmp_path: Path) -> None:
    places: dict[int, Place] = {}
    for kill_after in (1, 60, 137):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(len(places))], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            for _ in range(kill_after):
                number, file, offset, length = writer.stdout.readline().split()
                places[int(number)] = Place(file, int(offset), int(length))
            writer.kill()
            for said in writer.stdout:  # what it acknowledged before the kill reached it
                if said.endswith("\n"):
                    number, file, offset, length = said.split()
                    places[int(number)] = Place(file, int(offset), int(length))
    archive = open_archive(tmp_path)
    assert not list(tmp_path.glob("*.open"))
    for number, place in places.items():
        fetched = await archive.read(place)
        assert (fetched.url, fetched.body.size) == (f"http://a.test/{number}", 5_000)
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) >= 6
    assert [problem for file in files for problem in check(file)] == []
    await archive.aclose()
