"""Walk over the records of a WARC file, gzip member by gzip member.

The one reader under repair, replay, index and check. A record is handed out only when it is whole: its member ended with
the right checksum and its length is the one its header names. The first thing that is not such a record ends the walk with
`Torn`, which says where.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from isal import isal_zlib
from msgspec import Struct

from gossamer.document.body import Body
from gossamer.errors import StoreError

_PIECE = 64 * 1024
_IN_MEMORY = 16 * 1024 * 1024  # a longer record is spooled to a temporary file
_MAX_HEADER = 4 * 1024 * 1024
_NOT_GZIP: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # the stub names an instance, it is a class
_LINE = re.compile(r"\n([!-9;-~]+):[ \t]*([^\r\n]*)")


class Torn(StoreError):
    """A file stops being a sequence of whole records; everything before `offset` is whole."""

    def __init__(self, path: Path, offset: int, why: str) -> None:
        super().__init__(f"{path.name} is damaged at byte {offset}: {why}")
        self.offset = offset
        self.why = why


class Record(Struct, frozen=True, kw_only=True):
    """One whole record. `content` is all of it uncompressed; its block is `block_length` bytes from `block_start` on."""

    offset: int  # of the compressed member in the file
    length: int
    headers: dict[str, str]  # names in lower case
    block_start: int
    block_length: int
    content: Body

    @property
    def kind(self) -> str:
        """The WARC-Type."""
        return self.headers.get("warc-type", "")

    def block(self, skip: int = 0) -> Iterator[bytes]:
        """Walk over the block in pieces, without its first `skip` bytes."""
        left = self.block_length - skip
        for piece in self.content.pieces(self.block_start + skip):
            if left <= 0:
                return
            yield piece[:left] if len(piece) > left else piece
            left -= len(piece)


def walk(path: Path, offset: int = 0) -> Iterator[Record]:
    """Walk over the records from `offset` on; raise Torn where they stop before the end of the file."""
    with path.open("rb") as file:
        file.seek(offset)
        pending = b""
        while True:
            content = Body(_IN_MEMORY)
            inflate = isal_zlib.decompressobj(31)
            taken = 0
            while not inflate.eof:
                piece = pending or file.read(_PIECE)
                pending = b""
                if not piece:
                    break
                try:
                    content.write(inflate.decompress(piece))
                except _NOT_GZIP as error:
                    raise Torn(path, offset, f"no gzip member ({error})") from None
                taken += len(piece)
            if not taken:
                return
            if not inflate.eof:
                raise Torn(path, offset, "the record is cut off")
            pending = inflate.unused_data
            length = taken - len(pending)
            yield _record(path, offset, length, content)
            offset += length


def _record(path: Path, offset: int, length: int, content: Body) -> Record:
    top = content.read(_MAX_HEADER)
    end = top.find(b"\r\n\r\n")
    if not top.startswith(b"WARC/1.") or end < 0:
        raise Torn(path, offset, "no WARC header")
    headers = {name.lower(): value.rstrip() for name, value in _LINE.findall(top[: end + 2].decode("utf-8", "replace"))}
    try:
        block_length = int(headers.get("content-length", ""))
    except ValueError:
        raise Torn(path, offset, "no Content-Length") from None
    if end + 4 + block_length + 4 != content.size:
        raise Torn(path, offset, "the block is not as long as its header says")
    return Record(
        offset=offset, length=length, headers=headers, block_start=end + 4, block_length=block_length, content=content
    )
