"""The files of a chronicle: a segment is named after its first block, grows as plain lines, and is compressed when it is full.

`0000000001.jsonl`, then `0000000001.jsonl.zst`; where both are, the second is whole. Reading takes no lock: a reader meets a
block that is not whole yet and comes back later, or a file that was compressed meanwhile and reads that.
"""

import os
from bisect import bisect_left
from contextlib import suppress
from pathlib import Path

import zstandard

from gossamer.durability import sync_directory
from gossamer.errors import StoreError
from gossamer.seal import RESTORE
from gossamer.storage.chronicle.block import BlockHead, head_of

_LONGEST_HEAD = 1 << 20  # bytes
PLAIN, COMPRESSED = ".jsonl", ".jsonl.zst"
LEVEL = 2  # of compression: once a segment, on a thread


def segments_in(directory: Path) -> list[int]:
    """Return the first blocks of all segments, in order."""
    names = [each.name for each in directory.iterdir()] if directory.is_dir() else []
    return sorted({int(name.partition(".")[0]) for name in names if name.endswith((PLAIN, COMPRESSED))})


def files_in(directory: Path) -> list[Path]:
    """Return the files of all segments."""
    return sorted(each for each in directory.iterdir() if each.name.endswith((PLAIN, COMPRESSED)))


def plain_path(directory: Path, first: int) -> Path:
    """Return the file of a segment that grows."""
    return directory / f"{first:010}{PLAIN}"


def compressed_path(directory: Path, first: int) -> Path:
    """Return the file of a segment that is full."""
    return directory / f"{first:010}{COMPRESSED}"


def compress(directory: Path, first: int) -> None:
    """Compress a segment that is full: whole under its new name before it goes under the old one."""
    plain, target = plain_path(directory, first), compressed_path(directory, first)
    draft = target.with_name(f"{target.name}.new")
    with plain.open("rb") as source, draft.open("wb") as copy:
        zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).copy_stream(source, copy)
        copy.flush()
        os.fsync(copy.fileno())
    draft.replace(target)
    sync_directory(directory)
    plain.unlink()


def decompressed(directory: Path, first: int) -> bytes:
    """Return the lines of a segment that is compressed."""
    path = compressed_path(directory, first)
    try:
        with path.open("rb") as file:
            return zstandard.ZstdDecompressor().stream_reader(file).read()
    except zstandard.ZstdError as error:
        raise StoreError(f"{path} is damaged: {error}; {RESTORE}") from error


def first_head(directory: Path, first: int) -> BlockHead | None:
    """Return the head of a segment's first block; None: there is none yet."""
    with suppress(FileNotFoundError), plain_path(directory, first).open("rb") as file:
        return head_of(file.readline())
    with compressed_path(directory, first).open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
        return head_of(reader.read(_LONGEST_HEAD).partition(b"\n")[0] + b"\n")


def content_of(directory: Path, first: int) -> tuple[str, bytes]:
    """Return the name of a segment's file and all its lines."""
    with suppress(FileNotFoundError):
        path = plain_path(directory, first)
        return path.name, path.read_bytes()
    return compressed_path(directory, first).name, decompressed(directory, first)


class SegmentView:
    """The blocks of one segment, as far as they are whole; what it has read once it remembers."""

    def __init__(self, directory: Path, first: int) -> None:
        self._directory = directory
        self._content: bytes | None = None  # of one that is compressed
        self.first = first
        self.heads: list[BlockHead] = []
        self.offsets: list[int] = []  # of the heads
        self.end = 0  # of what is whole

    def refresh(self) -> None:
        """Look for blocks that were added since."""
        if self._content is not None:
            return
        with suppress(FileNotFoundError):
            self._read_plain()
            return
        self._content = decompressed(self._directory, self.first)
        self._note(self._content[self.end :])

    def _read_plain(self) -> None:
        with plain_path(self._directory, self.first).open("rb") as file:
            file.seek(self.end)
            while line := file.readline():
                head = head_of(line)
                if head is None or not self._is_whole(file.fileno(), head, file.tell()):
                    return
                self._remember(head, len(line))
                file.seek(self.end)

    @staticmethod
    def _is_whole(descriptor: int, head: BlockHead, start: int) -> bool:
        return os.fstat(descriptor).st_size >= start + head.bytes

    def _note(self, content: bytes) -> None:
        start = 0
        while (stop := content.find(b"\n", start) + 1) > 0:
            head = head_of(content[start:stop])
            if head is None or len(content) < stop + head.bytes:
                return
            self._remember(head, stop - start)
            start = stop + head.bytes

    def _remember(self, head: BlockHead, length: int) -> None:
        self.heads.append(head)
        self.offsets.append(self.end)
        self.end += length + head.bytes

    def index_of(self, block: int) -> int:
        """Return the place of a block among the heads, or of the first one after it."""
        return bisect_left(self.heads, block, key=lambda head: head.block)

    def block(self, index: int) -> tuple[bytes, bytes]:
        """Return the text of a head, with its end of line, and the lines after it."""
        start = self.offsets[index]
        stop = self.offsets[index + 1] if index + 1 < len(self.offsets) else self.end
        head, _, body = self._bytes(start, stop).partition(b"\n")
        return head + b"\n", body

    def _bytes(self, start: int, stop: int) -> bytes:
        if self._content is None:
            with suppress(FileNotFoundError), plain_path(self._directory, self.first).open("rb") as file:
                file.seek(start)
                return file.read(stop - start)
            self._content = decompressed(self._directory, self.first)
        return self._content[start:stop]
