"""The way of a found URL into the books of the embedded frontier: known, refused, or queued.

A refused URL is recorded, so that it can be explained. One known only as refused is queued when it is found again and nothing
refuses it any more: refusals depend on where a URL was found and on how full its host was.
"""

from collections.abc import Iterable

from gossamer.frontier.ledger import Ledger
from gossamer.frontier.refusal import end_by_host, end_by_verdict
from gossamer.frontier.rows import UrlRow
from gossamer.frontier.schedule import Host
from gossamer.records import Entry, State

_NEW, _KNOWN, _REFUSED = 0, 1, 2


class Admission:
    """Enters found URLs into a ledger."""

    __slots__ = ("_ledger", "_max_waiting", "_meta", "_seen")

    def __init__(self, ledger: Ledger, max_waiting: int) -> None:
        self._ledger = ledger
        self._meta = ledger.meta
        self._seen = ledger.seen
        self._max_waiting = max_waiting

    def admit(self, entries: Iterable[Entry], now: float) -> list[int]:
        """Enter them all; return how many were new, known and refused."""
        counts = [0, 0, 0]
        for entry in entries:
            counts[self._admit(entry, now)] += 1
        return counts

    def _admit(self, entry: Entry, now: float) -> int:
        key = entry.key
        open_to = self._seen.recall(key)
        if open_to is False or (open_to and entry.refused is not None):
            return _KNOWN
        slot, row = self._seen.find(key)
        if row is not None and (entry.refused is not None or not row.refused or row.state is not State.DEAD):
            self._seen.remember(key, row.refused and row.state is State.DEAD)
            return _KNOWN
        if entry.refused is None:
            host = self._ledger.acquire(entry.host)
            end = end_by_host(host.policy, host.waiting, self._max_waiting)
            if end is None:
                self._seen.remember(key, False)
                self._enter(entry, slot, row, host, now)
                return _NEW
        else:
            end = end_by_verdict(entry.refused)
        self._seen.remember(key, True)
        if row is not None:
            return _KNOWN
        outcome, reason = end
        row = UrlRow(entry, State.DEAD, discovered_at=now, refused=True, outcome=outcome, reason=reason, slot=slot)
        self._seen.add(row)
        self._ledger.write(row)
        self._meta.dead += 1
        return _REFUSED

    def _enter(self, entry: Entry, slot: int, known: UrlRow | None, host: Host, now: float) -> None:
        meta = self._meta
        meta.sequence += 1
        meta.waiting += 1
        priority = entry.priority if host.policy.priority is None else host.policy.priority
        row = UrlRow(entry, State.WAITING, priority, meta.sequence, now, slot=slot)
        if known is None:
            self._seen.add(row)
        else:
            meta.dead -= 1
        self._ledger.queue(host, row, now)
