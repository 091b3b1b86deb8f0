"""How a turn at a host ends in the embedded frontier: settled by its owner, or taken back.

A settlement moves the host's clock, writes the URL's row, and puts the URL back into the line when it is to be tried again. A
turn that is taken back (its time ran out, its worker is gone) counts as a request that may have been sent.
"""

from gossamer.config.sections import Breaker, Politeness
from gossamer.frontier.keys import tried
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rows import UrlRow
from gossamer.frontier.turns import Turn, Turns
from gossamer.policy import breaker, politeness
from gossamer.records import Fate, Settlement, State

# Looking a member up in its enum takes as long as a call; these are asked for once a URL.
_WAITING, _STATE_DONE, _STATE_DEAD = State.WAITING, State.DONE, State.DEAD
_DONE, _DEAD, _RETRY = Fate.DONE, Fate.DEAD, Fate.RETRY
_FIRST = UrlRow(0, "", _WAITING)  # what is known of a URL while it is leased for the first time


class Endings:
    """Ends turns."""

    __slots__ = ("_breaker", "_ledger", "_meta", "_politeness", "_turns")

    def __init__(self, ledger: Ledger, turns: Turns, politeness: Politeness, breaker: Breaker) -> None:
        self._ledger = ledger
        self._meta = ledger.meta
        self._turns = turns
        self._politeness = politeness
        self._breaker = breaker

    def settle(self, turn: Turn, settlement: Settlement, now: float) -> None:
        """End a turn as its owner says."""
        self._turns.end(turn, now)
        host, answer = turn.host, settlement.answer
        if answer is not None:
            clock = breaker.after_answer(host.clock, answer, self._breaker, now)
            host.clock = politeness.after_answer(clock, answer, host.policy, self._politeness)
        elif host.clock == turn.after:
            host.clock = turn.before  # no request was sent and nothing else moved it
        if turn.ticket:
            self._move(turn, settlement, now)

    def take_back(self, turn: Turn, now: float) -> None:
        """End a turn without a settlement."""
        self._turns.end(turn, now)
        host, meta, row = turn.host, self._meta, turn.row or _FIRST
        delay = politeness.delay_of(host.policy, host.clock, self._politeness)
        host.clock = politeness.after_lease(host.clock, delay, now)
        if turn.ticket:
            meta.leased -= 1
            meta.waiting += 1
            place, counts = (turn.slot, turn.lease.entry.key, turn.ticket), (row.attempts, row.returns + 1, turn.lease.token)
            self._ledger.end(*place, _WAITING, *counts, row.outcome, row.reason, row.due, row.settled_at)
            self._ledger.queue(host, tried(turn.ticket), now)

    def _move(self, turn: Turn, settlement: Settlement, now: float) -> None:
        fate, due, meta, row, state = settlement.fate, settlement.due, self._meta, turn.row or _FIRST, _WAITING
        attempts = row.attempts
        meta.leased -= 1
        if fate is _DONE:
            state = _STATE_DONE
            meta.done += 1
        elif fate is _DEAD:
            state = _STATE_DEAD
            meta.dead += 1
        else:
            attempts += fate is _RETRY
            meta.waiting += 1
            if due is not None and due > now:
                self._ledger.postpone(turn.host, tried(turn.ticket), due)
            else:
                self._ledger.queue(turn.host, tried(turn.ticket), now)
        place, counts = (turn.slot, turn.lease.entry.key, turn.ticket), (attempts, row.returns, turn.lease.token)
        self._ledger.end(*place, state, *counts, settlement.outcome, settlement.reason, due, now)
