"""What an operator asks of a whole embedded frontier, a few milliseconds at a time (`joints/slices.py`).

Hosts with work are in memory, in no order, and there may be a million: each listing looks at all of them and keeps the best, by
a bar that rises with what was found, so that nearly all are passed over by one comparison. Hosts that rest for longer stand on
disk by name; they come behind all others, or are sought by name.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from gossamer.config.sections import FrontierSettings
from gossamer.frontier.embedded.ledger import Ledger, due_tickets
from gossamer.frontier.embedded.turns import Turns
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import HOSTS, TICKET, host_key, host_name, queue_prefix, reference_in
from gossamer.frontier.layout.line import NONE
from gossamer.frontier.layout.rows import ELSEWHERE, decode_host, url_row
from gossamer.frontier.layout.sheets import at_sequence, written_in
from gossamer.frontier.listing import TAIL, in_turn, place_of
from gossamer.frontier.order import QUEUES, QueueOrder, class_of
from gossamer.frontier.views import known_of
from gossamer.joints.slices import Slices
from gossamer.policy.standing import state_of
from gossamer.records.entry import Priority
from gossamer.records.host import HostMark, HostOrder, HostPage, HostState, HostStatus
from gossamer.records.lease import KnownUrl
from gossamer.records.standing import Pending

_AT_ONCE = 2_048  # hosts looked at between two glances at the clock
_ROWS = 256  # hosts on disk, or URLs, likewise
MOST_ROWS = 20_000  # hosts on disk looked at for one page: with a filter that few pass there is another page to ask for
_Placed = tuple[float, str, Host]


class FrontierSurvey:
    """Looks through hosts and URLs of one open store."""

    __slots__ = ("_credit", "_ledger", "_settings", "_status", "_turns")

    def __init__(
        self,
        ledger: Ledger,
        turns: Turns,
        settings: FrontierSettings,
        status: Callable[[Host], HostStatus],
        credit: Callable[[Sequence[int]], Sequence[int | None]],
    ) -> None:
        self._ledger = ledger
        self._turns = turns
        self._settings = settings
        self._status = status
        self._credit = credit

    # --- hosts -------------------------------------------------------------------------------------------------------

    async def list_hosts(
        self, order: HostOrder, after: HostMark | None, limit: int, now: float, state: HostState | None, prefix: str
    ) -> HostPage:
        """Return some hosts in an order."""
        slices, tail = Slices(), TAIL[order]

        def is_wanted(name: str, host: Host) -> bool:
            if prefix and not name.startswith(prefix):
                return False
            return state is None or state_of(host.policy, host.clock, host.waiting, now) is state

        best = await self._best(order, after, limit, is_wanted, slices)
        if len(best) == limit and best[-1][0] < tail:
            return self._page(best, is_last=False)
        start = after.host if after is not None and after.place == tail else ""
        resting, end = await self._resting(start, prefix, tail, limit, is_wanted, slices)
        best = sorted({name: (place, name, host) for place, name, host in (*best, *resting)}.values(), key=_mark)
        if end:
            best = [placed for placed in best if (placed[0], placed[1]) <= (tail, end)]
            if len(best) < limit:
                return HostPage(tuple([self._status(host) for _, _, host in best]), HostMark(tail, end))
        return self._page(best[:limit], is_last=len(best) < limit)

    def _page(self, best: Sequence[_Placed], is_last: bool) -> HostPage:
        hosts = tuple([self._status(host) for _, _, host in best])
        return HostPage(hosts, None if is_last or not best else HostMark(best[-1][0], best[-1][1]))

    async def _best(
        self,
        order: HostOrder,
        after: HostMark | None,
        limit: int,
        is_wanted: Callable[[str, Host], bool],
        slices: Slices,
    ) -> list[_Placed]:
        """Return the first hosts in memory behind a mark."""
        held = [*self._ledger.schedule.hosts.values(), *self._ledger.resting.values()]
        mark = (after.place, after.host) if after is not None else None
        best: list[_Placed] = []
        bar: _Placed | None = None  # nobody behind it is wanted any more
        for start in range(0, len(held), _AT_ONCE):
            found = [
                (place, name, host)
                for place, name, host in _placed(order, held[start : start + _AT_ONCE], bar)
                if (mark is None or (place, name) > mark)
                and (bar is None or (place, name) < (bar[0], bar[1]))
                and is_wanted(name, host)
            ]
            if found:
                best = sorted([*best, *found], key=_mark)[:limit]
                bar = best[-1] if len(best) == limit else None
            await slices.turn()
        return best

    async def _resting(
        self, start: str, prefix: str, tail: float, limit: int, is_wanted: Callable[[str, Host], bool], slices: Slices
    ) -> tuple[list[_Placed], str]:
        """Return hosts on disk behind a name; and where it ended should there be more that nobody has looked at."""
        ledger, looked, found = self._ledger, 0, list[_Placed]()
        key = max(host_key(start) + b"\0" if start else HOSTS, HOSTS + prefix.encode())
        while len(found) < limit and looked < MOST_ROWS:
            rows = [row for row in ledger.store.first(key, _ROWS) if row[0].startswith(HOSTS + prefix.encode())]
            for each, raw in rows:
                name = host_name(each)
                if name not in ledger.schedule.hosts and name not in ledger.resting:
                    host = ledger.revive(decode_host(raw))
                    if is_wanted(name, host):
                        found.append((tail, name, host))
            looked += len(rows)
            if len(rows) < _ROWS:
                return found, ""
            key = rows[-1][0] + b"\0"
            await slices.turn()
        return found, host_name(key[:-1])

    async def pending(self) -> Pending:
        """Count what waits, by class."""
        slices, held, later = Slices(), list(self._ledger.schedule.hosts.values()), 0
        counts = list(NONE)
        for start in range(0, len(held), _AT_ONCE):
            some = held[start : start + _AT_ONCE]
            queues = b"".join([host.line for host in some])[::TICKET]
            for queue in QUEUES:
                counts[queue] += queues.count(queue)
            for more in [host.more for host in some if host.more is not None]:
                counts = [count + rest for count, rest in zip(counts, more, strict=True)]
            later += sum([host.later for host in some])
            await slices.turn()
        classes = dict.fromkeys(Priority, 0)
        for queue, count in enumerate(counts):
            classes[Priority(class_of(queue))] += count
        return Pending(**{priority.name.lower(): count for priority, count in classes.items()}, later=later)

    # --- URLs --------------------------------------------------------------------------------------------------------

    def waiting_of(self, name: str, limit: int) -> list[KnownUrl]:
        """Return the next URLs of a host."""
        host = self._ledger.host(name)
        if host is None or limit < 1:
            return []
        turns = QueueOrder(self._settings.kinds, self._settings.shares)
        tickets = in_turn([self._queue(host, queue, limit) for queue in QUEUES], turns, limit)
        tickets += due_tickets(self._ledger.store, host, limit - len(tickets))
        return self.told([reference_in(ticket) for ticket in tickets])

    def _queue(self, host: Host, queue: int, limit: int) -> list[bytes]:
        """Return the first tickets of a queue."""
        line = host.line
        tickets = [line[at : at + TICKET] for at in range(0, len(line), TICKET) if line[at] == queue]
        left = min(0 if host.more is None else host.more[queue], limit - len(tickets))
        rows = self._ledger.store.first(queue_prefix(host.number, queue), left) if left > 0 else []
        return [*tickets, *[key[-TICKET:] for key, _ in rows]]

    async def sample(self, count: int, seed: int) -> list[KnownUrl]:
        """Draw URLs by the sequence of their discovery; that of a URL which was found anew stands for nothing."""
        slices, last = Slices(), self._ledger.meta.sequence
        drawn = sorted(Random(seed).sample(range(1, last + 1), min(count, last)))
        found: list[KnownUrl] = []
        for start in range(0, len(drawn), _ROWS):
            found += self._at(drawn[start : start + _ROWS])
            await slices.turn()
        return found

    def _at(self, sequences: Sequence[int]) -> Iterator[KnownUrl]:
        store, leases = self._ledger.store, self._turns.leases()
        sheets = [at_sequence(each, sheet) for each, sheet in zip(sequences, store.sheets_of(sequences), strict=True)]
        rows = store.url([key for _, key, _ in sheets])
        entries = [
            (url_row(row, reference, written.entry.priority), written)
            for (reference, _, sheet), row in zip(sheets, rows, strict=True)
            if row != ELSEWHERE and (written := written_in(sheet, reference))
        ]
        credits = self._credit([written.slot for _, written in entries])
        for (state, written), credit in zip(entries, credits, strict=True):
            yield known_of(written.entry, written.discovered_at, state, leases.get(written.slot), credit)

    def told(self, references: list[int]) -> list[KnownUrl]:
        """Return all that is known of the URLs whose entries stand there."""
        told, leases = self._ledger.told(references), self._turns.leases()
        credits = self._credit([written.slot for _, written in told])
        return [
            known_of(written.entry, written.discovered_at, row, leases.get(written.slot), credit)
            for (row, written), credit in zip(told, credits, strict=True)
        ]


def _mark(placed: _Placed) -> tuple[float, str]:
    return placed[0], placed[1]


def _placed(order: HostOrder, hosts: list[Host], bar: _Placed | None) -> list[_Placed]:
    """Return hosts with their places, without most of those that are behind the bar."""
    if order is HostOrder.NAME:
        last = bar[1] if bar is not None else None
        return [(0.0, name, host) for host in hosts if (name := host.name) and (last is None or name < last)]
    if bar is None:
        return [(place_of(order, host.waiting, _turn_of(host)), host.name, host) for host in hosts]
    place = bar[0]
    if order is HostOrder.NEXT:
        return [(turn, host.name, host) for host in hosts if (turn := host.ready if host.line else host.wake) <= place]
    fewest = int(-place) * TICKET
    many = [host for host in hosts if host.more is not None or host.later or len(host.line) >= fewest]
    return [(-float(host.waiting), host.name, host) for host in many]


def _turn_of(host: Host) -> float:
    return host.ready if host.line else host.wake
