"""How a turn at a host ends in the embedded frontier: settled by its owner, or taken back.

A settlement moves the host's clock, writes the URL's row, and puts the URL back into the line when it is to be tried again. A
turn that is taken back (its time ran out, its worker is gone), or that ends with a bug of ours and without an answer, counts as
a request that may have been sent.
"""

from gossamer.config.sections import Breaker, Politeness
from gossamer.frontier.embedded.ledger import Ledger
from gossamer.frontier.embedded.turns import Turn, Turns
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import reference_in, ticket_of, tried
from gossamer.frontier.layout.rows import UrlRow
from gossamer.frontier.layout.sheets import TRIED, SheetEntry
from gossamer.frontier.order import LAST, class_of, is_again, queue_of, rank
from gossamer.frontier.views import is_not_for_us
from gossamer.policy import politeness
from gossamer.policy.turn import TurnRules
from gossamer.records.lease import Fate, Settlement
from gossamer.records.outcome import Outcome, State
from gossamer.records.standing import NOT_FOR_US
from gossamer.records.token import count_in

# Looking a member up in its enum takes as long as a call; these are asked for once a URL.
_WAITING, _STATE_DONE, _STATE_DEAD = State.WAITING, State.DONE, State.DEAD
_DONE, _DEAD, _RETRY, _AGAIN, _DEFERRED = Fate.DONE, Fate.DEAD, Fate.RETRY, Fate.AGAIN, Fate.DEFERRED
_BUG = Outcome.BUG
_FIRST = UrlRow(0, _WAITING)  # what is known of a URL while it is leased for the first time


class Endings:
    """Ends turns."""

    __slots__ = ("_ledger", "_meta", "_politeness", "_rules", "_turns")

    def __init__(self, ledger: Ledger, turns: Turns, politeness: Politeness, breaker: Breaker) -> None:
        self._ledger = ledger
        self._meta = ledger.meta
        self._turns = turns
        self._politeness = politeness
        self._rules = TurnRules(politeness, breaker)

    def settle(self, turn: Turn, settlement: Settlement, now: float) -> None:
        """End a turn as its owner says."""
        host, answer = turn.host, settlement.answer
        self._turns.end(turn, now)
        if answer is not None:
            clock, held = settlement.clock, settlement.lease
            if clock is None or host.clock != held.clock or host.policy != held.policy:
                clock = self._rules.clock_after(host.clock, host.policy, answer, now)
            host.clock = clock
        elif settlement.outcome is _BUG:
            self._may_have_asked(host, now)
        elif host.clock == turn.after:
            host.clock = turn.before  # no request was sent and nothing else moved it
        if turn.ticket:
            self._move(turn, settlement, now)

    def take_back(self, turn: Turn, now: float) -> None:
        """End a turn without a settlement."""
        self._turns.end(turn, now)
        host, meta, row = turn.host, self._meta, turn.row or _FIRST
        self._may_have_asked(host, now)
        if turn.ticket:
            meta.leased -= 1
            meta.waiting += 1
            counts = row.attempts, row.returns + 1, count_in(turn.lease.token)
            self._ledger.end(turn.ticket, _WAITING, *counts, row.outcome, row.reason, row.due, row.settled_at, row.rank)
            self._ledger.queue(host, tried(self._ledger.renewed(turn.slot, turn.ticket)), now)

    def _may_have_asked(self, host: Host, now: float) -> None:
        """Move a host's clock because nobody knows whether a request was sent, or when."""
        delay = politeness.delay_of(host.policy, host.clock, self._politeness)
        host.clock = politeness.after_lease(host.clock, delay, now)

    def _move(self, turn: Turn, settlement: Settlement, now: float) -> None:
        fate, due, meta, row, state = settlement.fate, settlement.due, self._meta, turn.row, _WAITING
        attempts, returns, ticket, place = 0, 0, turn.ticket, None
        if row is not None:
            attempts, returns, place = row.attempts, row.returns, row.rank
        meta.leased -= 1
        if fate is _DONE:
            state = _STATE_DONE
            meta.done += 1
        elif fate is _DEAD:
            state = _STATE_DEAD
            meta.dead += 1
            meta.not_for_us += settlement.outcome in NOT_FOR_US
        else:
            attempts += fate is _RETRY
            meta.waiting += 1
            if fate is _AGAIN:
                attempts = returns = 0
                due = due or now
                place = rank(turn.lease.entry.score if settlement.score is None else settlement.score, due)
                ticket = again(turn.host, ticket, place)
            elif fate is _DEFERRED and settlement.score is not None:
                place = rank(settlement.score, turn.lease.discovered_at)
                ticket = ticket_of(LAST if turn.host.policy.priority is None else ticket[0], place, reference_in(ticket))
            self.wait(turn.host, tried(self._ledger.renewed(turn.slot, ticket)), due, now)
        outcome, reason = settlement.outcome, settlement.reason
        count = count_in(turn.lease.token)
        self._ledger.end(ticket, state, attempts, returns, count, outcome, reason, due, now, place)

    def wait(self, host: Host, ticket: bytes, due: float | None, now: float) -> None:
        """Let a URL wait in its queue, or for its date."""
        if due is not None and due > now:
            self._ledger.postpone(host, ticket, due)
        else:
            self._ledger.queue(host, ticket, now)

    def revisit(self, slot: int, known: tuple[UrlRow, SheetEntry], due: float, now: float) -> bool:
        """Let a URL that is finished, or waits for a later date to be visited again, wait for this one."""
        row, written = known
        if row.refused or row.state is State.REMOVED:
            return False
        if row.state is _WAITING:
            if not is_again(row.queue) or row.due is None or row.due <= due:
                return False
            self._ledger.withdraw(row)
        else:
            self._meta.waiting += 1
            self._meta.done -= row.state is _STATE_DONE
            self._meta.dead -= row.state is _STATE_DEAD
            self._meta.not_for_us -= is_not_for_us(row)
        host = self._ledger.touch(self._ledger.acquire(written.entry.host))
        row.rank = rank(written.entry.score, due)
        credit = self._ledger.credit
        if credit is not None:
            row.rank = credit.enter(self._ledger.batch, slot, False) if row.state is _STATE_DEAD else credit.place(slot)
        ticket = again(host, ticket_of(row.queue, row.rank, row.reference | TRIED), row.rank)
        row.reference, row.queue, row.state, row.due = row.reference | TRIED, ticket[0], _WAITING, due
        row.attempts = row.returns = 0
        self._ledger.put(row)
        self.wait(host, ticket, due, now)
        return True


def again(host: Host, ticket: bytes, place: float) -> bytes:
    """Return the ticket of a URL that is due again, of the class its host's policy says."""
    priority = host.policy.priority
    queue = queue_of(class_of(ticket[0]) if priority is None else priority, again=True)
    return ticket_of(queue, place, reference_in(ticket))


def ends_for_good(settlement: Settlement) -> bool:
    """Tell whether nothing waits because of a settlement but what it discovered."""
    fate = settlement.fate
    return (fate is _DONE or fate is _DEAD) and settlement.outcome is not Outcome.GONE
