"""The lines of a chronicle as they are written: what is said of a visit, of an operator's word, of a run.

A line is one JSON object; fields that say nothing are left out. When it happened says its block: visits are settled together.
"""

from typing import Any

from msgspec import Struct


class VisitLine(Struct, kw_only=True, omit_defaults=True, tag="visit", tag_field="kind"):
    """A visit that used its turn or gave it back."""

    host: str
    url: str
    key: str = ""  # what the frontier knows it by; empty: its URL
    outcome: str
    fate: str = "done"
    rule: str = ""  # that decided, and what it says: a line of robots.txt, what failed
    facts: dict[str, Any] = {}
    status: int = 0
    bytes: int = 0  # received
    digest: str = ""
    file: str = ""  # of the archive, and where in it what this visit brought is kept
    offset: int = 0
    length: int = 0
    address: str = ""  # that was asked
    worker: str = ""
    token: int = 0  # of its lease
    version: str = ""  # of the page: new, changed, same, gone; empty: there was never one


class WordLine(Struct, kw_only=True, omit_defaults=True, tag="word", tag_field="kind"):
    """An operator's word: who changed what."""

    host: str = ""
    who: str
    what: str  # the operation
    arguments: dict[str, Any] = {}
    before: Any = None
    after: Any = None


class BegunLine(Struct, kw_only=True, omit_defaults=True, tag="begun", tag_field="kind"):
    """A run begins."""

    who: str
    gossamer: str  # its version
    settings: str  # their digest
    workers: int
    seeds: int


class EndedLine(Struct, kw_only=True, omit_defaults=True, tag="ended", tag_field="kind"):
    """A run has ended by itself; one that was killed has no such line."""

    end: str
    pages: int
    requests: int


ChronicleLine = VisitLine | WordLine | BegunLine | EndedLine


class ChainHead(Struct, frozen=True):
    """The last block of a chronicle: its hash stands for all that was written before."""

    node: str
    block: int
    hash: str
    at: float


class Unsettled(Struct, frozen=True):
    """A block of which nobody has said yet that its visits are settled."""

    block: int
    at: float  # when they were to be settled
    lines: int
    keys: dict[int, str]  # of its visits, by the number of their line


class AuditedBlock(Struct, frozen=True):
    """A block, or what stands where one should: its place, and what is wrong with it."""

    place: str  # file and line
    lines: int
    problem: str = ""
    block: int = 0
    hash: str = ""
