"""Where the entry of a URL stands, by its slot: pairs of two numbers, gathered in memory and then kept in a few sorted files.

    path/slots/FIRST-LAST-COUNT-CHECKSUM.run    the pairs of the entries with these sequences, in the order of their slots

The name says how many pairs are in a file, and has the checksum of them all (xxh3): a file that is not what its name says is
removed, and its pairs are read from the sheets again.

Nothing here is told for the first time: the sheets hold every slot, and what is missing is read from them when a crawl is
opened. So a new URL writes nothing for this; when many have been gathered, a thread writes them into a file of its own, after
a sync of the store, so that no file tells of an entry that a power loss takes away. Files are whole when they have their name.
A file that is not much larger than what came after it is merged with that, so there are few: sizes fall by `STEPS` and more.

As rows of the store that were sorted, flushed and merged like any other, with the text of the key in them, slots cost 2 to 3 us
a URL; so they cost 0.2.
"""

import heapq
import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from operator import itemgetter
from pathlib import Path
from shutil import copyfile
from struct import Struct as Packed
from typing import TYPE_CHECKING, Protocol

from xxhash import xxh3_64

from gossamer.durability import make_directory, sync_directory
from gossamer.errors import DiskFull, StoreError
from gossamer.seal import checksum_of, tell_rebuilt

MANY = 1 << 17  # pairs gathered before they are written
WORTH_IT = 1 << 12  # pairs to be written at a clean end; fewer are read from the sheets in a few hundredths of a second
STEPS = 2  # a file stays as it is when it is so many times as large as all that came after it
_pair = Packed(">QQ")
_number = Packed(">Q")
_WIDTH = _pair.size
_BLOCK = 4096  # bytes read to find a pair
_AT_ONCE = 256 * _BLOCK
_NAME = re.compile(r"([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]+)-([0-9a-f]{16})\.run")


class _Gathering(Protocol):
    def __len__(self) -> int: ...
    def add(self, slot: int, reference: int, /) -> None: ...
    def get(self, slot: int, /) -> int | None: ...
    def pairs(self) -> bytes: ...


class PureGathered(dict[int, int]):
    """The pairs in memory; `Gathered` is the compiled one (`_slots.c` says why) or, without a compiler, this."""

    def add(self, slot: int, reference: int, /) -> None:
        """Note where the entry of a slot stands; the last word is true."""
        self[slot] = reference

    def pairs(self) -> bytes:
        """Return them in the order of the slots, as they are written."""
        return b"".join(_pair.pack(*pair) for pair in sorted(self.items()))


def pure_merge(paths: list[str], target: str, /) -> None:
    """Merge files of pairs, the newest first, into a new one."""
    last = b""
    with Path(target).open("wb") as file:
        for pair in heapq.merge(*map(_pairs_in, paths), key=itemgetter(slice(8))):  # of equal ones the newest comes first
            if pair[:8] != last:
                last = pair[:8]
                file.write(pair)


def _pairs_in(path: str) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        while some := file.read(_AT_ONCE):
            yield from (some[at : at + _WIDTH] for at in range(0, len(some), _WIDTH))


def pure_find(file: int, fences: "array[int]", slot: int, /) -> int | None:
    """Return where the entry of a slot stands in a file of pairs; the fences are the first slot of each block."""
    block = bisect_right(fences, slot) - 1
    if block < 0:
        return None
    some, wanted = os.pread(file, _BLOCK, block * _BLOCK), _number.pack(slot)
    at = some.find(wanted)
    while at % _WIDTH and at >= 0:  # it may look like a reference, or lie across
        at = some.find(wanted, at + 1)
    return None if at < 0 else int(_number.unpack_from(some, at + 8)[0])


if TYPE_CHECKING:
    from gossamer.frontier._slots import Gathered as Gathered
    from gossamer.frontier._slots import find as find
    from gossamer.frontier._slots import merge as merge
else:
    try:
        from gossamer.frontier._slots import Gathered, find, merge
    except ImportError:  # nothing was compiled
        Gathered, find, merge = PureGathered, pure_find, pure_merge


class Run:
    """A file of pairs. The first slot of each block is kept in memory: 2 bytes for 64 URLs."""

    __slots__ = ("_fences", "_file", "count", "first", "last", "path", "problem")

    def __init__(self, path: Path) -> None:
        """Read a file that has its name: whoever opens it looks at its `problem`, if it has one."""
        self.path = path
        self.problem = ""
        self._file = path.open("rb", buffering=0)
        self._fences = array("Q")
        first, last, count, checksum = _told_by(path)
        self.first, self.last = first, last  # sequences
        self.count = os.fstat(self._file.fileno()).st_size // _WIDTH
        if os.fstat(self._file.fileno()).st_size != count * _WIDTH:
            self.problem = f"is damaged: it has not {count:,} pairs"
        elif self._read() != checksum:
            self.problem = "is damaged: its checksum is wrong"

    def _read(self) -> str:
        """Read all of it once, for the fences and the checksum."""
        hasher = xxh3_64()
        while some := os.pread(self._file.fileno(), _AT_ONCE, len(self._fences) * _BLOCK):
            hasher.update(some)
            self._fences.extend(_number.unpack_from(some, at)[0] for at in range(0, len(some), _BLOCK))
        return hasher.hexdigest()

    def find(self, slot: int) -> int | None:
        """Return where the entry of a slot stands; None: it is not here."""
        return find(self._file.fileno(), self._fences, slot)

    def pairs(self) -> Iterator[bytes]:
        """Give all of it, whole pairs at a time."""
        at = 0
        while some := os.pread(self._file.fileno(), _AT_ONCE, at):
            at += len(some)
            yield some

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Slots:
    """The pairs of one open store."""

    def __init__(self, path: Path, last: int, sync: Callable[[], None]) -> None:
        """Take the files up that are there; none may tell of a sequence after `last`."""
        self._path = path
        self._sync = sync
        self._frozen: _Gathering | None = None  # what is being written
        self._work: Future[list[Run]] | None = None
        self._thread = ThreadPoolExecutor(1, "slots")
        self._covered = 0  # sequence up to which pairs are written, or being written
        self.gathered: _Gathering = Gathered()
        with _in_our_words(path):
            make_directory(path)
            self._runs = _taken_up(path, last)  # the oldest first
        self._covered = self._runs[-1].last if self._runs else 0

    @property
    def next_sequence(self) -> int:
        """Return the first sequence that no file tells of."""
        return self._covered + 1

    def find(self, slot: int) -> int | None:
        """Return where the entry of a slot stands; None: there is none."""
        found = self.gathered.get(slot)
        if found is None and self._frozen is not None:
            found = self._frozen.get(slot)
        for run in reversed(self._runs) if found is None else ():
            found = run.find(slot)
            if found is not None:
                break
        return found

    def pairs(self) -> Iterator[bytes]:
        """Give all pairs there are, many at a time, while nobody adds any."""
        self.finish()
        with _in_our_words(self._path):
            for run in self._runs:
                yield from run.pairs()
        yield self.gathered.pairs()

    def written(self, sequence: int) -> None:
        """Note that the entries up to a sequence are in the store; if many are gathered, let a thread write them."""
        if len(self.gathered) < MANY:
            return
        if self._work is not None:
            if not self._work.done() and len(self.gathered) < 4 * MANY:
                return
            self._take_over(self._work)
        self._begin(sequence)

    def keep(self, sequence: int) -> None:
        """Write what is gathered, all of it up to that sequence, unless it is quickly read from the sheets again."""
        self.finish()
        if len(self.gathered) >= WORTH_IT:
            self._begin(sequence)
            self.finish()

    def _begin(self, sequence: int) -> None:
        self._frozen, self.gathered = self.gathered, Gathered()
        first, self._covered = self._covered + 1, sequence
        self._work = self._thread.submit(self._write, self._frozen, first, sequence)

    def finish(self) -> None:
        """Wait for what is being written."""
        if self._work is not None:
            self._take_over(self._work)

    def copy(self, target: Path) -> None:
        """Write a copy of all files into a new directory; they never change, so they are linked if they can be."""
        self.finish()
        with _in_our_words(target):
            target.mkdir()
            for run in self._runs:
                try:
                    (target / run.path.name).hardlink_to(run.path)
                except OSError:  # another file system, or one without links
                    copyfile(run.path, target / run.path.name)

    def close(self) -> None:
        """Let go of everything; what is gathered is read from the sheets again."""
        try:
            self.finish()
        finally:
            self._thread.shutdown()
            for run in self._runs:
                run.close()

    def _take_over(self, work: "Future[list[Run]]") -> None:
        """Go on with the files there are now. If writing failed, so does this, again and again: nothing known is forgotten."""
        with _in_our_words(self._path):
            runs = work.result()
            for run in self._runs:
                if run not in runs:
                    run.close()
                    run.path.unlink(missing_ok=True)
        self._runs, self._frozen, self._work = runs, None, None

    def _write(self, gathered: _Gathering, first: int, last: int) -> list[Run]:
        """Write pairs into a file, merge it with those before it that are not much larger, and return what there is then."""
        self._sync()
        partial = self._path / "pairs.part"
        partial.write_bytes(gathered.pairs())
        runs, newer = list(self._runs), [_finished(partial, first, last)]
        count = newer[0].count
        while runs and runs[-1].count <= STEPS * count:
            count += runs[-1].count
            newer.append(runs.pop())
        if len(newer) == 1:
            return [*runs, *newer]
        merge([str(run.path) for run in newer], str(partial))
        merged = _finished(partial, newer[-1].first, newer[0].last)
        newer[0].close()
        newer[0].path.unlink()
        return [*runs, merged]


def _finished(partial: Path, first: int, last: int) -> Run:
    """Give a file that was written its name, which says that it is whole, and what is in it."""
    size = partial.stat().st_size
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    path = partial.with_name(f"{first:016x}-{last:016x}-{size // _WIDTH:x}-{checksum_of(partial, size)}.run")
    partial.replace(path)
    sync_directory(path.parent)
    return Run(path)


def _told_by(path: Path) -> tuple[int, int, int, str]:
    """Return what the name of a file says: its first and last sequence, how many pairs it has, and their checksum."""
    name = _NAME.fullmatch(path.name)
    if name is None:
        return 0, 0, 0, ""
    first, last, count = (int(number, 16) for number in name.groups()[:3])
    return first, last, count, name[4]


def _taken_up(path: Path, last: int) -> list[Run]:
    """Return the files that follow each other from the first sequence on; delete what is left of merging, or of a crash.

    What is damaged is deleted, too, with all that follows: the sheets tell it again.
    """
    runs: list[Run] = []
    found = sorted(path.glob("*.run"), key=lambda each: (_told_by(each)[0], -_told_by(each)[1]))  # of two alike the wider one
    for each in found:
        run = Run(each)
        if run.problem:
            tell_rebuilt(each, run.problem, "the sheets of the frontier")
        if not run.problem and run.first == (runs[-1].last + 1 if runs else 1) and run.last <= last:
            runs.append(run)
        else:
            run.close()
            each.unlink()
    for each in path.glob("*.part"):
        each.unlink()
    return runs


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        kind = DiskFull if problem.errno in (ENOSPC, EFBIG, EDQUOT) else StoreError
        raise kind(f"cannot keep the slots of the frontier in {path}: {problem.strerror}") from problem
