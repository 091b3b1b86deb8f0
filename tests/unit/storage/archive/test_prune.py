"""Taking records out of archive files: what goes, what stays as it was, and what a crash left."""

import gzip
from pathlib import Path

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Storage
from gossamer.errors import StoreError
from gossamer.records.page import Original, Place
from gossamer.storage.archive import cdxj, replay
from gossamer.storage.archive.check import check
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.storage.archive.prune import Pruner, predecessor, successor
from gossamer.storage.archive.walk import Torn, walk
from gossamer.testing.archive import answer, answers, keep, same

NOW = 1_790_000_000.0


async def written(path: Path) -> tuple[Path, list[Place]]:
    """Write one file with every kind of answer, and revisits of the first."""
    archive = DirectoryArchive(path, Storage(), {"software": "gossamer/1"}, lambda: NOW, "local")
    places = [await keep(archive, fetched) for fetched in answers().values()]
    first = answers()["plain"]
    for status in (b"200 OK", b"304 Not Modified"):
        places.append(await keep(archive, answer(status=status), Original(first.url, "k", first.started)))
    await archive.aclose()
    return path / places[0].file, places


async def test_what_stays_is_the_same_to_the_byte_and_what_goes_takes_its_request_along(tmp_path: Path) -> None:
    file, places = await written(tmp_path)
    gone, kept = places[::2], places[1::2]
    before = {record.offset: file.read_bytes()[record.offset :][: record.length] for record in walk(file)}
    rewritten = Pruner(tmp_path).rewrite(file.name, {place.offset for place in gone}, NOW)
    new = tmp_path / rewritten.file
    assert new.name == file.name.replace("-local.", "-local.p1.") and file.exists()
    assert list(check(new)) == []
    after = {record.offset: new.read_bytes()[record.offset :][: record.length] for record in walk(new)}
    del before[0], after[0]  # the warcinfo names its file, so it is another
    assert list(after.values()) == [before[old] for old in before if old in rewritten.offsets]
    requests = sum(b"WARC-Type: request" in gzip.decompress(member) for member in after.values())
    assert requests == len(kept)
    for place in kept:
        moved = Place(new.name, rewritten.offsets[place.offset], place.length)
        assert same(replay.read(new, moved), replay.read(file, place))
    assert rewritten.after == new.stat().st_size < rewritten.before == file.stat().st_size
    weighed = Pruner(tmp_path).weigh(file.name, {place.offset for place in gone})
    assert abs(weighed.after - rewritten.after) < 100 and weighed.offsets.keys() == rewritten.offsets.keys()


async def test_the_new_file_says_its_name_and_where_it_comes_from_and_has_its_index(tmp_path: Path) -> None:
    file, places = await written(tmp_path)
    new = tmp_path / Pruner(tmp_path).rewrite(file.name, {places[0].offset}, NOW).file
    first = next(walk(new))
    block = b"".join(first.block()).decode()
    assert first.headers["warc-filename"] == new.name
    assert "software: gossamer/1\r\n" in block and f"description: what is left of {file.name} without" in block
    index = cdxj.index_path(new).read_bytes()
    cdxj.index(new)
    assert cdxj.index_path(new).read_bytes() == index and index.count(b"\n") == len(places) - 2  # one gone, one a 304
    again = tmp_path / Pruner(tmp_path).rewrite(new.name, {0}, NOW).file
    assert again.name == file.name.replace("-local.", "-local.p2.")


async def test_a_file_of_which_nothing_is_left_says_so(tmp_path: Path) -> None:
    file, places = await written(tmp_path)
    pruner = Pruner(tmp_path)
    assert pruner.rewrite(file.name, {place.offset for place in places}, NOW).is_empty
    assert not pruner.weigh(file.name, {place.offset for place in places[1:]}).is_empty


async def test_a_damaged_file_is_left_alone(tmp_path: Path) -> None:
    file, places = await written(tmp_path)
    content = bytearray(file.read_bytes())
    content[places[3].offset + 30] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(Torn):
        Pruner(tmp_path).rewrite(file.name, {places[0].offset}, NOW)
    assert [path.name for path in tmp_path.glob("*.warc.gz*")] == [file.name] and file.read_bytes() == content


async def test_revisits_are_found_by_what_they_refer_to(tmp_path: Path) -> None:
    file, places = await written(tmp_path)
    pruner = Pruner(tmp_path)
    target = pruner.identity(places[0])
    assert target == ("http://a.test/page", "2026-09-21T14:13:20.123456Z")
    found = list(pruner.references(file.name, {target}))
    assert [(one.offset, one.url, one.target) for one in found] == [(place.offset, target[0], target) for place in places[-2:]]
    assert list(pruner.references(file.name, {("http://a.test/other", target[1])})) == []
    with pytest.raises(StoreError, match="has no record of"):
        pruner.identity(replace(places[0], length=1))
    with pytest.raises(StoreError, match="cannot be read"):
        pruner.identity(replace(places[0], file="gone.warc.gz"))


@pytest.mark.parametrize("moved", [False, True])
async def test_of_an_old_and_a_new_file_the_one_that_counts_stays(tmp_path: Path, moved: bool) -> None:
    file, places = await written(tmp_path)
    cdxj.merge(tmp_path)
    pruner = Pruner(tmp_path)
    new = pruner.rewrite(file.name, {places[0].offset}, NOW).file
    (tmp_path / f"{successor(new)}.part").write_bytes(b"begun")
    assert not (tmp_path / cdxj.MERGED).exists(), "an index that may name files that are gone is still there"

    async def uses(name: str) -> bool:
        return name != file.name if moved else name == file.name

    await pruner.finish(uses)
    left = new if moved else file.name
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [left, cdxj.index_path(tmp_path / left).name, cdxj.MERGED, "seal"]
    )
    assert left.encode() in (tmp_path / cdxj.MERGED).read_bytes()
    await pruner.finish(lambda name: pytest.fail("there is nothing to ask"))


def test_names_follow_each_other() -> None:
    name = "gossamer-20260921141320-000001-one.warc.gz"
    second = successor(successor(name))
    assert second == "gossamer-20260921141320-000001-one.p2.warc.gz"
    assert (predecessor(second), predecessor(successor(name)), predecessor(name)) == (successor(name), name, "")
    with pytest.raises(StoreError, match="no file of this archive"):
        successor("index.cdxj")
