"""How URLs are taken out of the embedded frontier for good."""

from gossamer.frontier.keys import reference_in
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rows import UrlRow, is_not_for_us
from gossamer.frontier.turns import Turns
from gossamer.records.outcome import State


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
