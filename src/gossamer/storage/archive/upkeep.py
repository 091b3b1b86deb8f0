"""The upkeep of an archive in a directory: repair after a crash, one index over all files, checks, walks and copies.

Nothing here needs an open archive: a crawl may be writing the files meanwhile.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gossamer.durability import make_directory
from gossamer.records.fetch import Fetched
from gossamer.storage.archive import cdxj, replay, sealed
from gossamer.storage.archive.check import check
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.archive.segment import OPEN, failure, open_path
from gossamer.storage.archive.segment import repair as repair_file
from gossamer.storage.archive.walk import Record, Torn, walk

PATIENCE = 5.0  # seconds a worker whose node is gone may take to end


def repair(directory: Path, which: str = "*") -> None:
    """Repair the files that somebody who is gone left behind, of those with such names."""
    try:
        make_directory(directory)
        recover(directory, which, PATIENCE)
    except OSError as error:
        raise failure(error, directory) from error


def merge(directory: Path) -> None:
    """Make one index of all files, open ones included."""
    try:
        cdxj.merge(directory)
    except OSError as error:
        raise failure(error, directory) from error


def problems(directory: Path) -> Iterator[tuple[str, str]]:
    """Check every file: its name with each problem, or once with an empty text when it is sound."""
    for file in _files(directory):
        sound = True
        for problem in check(file, torn=file.name.endswith(OPEN)):
            sound = False
            yield file.name, f"{problem.what} (byte {problem.offset})"
        if sound:
            yield file.name, ""


def captures(directory: Path) -> Iterator[tuple[Fetched, str]]:
    """Walk over all that is kept; a damaged file is walked over up to where it is damaged."""
    for file in _files(directory):
        with suppress(Torn):
            for record in walk(file):
                if record.kind in cdxj.KEPT:
                    fetched = replay.restore(record)
                    yield fetched, record.headers.get("warc-payload-digest", "")
                    fetched.body.close()
                record.content.close()


def _files(directory: Path) -> list[Path]:
    return sorted((*directory.glob("*.warc.gz"), *directory.glob(f"*.warc.gz{OPEN}")))


def checkpoint(directory: Path, target: Path) -> None:
    """Copy an archive into a new directory."""
    try:
        target.mkdir(parents=True)
        copied: set[str] = set()
        while fresh := {path.name for path in directory.iterdir()} - copied if directory.is_dir() else set():
            for name in sorted(fresh - {sealed.NAME}):
                with suppress(FileNotFoundError):
                    _copy(directory / name, target / name)
            copied |= fresh
        sealed.seal(target)
    except OSError as error:
        raise failure(error, target) from error


def _copy(path: Path, target: Path) -> None:
    if path.name.endswith(OPEN):
        shutil.copyfile(path, target)
        return
    open_path(target).unlink(missing_ok=True)  # copied before it got its final name
    try:
        target.hardlink_to(path)
    except OSError:  # another file system, or one without links
        shutil.copyfile(path, target)


def recover(directory: Path, which: str = "*", patience: float = 0.0) -> None:
    """Repair every file a crash left open, and index every closed file that has no index; of those with such names."""
    for path in sorted(directory.glob(f"{which}.warc.gz{OPEN}")):
        closed = path.with_name(path.name.removesuffix(OPEN))
        lines = SortedLines(directory)

        def remember(record: Record, lines: SortedLines = lines, name: str = closed.name) -> None:
            if record.kind in cdxj.KEPT:
                lines.append(cdxj.line_of(record, name))

        if repair_file(path, remember, patience) and closed.exists():
            cdxj.write(closed, lines)
    for path in sorted(directory.glob(f"{which}.warc.gz")):
        if not cdxj.index_path(path).exists():
            cdxj.index(path)
        cdxj.journal_path(path).unlink(missing_ok=True)
    for left in directory.glob(f"{cdxj.MERGED}.*{cdxj.UNFINISHED}"):
        left.unlink(missing_ok=True)
