"""The way of a found URL into the books of the embedded frontier: known, refused, or queued.

A refused URL is recorded, so that it can be explained. One known only as refused is queued when it is found again and nothing
refuses it any more: refusals depend on where a URL was found and on how full its host was.

A known URL that is found in another spelling is known all the same. The other spelling is remembered, and asked for by a key of
its own when the first turns out to be gone, or at once when it is gone already.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from gossamer.frontier.embedded.ledger import Ledger
from gossamer.frontier.embedded.seen import REFUSED, SPELLED
from gossamer.frontier.gone import spelled_otherwise
from gossamer.frontier.layout.host import NO_POLICY, Host
from gossamer.frontier.layout.keys import ticket_of, url_key
from gossamer.frontier.layout.rows import ELSEWHERE, UrlRow
from gossamer.frontier.layout.spellings import Spellings
from gossamer.frontier.order import rank
from gossamer.frontier.refusal import End, end_by_host, end_by_verdict
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.lease import Settlement
from gossamer.records.outcome import Outcome, State
from gossamer.url.spelling import is_spelled, spelled

_NEW, _KNOWN, _REFUSED = 0, 1, 2
_WAITING, _DEAD = State.WAITING, State.DEAD
_SEED = LinkKind.SEED


class Admission:
    """Enters found URLs into a ledger."""

    __slots__ = ("_ledger", "_max_waiting", "_meta", "_seen", "_spellings")

    def __init__(self, ledger: Ledger, max_waiting: int) -> None:
        self._ledger = ledger
        self._meta = ledger.meta
        self._seen = ledger.seen
        self._spellings: Spellings = ledger.spellings
        self._max_waiting = max_waiting

    def admit(self, entries: Sequence[Entry], now: float) -> list[int]:
        """Enter them all; return how many were new, known and refused."""
        counts = [0, 0, 0]
        unsure = self._seen.not_remembered(entries)
        for entry, slot in unsure:
            counts[self._admit(entry, slot, now)] += 1
        counts[_KNOWN] += len(entries) - len(unsure)  # most links lead to where others led before
        return counts

    def _admit(self, entry: Entry, slot: int, now: float) -> int:
        """Enter a URL that is not remembered; its key has the fingerprint of that slot."""
        seen, end, known = self._seen, None, None
        if not seen.take_slot(slot):
            slot, known = seen.find(entry.key)
            if known is None:
                seen.occupy(slot)
            else:
                open_to = bool(known & REFUSED) and self._ledger.row(known, 0).state is not State.REMOVED
                if entry.refused is not None or not open_to:
                    url = seen.url_in(slot)
                    seen.remember(entry.key, open_to or (SPELLED if url != entry.key else False))
                    return _KNOWN if entry.refused is not None or entry.url == url else self._spell(entry, slot, known, now)
        if entry.refused is None:
            host = self._ledger.acquire(entry.host)
            if host.line or host.later or host.policy is not NO_POLICY:
                end = end_by_host(host.policy, host.waiting, self._max_waiting)
            if end is None:
                self._enter(entry, slot, known, host, now)
                return _NEW
        else:
            end = end_by_verdict(entry.refused)
        if known is None:
            self._refuse(entry, slot, end, now)
            return _REFUSED
        seen.remember(entry.key, True)
        return _KNOWN

    def _spell(self, entry: Entry, slot: int, known: int, now: float) -> int:
        """Take note of another spelling of a known URL; enter it if that one is gone."""
        if is_spelled(entry.key):
            return _KNOWN
        row = self._ledger.row(known)
        if self._spellings.is_gone(slot) or (row.state is _DEAD and row.outcome is Outcome.GONE):
            key = spelled(entry.url)
            return self._admit(replace(entry, key=key), self._seen.slot_of(key), now)
        self._spellings.note(self._ledger.batch, slot, entry.url)
        return _KNOWN

    def try_others(self, settlement: Settlement, slot: int, now: float) -> None:
        """Enter the other spellings of a URL that turned out to be gone."""
        self._spellings.note_gone(slot)
        self.admit(spelled_otherwise(settlement.lease.entry, self._spellings.of(slot)), now)

    def _enter(self, entry: Entry, slot: int, known: int | None, host: Host, now: float) -> None:
        ledger, meta = self._ledger, self._meta
        meta.sequence = sequence = meta.sequence + 1
        meta.waiting += 1
        if known is not None:
            meta.dead -= 1
            meta.not_for_us -= 1
            ledger.batch.put(url_key(known), ELSEWHERE, ledger.urls)
        reference = ledger.sheets.add(ledger.batch, sequence, slot, entry, now)
        priority = host.policy.priority
        if priority is None:
            priority = entry.priority
        elif priority != entry.priority:
            ledger.put(UrlRow(reference, _WAITING, priority))
        self._seen.accept(slot, entry, reference)
        credit = ledger.credit
        place = rank(entry.score, now) if credit is None else credit.enter(ledger.batch, slot, entry.kind is _SEED)
        ledger.queue(host, ticket_of(priority, place, reference), now)

    def _refuse(self, entry: Entry, slot: int, end: End, now: float) -> None:
        ledger, meta = self._ledger, self._meta
        meta.sequence += 1
        meta.dead += 1
        meta.not_for_us += 1
        reference = ledger.sheets.add(ledger.batch, meta.sequence, slot, entry, now)
        outcome, reason = end
        ledger.put(UrlRow(reference, _DEAD, refused=True, outcome=outcome, reason=reason))
        self._seen.accept(slot, entry, reference | REFUSED)
