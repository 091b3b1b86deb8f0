"""RocksDB as the frontier uses it: gets, short scans, one atomic batch at a time, and its complaints in our words.

The only module that knows rocksdict. `write` is the one place through which everything becomes durable: it returns when the
batch is in the write-ahead log, which a kill -9 keeps. `sync` lets a power loss keep it, too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from rocksdict import (
    BlockBasedOptions,
    Cache,
    Checkpoint,
    DBCompressionType,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
)

from gossamer.durability import make_directory
from gossamer.errors import DiskFull, StoreError

_WRITE_BUFFER = 32 * 1024 * 1024
_FULL = ("No space left", "File too large", "Disk quota exceeded")


class Store:
    """An ordered map of bytes in a directory."""

    def __init__(self, path: Path, cache: int) -> None:
        self._path = path
        with self._in_our_words("open"):
            make_directory(path)
            self._rocks = Rdict(str(path), _options(cache))
        self._get = self._rocks.get
        self._cursor: RdictIter | None = None  # good until the next write; making one costs more than moving it

    @staticmethod
    def batch() -> WriteBatch:
        """Return an empty batch: `put`, `delete`, then `write` it."""
        return WriteBatch(raw_mode=True)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key."""
        try:
            return cast("bytes | None", self._get(key))
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure("read", problem) from problem

    def write(self, batch: WriteBatch) -> None:
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

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Walk over the pairs whose key has the prefix, as they are now."""
        bounds = ReadOptions()
        bounds.set_iterate_upper_bound(_after(prefix))
        with self._in_our_words("read"):
            cursor = self._rocks.iter(bounds)
            cursor.seek(prefix)
            while cursor.valid():
                yield cursor.key(), cursor.value()
                cursor.next()
            cursor.status()

    def checkpoint(self, target: Path) -> None:
        """Write a consistent copy into a new directory of a new directory; unchanged files are linked, not copied."""
        with self._in_our_words("copy"):
            target.parent.mkdir(parents=True)
            Checkpoint(self._rocks).create_checkpoint(str(target))

    def close(self) -> None:
        """Flush and close."""
        self._cursor = None
        with self._in_our_words("close"):
            self._rocks.close()

    @contextmanager
    def _in_our_words(self, action: str) -> Iterator[None]:
        try:
            yield
        except Exception as problem:  # rocksdict raises nothing more precise
            raise self._failure(action, problem) from problem

    def _failure(self, action: str, problem: Exception) -> StoreError:
        text = str(problem)
        if any(word in text for word in _FULL):
            return DiskFull(f"no space is left for the frontier in {self._path}; free some and resume the crawl")
        if "lock hold by current process" in text or "Resource temporarily unavailable" in text:
            return StoreError(f"the frontier in {self._path} is in use; end the other process first")
        return StoreError(f"cannot {action} the frontier in {self._path}: {text}")


def _after(prefix: bytes) -> bytes:
    """Return the first key after all that have the prefix; every prefix begins with a letter, so there is one."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1])


def _options(cache: int) -> Options:
    table = BlockBasedOptions()
    table.set_block_cache(Cache(cache))
    table.set_bloom_filter(10, False)
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(table)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(_WRITE_BUFFER)
    options.set_allow_concurrent_memtable_write(False)  # one writer: the cheaper way into the memtable
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(1024 * 1024)
    return options
