"""How URLs of the embedded frontier move without a lease: ahead, when more is known of them than where they were found, or out
for good.

Only URLs that were never fetched move ahead: what a page is worth that is due again was said when its last visit ended. A score
or a class never gets worse, so promotions may be repeated, and it does no harm if a crash leaves some of them out. How long a
URL has waited counts as before. Where the order is opic, credit alone decides.
"""

from collections.abc import Sequence

from gossamer.frontier.embedded.ledger import Ledger
from gossamer.frontier.embedded.turns import Turns
from gossamer.frontier.layout.keys import reference_in, ticket_of
from gossamer.frontier.layout.rows import UrlRow
from gossamer.frontier.layout.sheets import TRIED
from gossamer.frontier.order import LAST, is_again, rank
from gossamer.frontier.views import is_not_for_us
from gossamer.records.entry import Priority
from gossamer.records.outcome import State


class Promotions:
    """Moves URLs ahead."""

    __slots__ = ("_ledger", "_turns")

    def __init__(self, ledger: Ledger, turns: Turns) -> None:
        self._ledger = ledger
        self._turns = turns

    def promote(self, worth: Sequence[tuple[int, float, Priority]]) -> int:
        """Move those ahead that are worth more than was known; return how many."""
        ledger, leased = self._ledger, self._turns.slots()
        wanted = {slot: (score, priority) for slot, score, priority in worth if slot not in leased}
        rows = ledger.rows(list(wanted)) if ledger.credit is None else []
        moves = []
        for row, written in rows:
            if row.state is not State.WAITING or is_again(row.queue) or row.queue == LAST:
                continue
            host, (score, priority) = ledger.schedule.hosts[written.entry.host], wanted[written.slot]
            place = rank(written.entry.score, written.discovered_at) if row.rank is None else row.rank
            better = min(place, rank(score, written.discovered_at))
            queue = row.queue if host.policy.priority is not None else min(row.queue, priority)
            if (queue, better) != (row.queue, place):
                before = ticket_of(row.queue, place, row.reference)
                row.reference |= TRIED  # from now on its row says more than its entry does
                row.queue, row.rank = queue, better
                moves.append((before, ticket_of(queue, better, row.reference), host, row))
        moves.sort(key=lambda move: move[0], reverse=True)  # from behind: what stands in front is moved, and read, last
        for before, after, host, row in moves:
            ledger.move(host, row, before, after)
            ledger.put(row)
        return len(moves)


class Removals:
    """Takes URLs out, wherever they are."""

    __slots__ = ("_ledger", "_meta", "_turns")

    def __init__(self, ledger: Ledger, turns: Turns) -> None:
        self._ledger = ledger
        self._meta = ledger.meta
        self._turns = turns

    def remove(self, slot: int, row: UrlRow) -> None:
        """Take a URL out; if it is leased, what is left of its turn is the request that was sent."""
        turn = self._turns.at(slot)
        if turn is not None:
            self._turns.bare(turn)
            self._meta.leased -= 1
        elif row.state is State.WAITING:
            self._ledger.withdraw(row)
            self._meta.waiting -= 1
        elif row.state is State.DONE:
            self._meta.done -= 1
        elif row.state is State.DEAD:
            self._meta.dead -= 1
            self._meta.not_for_us -= is_not_for_us(row)
        else:
            self._meta.removed -= 1
        self._bury(slot, row)

    def drop(self, name: str) -> int:
        """Take every waiting URL of a host out; return how many."""
        ledger = self._ledger
        tickets = ledger.empty(ledger.acquire(name))
        for row, written in ledger.told([reference_in(ticket) for ticket in tickets]):
            self._meta.waiting -= 1
            self._bury(written.slot, row)
        return len(tickets)

    def _bury(self, slot: int, row: UrlRow) -> None:
        ledger = self._ledger
        row.state = State.REMOVED
        self._meta.removed += 1
        ledger.put(row)
        if ledger.credit is not None:
            ledger.credit.leave(ledger.batch, slot)
