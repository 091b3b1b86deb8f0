"""RocksDB as the frontier uses it: gets, short scans, one atomic batch at a time, and its complaints in our words.

Four families of rows: those that move, the sheets, what became of their URLs, and the pages (`keys.py`); the latter three are
written in the order of their keys, or nearly, and in families of their own the store has little to sort in them.

The only module that knows rocksdict. `write` is the one place through which everything becomes durable: it returns when the
batch is in the write-ahead log, which a kill -9 keeps. `sync` lets a power loss keep it, too.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from rocksdict import (
    BlockBasedOptions,
    Cache,
    Checkpoint,
    DBCompactionStyle,
    DBCompressionType,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
)
from rocksdict import (
    ColumnFamily as ColumnFamily,
)

from gossamer.durability import make_directory
from gossamer.errors import DiskFull, GossamerError, StoreError
from gossamer.frontier.layout.keys import VERSION_KEY
from gossamer.rocksfiles import RocksFiles, seal_files
from gossamer.seal import RESTORE

_MOVING_BUFFER = 16 * 1024 * 1024  # rows arrive in no order: a smaller one is sorted in the processor's cache
_FILLING_BUFFER = 32 * 1024 * 1024
_PAGE_RUNS = 16  # files of pages that may lie side by side before they are merged
_RUNS = 8  # sorted files of moving rows that may lie side by side before they are merged
VERSION = 5  # of the layout
_SHEETS, _URLS, _PAGES = "sheets", "urls", "pages"
Batch = WriteBatch
_BLOCK = 4096
_SHEET_BLOCK = 1024  # about a sheet: with less to unpack, reading one at random costs half as much
_FULL = ("No space left", "File too large", "Disk quota exceeded")


class Store:
    """An ordered map of bytes in a directory."""

    def __init__(self, path: Path, cache: int) -> None:
        self._path = path
        with self._in_our_words("open"):
            make_directory(path)
            self._files = RocksFiles(path)
            self._files.begin()
            shared = Cache(cache)
            families = {_SHEETS: _filling(shared, _SHEET_BLOCK), _URLS: _moving(shared), _PAGES: _passing(shared)}
            self._rocks = Rdict(str(path), _moving(shared), column_families=families)
        self.is_new = self._files.is_new
        self._get = self._rocks.get
        self.sheets = self._rocks.get_column_family_handle(_SHEETS)  # for `Batch.put`
        self.urls = self._rocks.get_column_family_handle(_URLS)
        self.pages = self._rocks.get_column_family_handle(_PAGES)
        self._urls = self._rocks.get_column_family(_URLS)
        self._sheets = self._rocks.get_column_family(_SHEETS)
        self._pages = self._rocks.get_column_family(_PAGES)
        self._cursor: RdictIter | None = None  # good until the next write; making one costs more than moving it

    @staticmethod
    def batch() -> Batch:
        """Return an empty batch: `put`, `delete`, then `write` it."""
        return WriteBatch(raw_mode=True)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key."""
        try:
            return cast("bytes | None", self._get(key))
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure("read", problem) from problem

    def get_all(self, keys: list[bytes]) -> list[bytes | None]:
        """Return the values of some keys."""
        return self._several(self._rocks, keys)

    def sheet(self, keys: list[bytes]) -> list[bytes | None]:
        """Return the values of some sheets; asking for many at once costs half as much as one by one."""
        return self._several(self._sheets, keys)

    def url(self, keys: list[bytes]) -> list[bytes | None]:
        """Return what became of some URLs."""
        return self._several(self._urls, keys)

    def _several(self, family: Rdict, keys: list[bytes]) -> list[bytes | None]:
        try:
            return cast("list[bytes | None]", family.get(keys))  # type: ignore[arg-type]  # a list of bytes will do
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure("read", problem) from problem

    def write(self, batch: Batch) -> None:
        """Apply a batch as one; returned means that a kill -9 keeps it."""
        self._cursor = None
        try:
            self._rocks.write(batch)
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure("write", problem) from problem

    def sync(self) -> None:
        """Return when everything written so far is on the disk; for a thread, it waits."""
        with self._in_our_words("sync"):
            self._rocks.flush_wal(sync=True)

    def first(self, start: bytes, count: int) -> list[tuple[bytes, bytes]]:
        """Return that many pairs from a key on, fewer only at the very end."""
        pairs = []
        try:
            if self._cursor is None:
                self._cursor = self._rocks.iter()
            cursor = self._cursor
            cursor.seek(start)
            while cursor.valid():
                pairs.append((cursor.key(), cursor.value()))
                if len(pairs) == count:
                    break
                cursor.next()
            cursor.status()
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure("read", problem) from problem
        return pairs

    def scan(self, prefix: bytes, start: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Walk over the pairs whose key has the prefix, as they are now; what stands before `start` is passed over."""
        bounds = ReadOptions()
        bounds.set_iterate_upper_bound(_after(prefix))
        with self._in_our_words("read"):
            yield from _pairs_from(self._rocks.iter(bounds), start or prefix)

    def sheets_from(self, start: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Walk over the sheets from a key on, as they are now."""
        with self._in_our_words("read"):
            yield from _pairs_from(self._sheets.iter(), start)

    def sheets_of(self, sequences: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return the sheets, with their keys, in which entries with these sequences stand."""
        found = []
        with self._in_our_words("read"):
            cursor = self._sheets.iter()
            for sequence in sequences:
                cursor.seek_for_prev(sequence.to_bytes(8, "big"))
                found.append((cursor.key(), cursor.value()) if cursor.valid() else (sequence.to_bytes(8, "big"), bytes(9)))
            cursor.status()
        return found

    def pages_backwards(self) -> Iterator[tuple[bytes, bytes]]:
        """Walk over the pages, the last one first."""
        with self._in_our_words("read"):
            cursor = self._pages.iter()
            cursor.seek_to_last()
            while cursor.valid():
                yield cursor.key(), cursor.value()
                cursor.prev()
            cursor.status()

    def checkpoint(self, target: Path) -> None:
        """Write a consistent copy into a new directory of a new directory; unchanged files are linked, not copied."""
        with self._in_our_words("copy"):
            target.parent.mkdir(parents=True)
            Checkpoint(self._rocks).create_checkpoint(str(target))
            seal_files(target)

    def begin(self) -> None:
        """Make it known that there is a store here from now on, which has its version."""
        if self.is_new:
            self.sync()
        with self._in_our_words("open"):
            self._files.opened()

    def close(self) -> None:
        """Flush, close, and seal the files."""
        self._cursor = None
        for held in ("sheets", "urls", "pages", "_sheets", "_urls", "_pages"):
            self.__dict__.pop(held, None)  # whoever holds a family holds the lock of the store
        with self._in_our_words("close"):
            self._rocks.close()
            self._files.closed()

    @contextmanager
    def _in_our_words(self, action: str) -> Iterator[None]:
        try:
            yield
        except GossamerError:
            raise
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure(action, problem) from problem

    def _failure(self, action: str, problem: Exception) -> StoreError:
        text = str(problem)
        if any(word in text for word in _FULL):
            return DiskFull(f"no space is left for the frontier in {self._path}; free some and resume the crawl")
        if "lock hold by current process" in text or "Resource temporarily unavailable" in text:
            return StoreError(f"the frontier in {self._path} is in use; end the other process first")
        remedy = f"; {RESTORE}" if action in ("open", "read") else ""
        return StoreError(f"cannot {action} the frontier in {self._path}: {text}{remedy}")


def check_version(store: Store, path: Path) -> None:
    """Refuse a store of another layout; mark a new one."""
    raw = store.get(VERSION_KEY)
    older = f"an older gossamer wrote the frontier in {path}; finish with that one, or crawl into a new directory"
    if raw is None:
        if store.get(b"M") is not None:
            raise StoreError(older)
        if not store.is_new:
            raise StoreError(f"the frontier in {path} is empty, and was not; {RESTORE}")
        batch = store.batch()
        batch.put(VERSION_KEY, bytes([VERSION]))
        store.write(batch)
    elif raw < bytes([VERSION]):
        raise StoreError(older)
    elif raw > bytes([VERSION]):
        raise StoreError(f"a newer gossamer wrote the frontier in {path}; use that one or a newer one")
    store.begin()


def refuse_emptiness(path: Path) -> None:
    """Refuse to make a new store beside files that tell of another."""
    left = [*sorted((path / "slots").glob("*.run")), *path.glob("seen.bloom")]
    if left and not any((path / "store").glob("*")):
        raise StoreError(f"{path / 'store'} is empty, but {left[0]} is not; {RESTORE}")


def _pairs_from(cursor: RdictIter, start: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Walk from a key on to the end of what a cursor sees."""
    cursor.seek(start)
    while cursor.valid():
        yield cursor.key(), cursor.value()
        cursor.next()
    cursor.status()


def _after(prefix: bytes) -> bytes:
    """Return the first key after all that have the prefix; every prefix begins with a letter, so there is one."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1])


def _moving(cache: Cache) -> Options:
    """Return how the rows are kept that move: sorted by merging few large runs, and not compressed.

    Against compressed levels a row costs 2.3 us instead of 3.6 among a million, 3.0 instead of 4.5 among five; reading one at
    random costs a quarter less. It takes twice the room, and while runs are merged both copies.
    """
    options = _options(cache, _BLOCK)
    options.set_compression_type(DBCompressionType.none())
    options.set_write_buffer_size(_MOVING_BUFFER)
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_level_zero_file_num_compaction_trigger(_RUNS)
    return options


def _filling(cache: Cache, block: int) -> Options:
    """Return how the rows are kept that are written in the order of their keys: never sorted again."""
    options = _options(cache, block)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(_FILLING_BUFFER)
    return options


def _passing(cache: Cache) -> Options:
    """Return how the pages are kept: written in the order of their keys, and thrown away in it before long.

    What is thrown away need not be compressed, and the longer one waits before files are merged, the less is left to be copied:
    against small merges and compression a new URL among three million cost 1.5 us instead of
    2.2 in the store's own threads, measured once.
    """
    options = _options(cache, _BLOCK)
    options.set_compression_type(DBCompressionType.none())
    options.set_write_buffer_size(_FILLING_BUFFER)
    options.set_level_zero_file_num_compaction_trigger(_PAGE_RUNS)
    options.set_level_zero_slowdown_writes_trigger(3 * _PAGE_RUNS)
    options.set_level_zero_stop_writes_trigger(4 * _PAGE_RUNS)
    return options


def _options(cache: Cache, block: int) -> Options:
    table = BlockBasedOptions()
    table.set_block_size(block)
    table.set_block_cache(cache)
    table.set_bloom_filter(10, False)
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_block_based_table_factory(table)
    options.set_allow_concurrent_memtable_write(False)  # one writer: the cheaper way into the memtable
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(1024 * 1024)
    return options
