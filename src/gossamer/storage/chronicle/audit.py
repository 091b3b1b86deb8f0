"""Recompute the chain of a chronicle from its bytes alone: a line that was changed, removed, swapped or cut is found.

The place of a fault is its block, by file and line: a hash says that a block is not what was written, not which of its lines.
A chain does not stop its owner from writing all of it anew: only a hash that somebody else has keeps him from that.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from gossamer.errors import StoreError
from gossamer.records.line import AuditedBlock
from gossamer.seal import Seal
from gossamer.storage.chronicle.block import BEGINNING, FIRST, BlockHead, bytes_of, head_of, recomputed
from gossamer.storage.chronicle.segment import content_of, segments_in
from gossamer.storage.chronicle.writer import SEAL


class _Chain(Struct):
    """The block that was looked at last."""

    number: int
    hash: bytes


def audited(directory: Path) -> Iterator[AuditedBlock]:
    """Look at every block; one without a problem is what was written, and follows from all before it."""
    seal = Seal(directory / SEAL)
    if seal.is_closed:
        yield from [AuditedBlock(name, 0, problem) for name, problem in seal.problems()]
    firsts, chain = segments_in(directory), None
    for first in firsts:
        try:
            name, content = content_of(directory, first)
        except StoreError as error:
            yield AuditedBlock(f"the segment of block {first}", 0, str(error))
            chain = None
            continue
        chain = chain or _Chain(first - 1, BEGINNING if first == 1 else _before(content))
        yield from _segment(name, content, chain, may_grow=first == firsts[-1] and not seal.is_closed)


def _before(content: bytes) -> bytes:
    """Return the hash of the block before the first one that is kept."""
    head = head_of(content[: content.find(b"\n") + 1])
    return bytes_of(head.previous) if head is not None else BEGINNING


def _segment(name: str, content: bytes, chain: _Chain, may_grow: bool) -> Iterator[AuditedBlock]:
    start, row = 0, 1
    while start < len(content):
        stop = content.find(b"\n", start) + 1
        line = content[start : stop or len(content)]
        head = head_of(line)
        end = stop + head.bytes if head is not None else 0
        if head is None or end > len(content):
            following = content.find(b"\n" + FIRST, start) + 1
            if not following and may_grow:
                return  # a block that is being written, or was when the crawl was killed
            yield AuditedBlock(f"{name}:{row}", 0, "a block is cut off here" if head else "there is no head of a block here")
            row += content.count(b"\n", start, following)
            start = following or len(content)
            continue
        body = content[stop:end]
        problem = _problem(head, line, body, chain)
        yield AuditedBlock(f"{name}:{row}", head.lines, problem, head.block, head.hash)
        chain.number, chain.hash = head.block, bytes_of(head.hash)
        row += 1 + head.lines
        start = end


def _problem(head: BlockHead, line: bytes, body: bytes, chain: _Chain) -> str:
    """Say what is wrong with a block."""
    if head.block != chain.number + 1:
        return f"block {head.block} follows block {chain.number}"
    if recomputed(chain.hash, line, head.salt, body).hex() != head.hash:
        where = f"block {head.block}, {head.lines} line(s) from here on,"
        return f"{where} is not what was written, or does not follow from block {chain.number}"
    return ""
