"""The roll of a run: what each worker has done and how it stands, for whoever asks.

Counted where visits end, a few additions each; everything else is looked up when somebody asks.
"""

import os
from collections import Counter

from msgspec import Struct

from gossamer.records.visit import Visit
from gossamer.watch.budget import KEPT

_PAGE = os.sysconf("SC_PAGE_SIZE")


class WorkerStanding(Struct, frozen=True, kw_only=True):
    """How a worker stands."""

    name: str
    pid: int
    since: float  # when it began
    under_way: int  # visits
    visits: int  # that have ended
    pages: int  # of them, kept
    bytes: int  # received
    rss: int  # bytes of memory; 0: the process is gone
    last_seen: float  # when it was last heard of
    hosts: int  # at home there: those that had a turn lately, and come back to it
    outcomes: dict[str, int] = {}  # of the URLs that were finished


class Tally:
    """What a worker has done."""

    __slots__ = ("bytes", "ended", "outcomes", "pages", "since", "visits")

    def __init__(self, since: float) -> None:
        self.since = since
        self.visits = self.pages = self.bytes = 0
        self.outcomes = Counter[str]()
        self.ended = since  # its last visit

    def add(self, visit: Visit, now: float) -> None:
        """Count a visit that has ended."""
        self.visits += 1
        self.bytes += visit.received
        if visit.page is not None:
            outcome = visit.page.outcome
            self.outcomes[outcome] += 1
            self.pages += outcome in KEPT
        self.ended = now


def memory_of(pid: int) -> int:
    """Return the bytes of memory that a process has; 0: it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:
            return int(file.read(100).split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0
