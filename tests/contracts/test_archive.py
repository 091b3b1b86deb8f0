"""Every archive keeps the promises of its joint."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config.sections import Storage
from gossamer.joints.archive import Archive
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.testing.archive import RULES, Rule

BACKENDS: dict[str, Callable[[Path], Archive]] = {
    "directory": lambda path: DirectoryArchive.open(path / "warc", Storage(), {"software": "test"}, lambda: 1_790_000_000.0),
    "directory of small files": lambda path: DirectoryArchive.open(
        path / "warc", Storage(segment_bytes=1024), {"software": "test"}, lambda: 1_790_000_000.0
    ),
    "directory without effort": lambda path: DirectoryArchive.open(
        path / "warc", Storage(compression=0), {}, lambda: 1_790_000_000.0
    ),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_an_archive_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    assert isinstance(BACKENDS[backend](tmp_path), Archive)
    await rule(lambda: BACKENDS[backend](tmp_path))
