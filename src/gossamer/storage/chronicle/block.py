"""A block of the chronicle as bytes: a head, then its lines. Pure.

    {"block":7,"at":1.5,"lines":2,"bytes":310,"mark":6,"told":41,"hash":"...","salt":"..."}
    {"kind":"visit", ...}
    {"kind":"visit", ...}

Each line has 16 bytes of salt, made of the block's; its leaf is the SHA-256 of both. A block's hash is the SHA-256 of the hash
before it, of its leaves and of its head up to the hash. So a line can be taken out later and its leaf left in its place: the
chain still holds, and the leaf tells nothing, once the salt of the block has given way to those of the other lines.

The head comes first and says how many bytes follow, so that a reader can pass over what it does not need.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256, shake_128
from os import urandom
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.records.line import ChronicleLine

FIRST = b'{"block":'  # every head begins so, and no line does
_HASH, _SALT = b',"hash":"', b'","salt":"'
_END = b'"}\n'
SALT = 16  # bytes
BEGINNING = bytes(32)  # the hash before the first block

_encoder = msgspec.json.Encoder()


class BlockHead(Struct, kw_only=True, omit_defaults=True):
    """What stands before the lines of a block; hash and salt are written behind all others."""

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
    salt: str = ""


_decode_head = msgspec.json.Decoder(BlockHead).decode


def encoded(lines: Sequence[ChronicleLine]) -> bytes:
    """Write lines, one under the other."""
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
    text, salt = _encoder.encode(head)[:-1], urandom(SALT)
    digest = chained(previous, text, salt, body)
    return b"".join((text, _HASH, digest.hex().encode(), _SALT, salt.hex().encode(), _END, body)), digest


def chained(previous: bytes, text: bytes, salt: bytes, body: bytes) -> bytes:
    """Return the hash of a block: `text` is its head up to the hash."""
    lines = body.split(b"\n")
    lines.pop()  # behind the last end of line there is nothing
    salts, start = shake_128(salt).digest(SALT * len(lines)), -SALT
    leaves = [sha256(salts[(start := start + SALT) : start + SALT] + line).digest() for line in lines]
    return sha256(b"".join((previous, *leaves, sha256(text).digest()))).digest()


def bytes_of(text: str) -> bytes:
    """Return the bytes that hexadecimal digits stand for; none for what somebody made of them."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def recomputed(previous: bytes, line: bytes, salt: str, body: bytes) -> bytes:
    """Return the hash that a block should have; `line` is its head as it stands there."""
    return chained(previous, line.rpartition(_HASH)[0], bytes_of(salt), body)


def head_of(line: bytes) -> BlockHead | None:
    """Return the head that a line is, with its end of line; None: it is none, or torn."""
    if not line.startswith(FIRST) or not line.endswith(_END):
        return None
    try:
        return _decode_head(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
