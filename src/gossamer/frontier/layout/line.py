"""The lines of hosts: the first waiting URLs of each queue in the host's own row, the rest in rows of the store.

What stays true of each queue of a host: the tickets in its line are the first ones, without a gap; and it has tickets on disk
only while it has some in its line. So a lease of a host with few URLs reads no queue and writes none, and memory is bounded by
the number of hosts. A line is plain bytes, ticket after ticket in their order; every 17th byte is a queue.
"""

from bisect import bisect_left

from gossamer.errors import StoreError
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import TICKET, queue_key, queue_prefix
from gossamer.frontier.layout.store import Batch, Store
from gossamer.frontier.order import QUEUES

NONE = (0,) * len(QUEUES)
FEW = 8  # tickets of a queue that are read or put aside at a time; a line holds up to twice as many


def all_queues(more: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the counts of all queues, also where they were written when there were fewer."""
    if more is None or len(more) == len(NONE):
        return more
    if len(more) > len(NONE):
        raise StoreError(f"the frontier's store is damaged: a host has {len(more)} queues; restore a checkpoint")
    return more + NONE[len(more) :]


def whole(line: bytes) -> bytes:
    """Return a line that was read; raise StoreError when it is not made of whole tickets of queues there are."""
    if line and (len(line) % TICKET or max(line[::TICKET]) >= len(NONE)):
        raise StoreError("the frontier's store is damaged: the line of a host is no line of tickets; restore a checkpoint")
    return line


def place_for(line: bytes, ticket: bytes) -> int:
    """Return the offset at which a ticket would stand in a line."""
    return TICKET * bisect_left(range(len(line) // TICKET), ticket, key=lambda n: line[n * TICKET : n * TICKET + TICKET])


def place_of(line: bytes, ticket: bytes) -> int:
    """Return the offset at which a ticket stands in a line; -1: it is not there. A sixth of the time of looking in halves."""
    at = line.find(ticket)
    while at > 0 and at % TICKET:
        at = line.find(ticket, at + 1)
    return at


def stands_in(line: bytes, ticket: bytes) -> bool:
    """Tell whether a ticket is in a line."""
    return place_of(line, ticket) >= 0


def without(line: bytes, ticket: bytes) -> bytes:
    """Return a line without one of its tickets."""
    if line == ticket:
        return b""
    at = place_of(line, ticket)
    return line if at < 0 else line[:at] + line[at + TICKET :]


def joined(line: bytes, ticket: bytes) -> bytes:
    """Return a line with one more ticket."""
    if ticket > line[-TICKET:]:
        return line + ticket
    at = place_for(line, ticket) if ticket > line else 0
    return line[:at] + ticket + line[at:]


class HostQueues:
    """Moves tickets in and out; what it changes on disk goes into the batch, what it changes of a host the caller writes."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def room(self) -> int:
        """Return how long a line may be, in bytes, before tickets are put aside."""
        return 2 * FEW * TICKET

    def push(self, batch: Batch, host: Host, ticket: bytes) -> None:
        """Let a URL join the line of its host."""
        line, queue = host.line, ticket[0]
        if host.more is not None and host.more[queue]:
            last = line[::TICKET].rfind(queue) * TICKET
            if ticket > line[last : last + TICKET]:
                batch.put(queue_key(host.number, ticket), b"")
                self._count(host, queue, 1)
                return
        host.line = line = joined(line, ticket)
        if len(line) > 2 * FEW * TICKET:
            self._put_aside(batch, host, queue)

    def pop(self, batch: Batch, host: Host, queue: int) -> bytes:
        """Take the first ticket of a queue, of which there is one."""
        line = host.line
        if len(line) == TICKET:
            ticket, host.line = line, b""
        else:
            at = line[::TICKET].find(queue) * TICKET
            ticket = line[at : at + TICKET]
            host.line = line[:at] + line[at + TICKET :]
        if host.more is not None:
            self._fill(batch, host, ticket)
        return ticket

    def discard(self, batch: Batch, host: Host, ticket: bytes) -> None:
        """Take a ticket out, wherever it stands."""
        line = host.line
        at = place_of(line, ticket)
        if at >= 0:
            host.line = line[:at] + line[at + TICKET :]
            if host.more is not None:
                self._fill(batch, host, ticket)
        else:
            batch.delete(queue_key(host.number, ticket))
            self._count(host, ticket[0], -1)

    @staticmethod
    def would_read(host: Host, ticket: bytes) -> bool:
        """Tell whether the store is read when a ticket is taken out: the last of its queue in the line, and more follow."""
        queue = ticket[0]
        if host.more is None or not host.more[queue]:
            return False
        return host.line[::TICKET].count(queue) == 1 and stands_in(host.line, ticket)

    def advance(self, batch: Batch, host: Host, before: bytes, after: bytes) -> None:
        """Move a ticket toward the front of its queue.

        Nothing is read, so it may follow other changes in the same batch: among the first of its queue it stays so.
        """
        if stands_in(host.line, before):
            host.line = joined(without(host.line, before), after)
        else:
            batch.delete(queue_key(host.number, before))
            self._count(host, before[0], -1)
            self.push(batch, host, after)

    def _put_aside(self, batch: Batch, host: Host, queue: int) -> None:
        """Keep the first few of a queue that has become too long."""
        queues = host.line[::TICKET]
        count = queues.count(queue)
        if count > 2 * FEW:
            first = queues.find(queue)
            start, end = (first + FEW) * TICKET, (first + count) * TICKET
            for at in range(start, end, TICKET):
                batch.put(queue_key(host.number, host.line[at : at + TICKET]), b"")
            host.line = host.line[:start] + host.line[end:]
            self._count(host, queue, count - FEW)

    def _fill(self, batch: Batch, host: Host, after: bytes) -> None:
        """Read the next few of a queue when its last ticket in the line is gone: they stand behind that one."""
        queue = after[0]
        if host.more is None or not host.more[queue] or host.line[::TICKET].find(queue) >= 0:
            return
        count = min(FEW, host.more[queue])
        keys = [key for key, _ in self._store.first(queue_key(host.number, after) + b"\0", count)]
        if len(keys) < count or not keys[-1].startswith(queue_prefix(host.number, queue)):
            raise StoreError(f"the frontier counts {count} waiting URLs that are not there; its store is damaged")
        for key in keys:
            batch.delete(key)
        at = place_for(host.line, after)
        host.line = host.line[:at] + b"".join(key[-TICKET:] for key in keys) + host.line[at:]
        self._count(host, queue, -count)

    @staticmethod
    def _count(host: Host, queue: int, change: int) -> None:
        counts = list(host.more or NONE)
        counts[queue] += change
        host.more = tuple(counts) if any(counts) else None
