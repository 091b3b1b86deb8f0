"""Where an export is written: a file or a folder that gets its name when it is whole, or standard output.

Until then it has a temporary name beside its own, so that what was there before stays as it was when the export ends early: by
an error, by a signal, by a full disk. What is there already is only replaced by force; and then a folder only if an export made
it, because all that is in it goes.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from gossamer.errors import DiskFull, UsageError

MARK = "export.json"  # in a folder that an export made: what it is
UNFINISHED = ".part"


class FileTarget:
    """One file."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def file(self, path: PurePosixPath) -> BinaryIO:  # pragma: no cover - a format that is one file asks for none
        raise NotImplementedError(path)


class FolderTarget:
    """A folder of files."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def stream(self) -> BinaryIO:
        """A folder has none."""
        raise NotImplementedError

    @contextmanager
    def file(self, path: PurePosixPath) -> Iterator[BinaryIO]:
        """Begin a file; its folders are made."""
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            yield file


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[FileTarget]:
    """Give a file that gets its name when the block ends."""
    path = path.resolve()
    _refuse(path, path.is_file(), force, "file")
    draft = _draft(path)
    with _in_our_words(path):
        try:
            with draft.open("wb") as file:
                yield FileTarget(file)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path, force: bool, about: dict[str, object]) -> Iterator[FolderTarget]:
    """Give a folder that gets its name when the block ends; `about` is kept in it."""
    path = path.resolve()
    ours = path.is_dir() and ((path / MARK).is_file() or not any(path.iterdir()))
    _refuse(path, ours, force, "folder of an export")
    draft = _draft(path)
    with _in_our_words(path):
        try:
            draft.mkdir()
            yield FolderTarget(draft)
            (draft / MARK).write_bytes(msgspec.json.encode(about) + b"\n")
            if path.exists():
                former = path.with_name(f"{path.name}.{os.getpid()}.old")
                path.rename(former)
                draft.rename(path)
                shutil.rmtree(former)
            else:
                draft.rename(path)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED}")


def _refuse(path: Path, is_replaceable: bool, force: bool, what: str) -> None:
    """Refuse what is there already, unless it may be replaced and is to be."""
    if not path.exists():
        return
    if not is_replaceable:
        raise UsageError(f"{path} is there already and is no {what}, so it is not replaced; choose another name")
    if not force:
        raise UsageError(f"{path} is there already; choose another name, or replace it with --force")


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT, EFBIG):
            raise DiskFull(f"no space is left for {path}; free some, or choose another place") from error
        raise UsageError(f"cannot write {path}: {error.strerror or error}; choose another place") from error
