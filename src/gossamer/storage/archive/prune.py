"""Take records out of closed files: a file without them takes the place of the old one, under a name of its own.

`gossamer-<time>-<sequence>-<worker>.warc.gz` becomes `...-<worker>.p1.warc.gz`, that `.p2`, and so on. Records are copied as
they are, compressed; only the warcinfo is new, because it names its file. A crash at any point leaves every record that counts:

1. the new file is written as `.part` and synced, gets its name, and its index;
2. the catalog says, in one transaction, where the records are now (not here: hands do not meet);
3. the old file is removed, its index first.

Whoever opens the crawl next calls `finish`: of two files of which one replaces the other, the old one is in use as long as any
capture is in it, and the other goes. The merged index is set aside before the first change and made again after the last.
"""

import os
import re
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from gossamer import faults
from gossamer.durability import sync_directory
from gossamer.errors import StoreError
from gossamer.records.page import Place
from gossamer.records.upkeep import Reference, Rewritten
from gossamer.storage.archive import cdxj, warc
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.archive.sealed import unseal
from gossamer.storage.archive.segment import failure
from gossamer.storage.archive.walk import Record, walk

_PART = ".part"
_NAME = re.compile(r"(.+?)(?:\.p(\d+))?\.warc\.gz")
_PIECE = 1024 * 1024
_LEVEL = 1  # of the one record that is compressed anew
_FIELD = re.compile(r"^([^:\r\n]+): ([^\r\n]*)", re.MULTILINE)


class Pruner:
    """The closed files of an archive, to take records out. Nobody may be writing it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def files(self) -> list[tuple[str, int]]:
        """Return name and size of every closed file."""
        return [(path.name, path.stat().st_size) for path in sorted(self._directory.glob("*.warc.gz"))]

    def identity(self, place: Place) -> tuple[str, str]:
        """Return URL and date of the capture at a place: what a revisit calls it by."""
        with _reading(self._directory / place.file) as path:
            record = next(walk(path, place.offset), None)
        if record is None or record.length != place.length:
            raise StoreError(f"{place.file} has no record of {place.length} bytes at byte {place.offset}; run gossamer verify")
        record.content.close()
        return record.headers.get("warc-target-uri", ""), record.headers.get("warc-date", "")

    def references(self, file: str, wanted: Collection[tuple[str, str]]) -> Iterator[Reference]:
        """Walk over the revisits in a file that refer to one of these captures."""
        with _reading(self._directory / file) as path:
            for record in walk(path):
                record.content.close()
                headers = record.headers
                target = (headers.get("warc-refers-to-target-uri", ""), headers.get("warc-refers-to-date", ""))
                if record.kind == "revisit" and target in wanted:
                    yield Reference(file, record.offset, headers.get("warc-target-uri", ""), target)

    def weigh(self, file: str, without: Collection[int]) -> Rewritten:
        """Say what `rewrite` would come to; nothing is written."""
        with _reading(self._directory / file) as path, open(os.devnull, "wb") as nowhere:
            return _copy(path, path, nowhere, without, 0.0, SortedLines(self._directory))

    def rewrite(self, file: str, without: Collection[int], now: float) -> Rewritten:
        """Write a file anew without the records at these offsets and their requests; durable under its new name."""
        target = self._directory / successor(file)
        part = target.with_name(target.name + _PART)
        lines = SortedLines(self._directory)
        with _writing(target):
            unseal(self._directory)
            _set_aside(self._directory / cdxj.MERGED)
            try:
                with part.open("wb") as copy:
                    rewritten = _copy(self._directory / file, target, copy, without, now, lines)
                    copy.flush()
                    os.fsync(copy.fileno())
            except BaseException:
                part.unlink(missing_ok=True)
                raise
            faults.reach("during-prune")
            os.rename(part, target)
            faults.reach("during-prune")
            cdxj.write(target, lines)
            sync_directory(self._directory)
            faults.reach("during-prune")
        return rewritten

    def drop(self, file: str) -> None:
        """Remove a file and its index."""
        with _writing(self._directory / file) as path:
            faults.reach("during-prune")
            cdxj.index_path(path).unlink(missing_ok=True)
            faults.reach("during-prune")
            path.unlink()
            sync_directory(self._directory)
            faults.reach("during-prune")

    async def finish(self, uses: Callable[[str], Awaitable[bool]]) -> None:
        """Clear away what was left half done; `uses` tells whether any capture is in a file."""
        for part in self._directory.glob(f"*.warc.gz{_PART}"):
            with _writing(part):
                part.unlink()
        for newer in sorted(self._directory.glob("*.p[0-9]*.warc.gz")):
            older = predecessor(newer.name)
            if older and (self._directory / older).exists():
                self.drop(newer.name if await uses(older) else older)
        merged = self._directory / cdxj.MERGED
        aside = merged.with_name(merged.name + _PART)
        if aside.exists():
            with _writing(merged):
                cdxj.merge(self._directory)
                aside.unlink()


def successor(file: str) -> str:
    """Return the name of the file that takes the place of another."""
    parts = _NAME.fullmatch(file)
    if parts is None:
        raise StoreError(f"{file!r} is no file of this archive")
    return f"{parts[1]}.p{int(parts[2] or 0) + 1}.warc.gz"


def predecessor(file: str) -> str:
    """Return the name of the file whose place another took; nothing when it is the first."""
    parts = _NAME.fullmatch(file)
    if parts is None or not parts[2]:
        return ""
    number = int(parts[2]) - 1
    return f"{parts[1]}.p{number}.warc.gz" if number else f"{parts[1]}.warc.gz"


def _set_aside(merged: Path) -> None:
    """Take away the merged index, so that it never names files that are gone; its name says that there was one."""
    if merged.exists():
        os.rename(merged, merged.with_name(merged.name + _PART))


def _copy(path: Path, target: Path, copy: BinaryIO, without: Collection[int], now: float, lines: SortedLines) -> Rewritten:
    """Copy all records but some and their requests; collect the lines of the index."""
    offsets: dict[int, int] = {}
    removed: set[str] = set()  # record ids
    is_empty, position = True, 0
    with path.open("rb") as source:
        for record in walk(path):
            record_id = record.headers.get("warc-record-id", "")
            if record.offset in without or record.headers.get("warc-concurrent-to") in removed:
                removed.add(record_id)
                record.content.close()
                continue
            offsets[record.offset] = position
            if record.kind == "warcinfo":
                position += copy.write(_warcinfo(record, path.name, target.name, now))
            else:
                is_empty = False
                position += _copy_member(source, copy, record)
            if record.kind in cdxj.KEPT:
                lines.append(cdxj.line_of(replace(record, offset=offsets[record.offset]), target.name))
            record.content.close()
    return Rewritten(file=target.name, offsets=offsets, is_empty=is_empty, before=path.stat().st_size, after=position)


def _copy_member(source: BinaryIO, copy: BinaryIO, record: Record) -> int:
    source.seek(record.offset)
    left = record.length
    while left:
        left -= copy.write(source.read(min(left, _PIECE)))
    return record.length


def _warcinfo(record: Record, file: str, target: str, now: float) -> bytes:
    """Return the warcinfo of a file that takes the place of another: the same facts under its own name."""
    fields = dict(_FIELD.findall(b"".join(record.block()).decode("utf-8", "replace")))
    fields["description"] = f"what is left of {file} without captures that newer ones replaced"
    return b"".join(warc.pack(warc.warcinfo(uuid.uuid4().urn, now, target, fields), _LEVEL))


@contextmanager
def _reading(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        raise StoreError(f"{path.name} cannot be read ({error.strerror}); run gossamer verify") from error


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        raise failure(error, path) from error
