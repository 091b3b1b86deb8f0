"""Which host is next: the hosts with work in memory, a heap for each queue, and one heap of hosts whose URLs wait for a date.

A heap holds (time, number, host): the host ready longest is on top, ties go to the host known longest; a top in the future
says when to ask again. An entry is true only while its time is the host's current one, and is thrown away otherwise when it
comes to the top; `stands` notes in which heaps the host has a true entry, so that none is pushed twice. A host that changed in
any way is placed again. Picking and placing are O(log hosts).
"""

from collections.abc import Iterator, Sequence
from math import inf

from gossamer.config.sections import Politeness
from gossamer.frontier.heap import Heap
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import TICKET
from gossamer.frontier.order import QUEUES, QueueOrder
from gossamer.policy.politeness import connections_of

SLACK = 1000  # false entries a heap may hold beside as many as there are hosts


class Schedule:
    """The hosts with work, and the order of their turns."""

    def __init__(self, kinds: Sequence[int], shares: Sequence[int], patience: float, politeness: Politeness) -> None:
        self.hosts: dict[str, Host] = {}  # by their names
        self._politeness = politeness
        self._patience = patience
        self._turns = QueueOrder(kinds, shares)
        self._heaps: tuple[Heap[Host], ...] = tuple(Heap() for _ in QUEUES)
        self._wakes: Heap[Host] = Heap()

    def place(self, host: Host) -> None:
        """Put a host where it belongs after any change to it."""
        ready = self.ready_at(host)
        if ready != host.ready:
            host.ready = ready
            host.stands = 0
        wake = inf
        if ready < inf:
            if line := host.line:
                self._stand(host, line)
            if host.later:
                wake = max(ready, host.first_due)
        if wake != host.wake:
            host.wake = wake
            if wake < inf:
                self._push(self._wakes, wake, host)

    def _stand(self, host: Host, line: bytes) -> None:
        """Put a host into the heap of each queue in its line."""
        stands = host.stands
        for queue in (line[0],) if len(line) == TICKET else line[::TICKET]:
            if not stands >> queue & 1:
                stands |= 1 << queue
                self._push(self._heaps[queue], host.ready, host)
        host.stands = stands

    def occupy(self, host: Host) -> None:
        """Note that a host that was just picked has all the leases it may have: what `place` would do, for a tenth of it."""
        host.ready = host.wake = inf
        host.stands = 0

    def retire(self, changed: set[Host], moved: set[Host], resting: dict[str, Host]) -> None:
        """Let the changed hosts rest that have no work; what the heaps still hold of them becomes false."""
        for host in changed:
            if not host.line and not host.leased and not host.later:
                moved.discard(host)
                host.ready = host.wake = inf
                host.stands = 0
                self.hosts.pop(host.name, None)
                resting[host.name] = host

    def ready_at(self, host: Host) -> float:
        """Return when a host may be leased, as far as its clock, its policy and its leases go; infinite: not for now."""
        policy, clock = host.policy, host.clock
        if policy.paused or policy.blocked:
            return inf
        if host.leased and host.leased >= connections_of(policy, clock, self._politeness):
            return inf
        return max(host.since, clock.next_time, clock.blocked_until)

    def pick(self, now: float) -> tuple[Host, int] | None:
        """Return the host whose turn it is and the queue it is picked for; the caller takes a URL and places it again."""
        heaps = self._heaps
        queues = [queue for queue, heap in enumerate(heaps) if heap.time <= now and self._top(queue) <= now]
        if not queues:
            return None
        chosen = queues[0]
        if len(queues) > 1:
            oldest = min(queues, key=lambda queue: (heaps[queue].time, heaps[queue].top.number))
            host = heaps[oldest].top
            if host.ready <= now - self._patience:  # it has waited for too long: only its own queues are to choose from
                queues = [queue for queue in queues if heaps[queue].top is host]
            chosen = self._turns.choose(queues)
        host = heaps[chosen].pop()
        host.stands &= ~(1 << chosen)
        return host, chosen

    def woken(self, now: float) -> Iterator[Host]:
        """Give the ready hosts for which a date has come; the caller moves their URLs and places them again."""
        while self._first_wake() <= now:
            host = self._wakes.pop()
            host.wake = inf
            yield host

    def next_time(self) -> float:
        """Return when the next host becomes ready; infinite: none does by itself."""
        return min(*map(self._top, QUEUES), self._first_wake())

    def next_host(self) -> Host | None:
        """Return the host that becomes ready next; None: none does by itself."""
        tops = [heap for queue, heap in enumerate(self._heaps) if self._top(queue) < inf]
        if self._first_wake() < inf:
            tops.append(self._wakes)
        return min(tops, key=lambda heap: (heap.time, heap.top.number)).top if tops else None

    def _top(self, queue: int) -> float:
        heap = self._heaps[queue]
        while heap:
            host = heap.top
            if heap.time == host.ready:
                line = host.line
                if line and (line[0] == queue or queue in line[::TICKET]):
                    return host.ready
                host.stands &= ~(1 << queue)
            heap.pop()
        return inf

    def _first_wake(self) -> float:
        heap = self._wakes
        while heap and heap.time != heap.top.wake:
            heap.pop()
        return heap.time

    def _push(self, heap: "Heap[Host]", time: float, host: Host) -> None:
        if len(heap) > 2 * len(self.hosts) + SLACK:
            self._sweep(heap)
        heap.push(time, host.number, host)

    def _sweep(self, heap: "Heap[Host]") -> None:
        """Throw the false entries away; without this, hosts with work in two queues would leave them behind one of them."""
        for time, number, host in set(heap.drain()):
            if time == (host.wake if heap is self._wakes else host.ready):
                heap.push(time, number, host)
