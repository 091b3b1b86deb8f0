"""A body as it arrives: in memory while it is small, in an unnamed temporary file when it grows; read as often as needed.

One writer appends; when it is done, any number of readers read from the start. Whoever holds a body closes it.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from typing import BinaryIO


class Body:
    """Bytes in the order they came, spooled to disk beyond `limit`."""

    __slots__ = ("_chunks", "_file", "_limit", "size")

    def __init__(self, limit: int = 64 * 1024) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._file: BinaryIO | None = None
        self.size = 0

    @classmethod
    def over(cls, file: BinaryIO) -> "Body":
        """Make a body of a file that holds one; closed with it."""
        body = cls()
        body._file = file
        body.size = os.fstat(file.fileno()).st_size
        return body

    @classmethod
    def of(cls, content: bytes) -> "Body":
        """Make a body of bytes that are already at hand."""
        body = cls(limit=len(content))
        body.write(content)
        return body

    def write(self, chunk: bytes) -> None:
        """Append."""
        self.size += len(chunk)
        if self._file is None:
            self._chunks.append(chunk)
            if self.size > self._limit:
                self._spill()
        else:
            self._file.write(chunk)

    def _spill(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="gossamer-")  # noqa: SIM115 - closed by close()
        self._file.writelines(self._chunks)
        self._chunks = []

    def flush(self) -> None:
        """Hand the last bytes to the file, if there is one: a full disk is met here, and not by whoever reads."""
        if self._file is not None:
            self._file.flush()

    @property
    def in_memory(self) -> int:
        """Bytes this body holds in memory."""
        return self.size if self._file is None else 0

    def read(self, limit: int | None = None) -> bytes:
        """Return the whole body, or its first `limit` bytes."""
        if self._file is not None:
            self._file.flush()
            return os.pread(self._file.fileno(), self.size if limit is None else limit, 0)
        if len(self._chunks) > 1:
            self._chunks = [b"".join(self._chunks)]
        content = self._chunks[0] if self._chunks else b""
        return content if limit is None else content[:limit]

    def descriptor(self) -> int:
        """Return a new descriptor of a file that holds the body, for another process; the caller closes it."""
        if self._file is not None:
            self._file.flush()
            return os.dup(self._file.fileno())
        descriptor = os.memfd_create("gossamer-body")
        with open(descriptor, "wb", closefd=False) as file:
            file.write(self.read())
        return descriptor

    def pieces(self, start: int = 0, size: int = 1024 * 1024) -> Iterator[bytes]:
        """Walk over the body from `start` on: in one piece while it is in memory, else in pieces of `size` bytes."""
        if self._file is None:
            content = self.read()
            yield content[start:] if start else content
            return
        self._file.flush()
        while piece := os.pread(self._file.fileno(), size, start):  # moves no file position: readers do not meet
            yield piece
            start += len(piece)

    @contextmanager
    def whole(self) -> Iterator[bytes | mmap]:
        """Give a look at the whole body without holding it in memory when it is in a file."""
        if self._file is None or not self.size:
            yield self.read()
            return
        self._file.flush()
        with mmap(self._file.fileno(), self.size, access=ACCESS_READ) as raw:
            yield raw

    def close(self) -> None:
        """Free memory and file. Reading again gives nothing."""
        self._chunks = []
        if self._file is not None:
            with suppress(OSError):  # of a full disk, for bytes that nobody wants any more
                self._file.close()
            self._file = None
        self.size = 0
