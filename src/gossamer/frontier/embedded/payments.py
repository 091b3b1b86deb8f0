"""How credit moves when a turn ends in the embedded frontier, where the order is opic.

A page that is done pays its links before what it led to is admitted, so that a new page enters the line at the place its share
gives it. Then those that were known move ahead in theirs. A dead page leaves what it has to lambda; one that is to be tried
again keeps it.
"""

from gossamer.frontier.embedded.credit import Credit
from gossamer.frontier.embedded.ledger import Ledger
from gossamer.frontier.embedded.turns import Turn, Turns
from gossamer.records.lease import Fate, Settlement
from gossamer.records.outcome import State


class Payments:
    """Moves credit for settlements, one after the other, each in a batch of its own."""

    __slots__ = ("_credit", "_ledger", "_turns")

    def __init__(self, credit: Credit, ledger: Ledger, turns: Turns) -> None:
        self._credit = credit
        self._ledger = ledger
        self._turns = turns

    def pay(self, turn: Turn, settlement: Settlement) -> None:
        """Let the page of a turn pay, before the turn is ended and what it led to is admitted."""
        if not turn.ticket:
            return
        if settlement.fate is Fate.DEAD:
            self._credit.leave(self._ledger.batch, turn.slot)
        elif settlement.fate in (Fate.DONE, Fate.AGAIN) and settlement.links is not None:
            self._credit.pay(self._ledger.batch, turn.slot, settlement.links)

    def hand_out(self) -> None:
        """Pay the links that were known, and let those that wait move ahead; who is leased does when it comes back."""
        ledger, leased = self._ledger, self._turns.leases()
        paid = [each for each in self._credit.hand_out(ledger.batch) if each[1] != each[2] and each[0] not in leased]
        rows = ledger.rows([slot for slot, _, _ in paid])
        for (row, written), (_, before, after) in zip(rows, paid, strict=True):
            if row.state is State.WAITING:
                ledger.advance(written.entry.host, row, before, after)
