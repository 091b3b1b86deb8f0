"""A block of the chronicle as bytes: a head, then its lines. Pure.

    {"block":7,"at":1.5,"lines":2,"bytes":310,"mark":6,"told":41,"hash":"..."}
    {"kind":"visit","salt":"...", ...}
    {"kind":"visit","salt":"...", ...}

A line's leaf is its SHA-256; a block's hash is the SHA-256 of the hash before it, of the leaves and of the head's own text.
Lines carry 128 bits of salt: a leaf tells nothing about a line that is not there any more, and the chain holds without it.
The head comes first and says how many bytes follow, so that a reader can pass over what it does not need.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from os import urandom
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.records.line import ChronicleLine

FIRST = b'{"block":'  # every head begins so, and no line does
_HASH = b',"hash":"'
_END = b'"}\n'
BEGINNING = bytes(32)  # the hash before the first block

_encoder = msgspec.json.Encoder()


class BlockHead(Struct, kw_only=True, omit_defaults=True):
    """What stands before the lines of a block; `hash` is written behind all others."""

    block: int
    at: float
    lines: int
    bytes: int  # of the lines
    mark: int  # blocks up to this one are settled
    told: int  # events up to the mark
    struck: tuple[tuple[int, int], ...] = ()  # block and line of what was never settled, above the last mark
    refused: dict[str, int] = {}  # links refused at admission, by rule
    node: str = ""  # only in the first block of a segment, as is what follows
    previous: str = ""  # hash of the block before
    hash: str = ""


_decode_head = msgspec.json.Decoder(BlockHead).decode


def encoded(lines: Sequence[ChronicleLine]) -> bytes:
    """Salt lines and write them, one under the other."""
    salts = urandom(16 * len(lines)).hex()
    for number, line in enumerate(lines):
        line.salt = salts[32 * number : 32 * number + 32]
    try:
        return _encoder.encode_lines(lines)
    except UnicodeEncodeError:  # half a surrogate pair, in what somebody typed
        return _encoder.encode_lines([_encodable(msgspec.to_builtins(line)) for line in lines])


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return [_encodable(part) for part in value]
    if isinstance(value, Mapping):
        return {_encodable(key): _encodable(part) for key, part in value.items()}
    return value


def sealed(head: BlockHead, body: bytes, previous: bytes) -> tuple[bytes, bytes]:
    """Return a block as it is written, and its hash."""
    text = _encoder.encode(head)[:-1]
    digest = chained(previous, text, body)
    return b"".join((text, _HASH, digest.hex().encode(), _END, body)), digest


def chained(previous: bytes, text: bytes, body: bytes) -> bytes:
    """Return the hash of a block: `text` is its head without the hash."""
    leaves = [sha256(line).digest() for line in body.split(b"\n")[:-1]]
    return sha256(b"".join((previous, *leaves, sha256(text).digest()))).digest()


def head_of(line: bytes) -> BlockHead | None:
    """Return the head that a line is, with its end of line; None: it is none, or torn."""
    if not line.startswith(FIRST) or not line.endswith(_END):
        return None
    try:
        return _decode_head(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def text_of(line: bytes) -> bytes:
    """Return a head without its hash, as it was hashed."""
    return line.rpartition(_HASH)[0]
