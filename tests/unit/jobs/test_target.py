"""Where an export is written: whole under its name, or not at all."""

from errno import ENOSPC
from pathlib import Path, PurePosixPath

import pytest

from gossamer.errors import DiskFull, UsageError
from gossamer.jobs.target import new_file, new_folder


def everything(path: Path) -> dict[str, bytes]:
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def test_a_file_gets_its_name_when_it_is_whole(tmp_path: Path) -> None:
    with new_file(tmp_path / "out", force=False) as target:
        target.stream.write(b"all")
        assert not (tmp_path / "out").exists()
    assert everything(tmp_path) == {"out": b"all"}


def test_a_folder_gets_its_name_when_it_is_whole_and_says_what_it_is(tmp_path: Path) -> None:
    with new_folder(tmp_path / "out", False, {"format": "text"}) as target:
        with target.file(PurePosixPath("a/b/c.txt")) as file:
            file.write(b"all")
        assert not (tmp_path / "out").exists()
    assert everything(tmp_path) == {"out/a/b/c.txt": b"all", "out/export.json": b'{"format":"text"}\n'}


@pytest.mark.parametrize("failure", [OSError(ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_what_ends_early_leaves_what_was_there(failure: BaseException, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with new_folder(tmp_path / "folder", False, {}) as target, target.file(PurePosixPath("old")) as file:
        file.write(b"old")
    before = everything(tmp_path)
    expected = DiskFull if isinstance(failure, OSError) else type(failure)

    def write_a_file() -> None:
        with new_file(tmp_path / "file", force=True) as target:
            target.stream.write(b"new")
            raise failure

    def write_a_folder() -> None:
        with new_folder(tmp_path / "folder", True, {}) as target, target.file(PurePosixPath("new")) as file:
            file.write(b"new")
            raise failure

    for write in (write_a_file, write_a_folder):
        with pytest.raises(expected):
            write()
    assert everything(tmp_path) == before


def test_a_folder_of_an_export_is_replaced_as_a_whole(tmp_path: Path) -> None:
    for name in ("old", "new"):
        with new_folder(tmp_path / "out", True, {}) as target, target.file(PurePosixPath(name)) as file:
            file.write(b"")
    assert everything(tmp_path).keys() == {"out/new", "out/export.json"}


def test_a_link_stays_a_link_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with new_file(tmp_path / "link", force=True) as target:
        target.stream.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


def test_a_place_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"), new_file(tmp_path / "no" / "out", force=False):
        pass
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").touch()
    with pytest.raises(UsageError, match="not replaced"), new_folder(tmp_path / "mine", True, {}):
        pass
