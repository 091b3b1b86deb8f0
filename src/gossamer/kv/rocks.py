"""The key-value store over RocksDB, in a directory of its own.

A put has reached the write-ahead log when it returns, so a kill -9 keeps it; and the log has reached the disk, or will within a
second (`durability.py`). Keys are kept as they are (raw mode), so they sort as bytes. Reads and writes take microseconds and
are done on the caller's thread; syncs are not. A store that met a full disk takes nothing more until it is opened again.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, cast

from rocksdict import BlockBasedOptions, Cache, Checkpoint, DBCompressionType, Options, Rdict, WriteBatch

from gossamer.durability import Syncing, make_directory
from gossamer.errors import CrawlInUse, DiskFull, GossamerError, StoreError
from gossamer.joints.shelving import Shelving
from gossamer.kv.places import PrefixPlace, merged, walked
from gossamer.records.location import Location
from gossamer.rocksfiles import RocksFiles, seal_files
from gossamer.seal import RESTORE

_CACHE = 16 * 1024 * 1024
_WRITE_BUFFER = 2 * 1024 * 1024  # a row is put among fewer in less time: 16 us a page instead of 25,
_BUFFERS = 4  # and as many are written as one file: larger ones are merged less often
_MEMORY_BLOOM = 0.1  # of the write buffer: ten rows that are not there are found missing in 13 us instead of 28
_FIRST_FILES = 8  # merged at once, instead of 4: half of the CPU that merging took a page, and filters tell which to read
_AT_ONCE = 16  # pairs that are read ahead in a walk
_IN_USE = ("lock hold by current process", "Resource temporarily unavailable")
_FULL = ("No space left", "File too large", "Disk quota exceeded")


class RocksKeyValue:
    """An ordered map of bytes on disk; its methods of `Pairs` are about all places together."""

    def __init__(self, rocks: Rdict, path: Path, files: RocksFiles, durable: bool) -> None:
        self._rocks = rocks
        self._path = path
        self._files = files
        self._syncing = Syncing(self._sync, durable)
        self._closed = False

    @classmethod
    async def open(cls, location: Location, durable: bool) -> "RocksKeyValue":
        """Open the store of a crawl, or make it."""
        return cls.open_at(location.on_disk, durable)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a store at a location."""
        return location.on_disk.exists()

    @classmethod
    def open_at(cls, path: Path, durable: bool = True) -> "RocksKeyValue":
        """Open or create the store in a directory; `durable`: a put that returned outlives a power loss."""
        with _in_our_words("open", path):
            make_directory(path)
            files = RocksFiles(path)
            files.begin()
            options = _options()
            rocks = Rdict(str(path), options, column_families={"default": options})  # else rocksdict reopens it without them
            files.opened()
            return cls(rocks, path, files, durable)

    def at(self, place: str) -> PrefixPlace:
        """Return the pairs at a place."""
        return PrefixPlace(self, place)

    async def put_places(self, places: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> None:
        """Store pairs at several places, in one step for all."""
        await self.put_all(merged(places))

    def walk(self, prefix: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
        """Walk over the pairs at all places whose name has the prefix, in the order of their names."""
        return walked(self, prefix)

    async def get(self, key: bytes) -> bytes | None:
        return cast(bytes | None, self._read(key))

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return cast(list[bytes | None], self._read(list(keys)))

    def _read(self, what: Any) -> object:
        try:  # several times a page: `_in_our_words` takes as long as the look-up itself
            return self._rocks.get(what)
        except Exception as problem:  # rocksdict raises nothing more precise
            raise _failure("read", self._path, str(problem)) from problem

    async def put(self, key: bytes, value: bytes) -> None:
        with _in_our_words("write", self._path):
            self._rocks.put(key, value)
        await self._syncing.acknowledge()

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        if not pairs:
            return
        batch = WriteBatch(raw_mode=True)
        put = batch.put
        for key, value in pairs:
            put(key, value)
        with _in_our_words("write", self._path):
            self._rocks.write(batch)
        await self._syncing.acknowledge()

    async def delete(self, key: bytes) -> None:
        with _in_our_words("write", self._path):
            self._rocks.delete(key)
        await self._syncing.acknowledge()

    def _sync(self) -> None:
        with _in_our_words("sync", self._path):
            self._rocks.flush_wal(sync=True)

    async def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Walk over the pairs with that prefix as they were when the walk began."""
        with _in_our_words("read", self._path):
            pairs = cast(Iterator[tuple[bytes, bytes]], self._rocks.items(from_key=prefix))
        last = prefix
        while True:
            with _in_our_words("read", self._path):  # once for some: it takes as long as a pair does
                some = list(islice(pairs, _AT_ONCE))
                last = some[-1][0] if some else last
                if len(some) < _AT_ONCE:
                    self._step_over(last)
            for pair in some:
                if not pair[0].startswith(prefix):
                    return
                yield pair
            if len(some) < _AT_ONCE:
                return

    def _step_over(self, key: bytes) -> None:
        """Go from a key to the next one, only to hear of a damaged block there: for `items` it is the end like any other."""
        cursor = self._rocks.iter()
        cursor.seek(key)
        if cursor.valid():
            cursor.next()
        cursor.status()

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy into a new directory; unchanged files are linked, not copied."""
        async with target.path(self._path) as copy:
            with _in_our_words("copy", self._path):
                Checkpoint(self._rocks).create_checkpoint(str(copy))
                seal_files(copy)

    async def aclose(self) -> None:
        """Flush and close; a second time does nothing."""
        if not self._closed:
            self._closed = True
            try:
                await self._syncing.aclose()
            finally:
                with _in_our_words("close", self._path):
                    self._rocks.close()
                    self._files.closed()


@contextmanager
def _in_our_words(action: str, path: Path) -> Iterator[None]:
    try:
        yield
    except GossamerError:
        raise
    except Exception as problem:  # rocksdict raises nothing more precise
        raise _failure(action, path, str(problem)) from problem


def _failure(action: str, path: Path, text: str) -> GossamerError:
    if any(word in text for word in _FULL):
        return DiskFull(f"no space is left for {path}; free some and resume")
    if any(word in text for word in _IN_USE):
        return CrawlInUse(f"{path} is in use by another process; end that one first")
    remedy = f"; {RESTORE}" if action in ("open", "read") else ""
    return StoreError(f"cannot {action} the store in {path}: {text}{remedy}")


def _options() -> Options:
    table = BlockBasedOptions()
    table.set_block_cache(Cache(_CACHE))
    table.set_bloom_filter(10, False)  # most digests and rows of near duplicates that are asked for are new
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(table)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(_WRITE_BUFFER)
    options.set_min_write_buffer_number_to_merge(_BUFFERS)
    options.set_max_write_buffer_number(2 * _BUFFERS)
    options.set_memtable_prefix_bloom_ratio(_MEMORY_BLOOM)
    options.set_memtable_whole_key_filtering(True)
    options.set_level_zero_file_num_compaction_trigger(_FIRST_FILES)
    options.set_allow_concurrent_memtable_write(False)  # one thread writes: a tenth less for each row
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(1024 * 1024)
    return options
