"""Every store can be copied onto any shelf, a directory or a bucket, and what is there opens as the store it was taken of."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gossamer.config.sections import Breaker, FrontierSettings, Politeness, Storage
from gossamer.errors import StoreError
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.joints.shelving import Shelving
from gossamer.kv.rocks import RocksKeyValue
from gossamer.records.location import Location
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.storage.linkgraph import EdgeLog
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.archive import answer, keep
from gossamer.testing.catalog import page
from gossamer.testing.frontier_bench import LEASE, NOW, entry


class Bucket:
    """Bytes by name, elsewhere: no file of a store can be linked there."""

    def __init__(self, place: Path) -> None:
        self._place = place  # where it is brought to in the end
        self.objects: dict[str, bytes] = {}

    async def put(self, name: str, chunks: Iterable[bytes] | AsyncIterable[bytes]) -> None:
        content = [chunk async for chunk in chunks] if isinstance(chunks, AsyncIterable) else list(chunks)
        self.objects[f"{self._place.name}/{name}"] = b"".join(content)

    @asynccontextmanager
    async def path(self, near: Path) -> AsyncIterator[Path]:
        with TemporaryDirectory(dir=near.parent) as folder:
            yield Path(folder) / self._place.name
            files = [file for file in Path(folder).rglob("*") if file.is_file()]
            self.objects |= {str(file.relative_to(folder)): file.read_bytes() for file in files}

    def fetch(self) -> None:
        """Bring everything to its place, as the shelf of a directory has it there."""
        for name, content in self.objects.items():
            file = self._place.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


async def kv_at(path: Path) -> RocksKeyValue:
    return await RocksKeyValue.open(Location("rocksdb", path, "rocksdb:x"), durable=True)


async def catalog_at(path: Path) -> SqliteCatalog:
    return await SqliteCatalog.open(Location("sqlite", path, "sqlite:x"), durable=True, writing=True)


async def archive_at(path: Path) -> DirectoryArchive:
    return await DirectoryArchive.open(Location("dir", path, "dir:x"), Storage(), {}, lambda: NOW, "one")


async def graph_at(path: Path) -> EdgeLog:
    return await EdgeLog.open(Location("edges", path, "edges:x"), True, True)


async def frontier_at(path: Path) -> EmbeddedFrontier:
    location = Location("rocksdb", path, "rocksdb:x")
    return await EmbeddedFrontier.open(location, FrontierSettings(), Politeness(), Breaker(), LEASE, NOW, True, False)


async def archived(archive: DirectoryArchive) -> list[str]:
    return [fetched.url async for fetched, _ in archive.captures()]


STORES: dict[str, tuple[Callable[[Path], Awaitable[Any]], Callable[[Any], Awaitable[Any]], Callable[[Any], Awaitable[Any]]]] = {
    "kv": (kv_at, lambda kv: kv.put(b"a", b"1"), lambda kv: kv.get(b"a")),
    "catalog": (catalog_at, lambda catalog: catalog.add([page("a")]), lambda catalog: catalog.get("a")),
    "archive": (archive_at, lambda archive: keep(archive, answer()), archived),
    "graph": (graph_at, lambda graph: graph.put([(1, b"")]), lambda graph: anext(graph.pages(), None)),
    "frontier": (
        frontier_at,
        lambda frontier: frontier.discover([entry()], NOW),
        lambda frontier: anext(frontier.known(), None),
    ),
}


@pytest.mark.parametrize("kind", [DirectoryShelving, Bucket])
@pytest.mark.parametrize("name", STORES)
async def test_a_copy_opens_as_the_store_it_was_taken_of(name: str, kind: type, tmp_path: Path) -> None:
    opened, filled, content = STORES[name]
    store, target = await opened(tmp_path / "here"), tmp_path / "there"
    await filled(store)
    shelf = kind(target)
    assert isinstance(shelf, Shelving)
    await store.checkpoint(shelf)
    if isinstance(shelf, Bucket):
        shelf.fetch()
    copy = await opened(target)
    assert await content(copy) == await content(store) and await content(copy)
    await copy.aclose()
    await store.aclose()
    assert {each.name for each in tmp_path.iterdir()} <= {"here", "there", "here.seal", "there.seal"}, (
        "something was left behind"
    )


async def test_a_shelf_in_a_directory_overwrites_nothing(tmp_path: Path) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"some"
        yield b" bytes"

    shelf = DirectoryShelving(tmp_path / "new" / "shelf")
    await shelf.put("below/name", chunks())
    assert (tmp_path / "new" / "shelf" / "below" / "name").read_bytes() == b"some bytes"
    with pytest.raises(StoreError, match="name cannot be written"):
        await shelf.put("below/name", [b"other"])
