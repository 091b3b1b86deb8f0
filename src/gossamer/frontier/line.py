"""The lines of hosts: the first waiting URLs of each class in the host's own row, the rest in rows of the store.

What stays true of each class of a host: the tickets in its line are the first ones, without a gap; and it has tickets on disk
only while it has some in its line. So a lease of a host with few URLs reads no queue and writes none, and memory is bounded by
the number of hosts. A line is plain bytes, ticket after ticket in their order; every 17th byte is a class.
"""

from bisect import bisect_left

from gossamer.errors import StoreError
from gossamer.frontier.keys import TICKET, queue_key, queue_prefix
from gossamer.frontier.schedule import Host
from gossamer.frontier.store import Batch, Store

FEW = 8  # tickets of a class that are read or put aside at a time; a line holds up to twice as many


def place_in(line: bytes, ticket: bytes) -> int:
    """Return the offset at which a ticket stands in a line, or would stand."""
    return TICKET * bisect_left(range(len(line) // TICKET), ticket, key=lambda n: line[n * TICKET : n * TICKET + TICKET])


def stands_in(line: bytes, ticket: bytes) -> bool:
    """Tell whether a ticket is in a line."""
    return line.startswith(ticket, place_in(line, ticket))


def without(line: bytes, ticket: bytes) -> bytes:
    """Return a line without one of its tickets."""
    if line == ticket:
        return b""
    at = place_in(line, ticket)
    return line[:at] + line[at + TICKET :]


def joined(line: bytes, ticket: bytes) -> bytes:
    """Return a line with one more ticket."""
    if ticket > line[-TICKET:]:
        return line + ticket
    at = place_in(line, ticket)
    return line[:at] + ticket + line[at:]


class Lines:
    """Moves tickets in and out; what it changes on disk goes into the batch, what it changes of a host the caller writes."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def push(self, batch: Batch, host: Host, ticket: bytes) -> None:
        """Let a URL join the line of its host."""
        line, priority = host.line, ticket[0]
        if host.more is not None and host.more[priority]:
            last = line[::TICKET].rfind(priority) * TICKET
            if ticket > line[last : last + TICKET]:
                batch.put(queue_key(host.number, ticket), b"")
                self._count(host, priority, 1)
                return
        host.line = line = joined(line, ticket)
        if len(line) > 2 * FEW * TICKET:
            self._put_aside(batch, host, priority)

    def pop(self, batch: Batch, host: Host, priority: int) -> bytes:
        """Take the first ticket of a class, of which there is one."""
        line = host.line
        if len(line) == TICKET:
            ticket, host.line = line, b""
        else:
            at = line[::TICKET].find(priority) * TICKET
            ticket = line[at : at + TICKET]
            host.line = line[:at] + line[at + TICKET :]
        if host.more is not None:
            self._fill(batch, host, ticket)
        return ticket

    def discard(self, batch: Batch, host: Host, ticket: bytes) -> None:
        """Take a ticket out, wherever it stands."""
        if stands_in(host.line, ticket):
            host.line = without(host.line, ticket)
            if host.more is not None:
                self._fill(batch, host, ticket)
        else:
            batch.delete(queue_key(host.number, ticket))
            self._count(host, ticket[0], -1)

    def _put_aside(self, batch: Batch, host: Host, priority: int) -> None:
        """Keep the first few of a class that has become too long."""
        classes = host.line[::TICKET]
        count = classes.count(priority)
        if count > 2 * FEW:
            first = classes.find(priority)
            start, end = (first + FEW) * TICKET, (first + count) * TICKET
            for at in range(start, end, TICKET):
                batch.put(queue_key(host.number, host.line[at : at + TICKET]), b"")
            host.line = host.line[:start] + host.line[end:]
            self._count(host, priority, count - FEW)

    def _fill(self, batch: Batch, host: Host, after: bytes) -> None:
        """Read the next few of a class when its last ticket in the line is gone: they stand behind that one."""
        priority = after[0]
        if host.more is None or not host.more[priority] or host.line[::TICKET].find(priority) >= 0:
            return
        count = min(FEW, host.more[priority])
        keys = [key for key, _ in self._store.first(queue_key(host.number, after) + b"\0", count)]
        if len(keys) < count or not keys[-1].startswith(queue_prefix(host.number, priority)):
            raise StoreError(f"the frontier counts {count} waiting URLs that are not there; its store is damaged")
        for key in keys:
            batch.delete(key)
        at = place_in(host.line, after)
        host.line = host.line[:at] + b"".join(key[-TICKET:] for key in keys) + host.line[at:]
        self._count(host, priority, -count)

    @staticmethod
    def _count(host: Host, priority: int, change: int) -> None:
        counts = list(host.more or (0, 0, 0))
        counts[priority] += change
        host.more = (counts[0], counts[1], counts[2]) if any(counts) else None
