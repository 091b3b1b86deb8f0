"""Every archive keeps the promises of its joint."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from plain_stores import PlainArchive

from gossamer.config.sections import Storage
from gossamer.joints.archive import Archive
from gossamer.records.location import Location
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.testing.archive import RULES, Rule


def opened(path: Path, settings: Storage) -> Awaitable[Archive]:
    location = Location("dir", path / "warc", "dir:warc")
    return DirectoryArchive.open(location, settings, {"software": "test"}, lambda: 1_790_000_000.0, "local")


BACKENDS: dict[str, Callable[[Path], Awaitable[Archive]]] = {
    "directory": lambda path: opened(path, Storage()),
    "directory of small files": lambda path: opened(path, Storage(segment_bytes=1024)),
    "directory without effort": lambda path: opened(path, Storage(compression=0)),
    "plain": lambda path: PlainArchive.open(Location("plain", path, "plain:x"), Storage(), {}, lambda: 1.0, "local"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_an_archive_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    assert isinstance(await BACKENDS[backend](tmp_path), Archive)
    await rule(lambda: BACKENDS[backend](tmp_path))
