"""Allotment: which worker gets the next turn at a host.

A host with one connection at a time has a home, the worker that visited it before, and goes there even while that one is busy:
where hosts wander, each worker opens a connection of its own to every host, and a connection costs more than a small page.
It moves when its home is that of more hosts than another worker that asks for work, and busier just now; the latter alone says
little, since visits end in large groups. A host with several connections and a delay has a home too, because its pace is kept
there (`pace.py`): it moves only while none of its visits is under way. Everything else goes to whoever asks and has least under
way.
"""

from collections import Counter
from collections.abc import Callable, Mapping

GENERATION = 60.0  # seconds: a host that had no turn for so long may be forgotten, its connection is hardly kept any longer
MOST_HOSTS = 100_000  # of a generation
SLACK = 1  # hosts that a worker may have more than another, beside a sixteenth


class Homes:
    """Where hosts are visited: those that had a turn lately."""

    def __init__(self) -> None:
        self._young: dict[str, str] = {}  # workers by host
        self._old: dict[str, str] = {}
        self._began = 0.0
        self.hosts: Counter[str] = Counter()  # of each worker

    def forget(self, now: float) -> None:
        """Forget hosts that had no turn for a while."""
        if now - self._began >= GENERATION or len(self._young) >= MOST_HOSTS:
            self._young, self._old, self._began = {}, self._young, now
            self.hosts = Counter(self._old.values())

    def choose(self, host: str, asking: str, loads: Mapping[str, int]) -> str:
        """Return the home of a host: should it have none, or one that has too many, that is the worker `asking` from now on."""
        hosts, home = self.hosts, self._young.get(host) or self._old.get(host, "")
        is_busy = home not in loads or (loads[home] > loads[asking] and hosts[home] > hosts[asking] * 17 / 16 + SLACK)
        if is_busy:
            hosts[asking] += 1
            hosts[home] -= 1
            home = asking
        self._young[host] = home
        return home


class Allotment:
    """Names workers for leases.

    `loads` is what each worker has under way, `trust` how much it may have, `rooms` how much more it has asked for, if it has;
    `visitor` says which of them visits a host just now, if one does.
    """

    def __init__(
        self,
        homes: Homes,
        loads: dict[str, int],
        trust: Mapping[str, int],
        rooms: Mapping[str, int],
        visitor: Callable[[str], str],
    ) -> None:
        self._homes = homes
        self._visitor = visitor
        self._given: dict[str, str] = {}  # workers of hosts with several connections and a delay, of this allotment
        self._loads = loads
        self._trust = trust
        self._rooms = {worker: room for worker, room in rooms.items() if room > 0}
        self.room = sum(self._rooms.values())  # leases that surely find somebody

    def __call__(self, host: str, connections: int, delay: float) -> str:
        """Return who visits a host that may be visited so many times at once."""
        loads, rooms = self._loads, self._rooms
        worker = asking = min(rooms, key=loads.__getitem__)
        if connections == 1:
            worker = self._home(host, asking)
        elif delay:
            worker = self._given.get(host) or self._visitor(host) or self._home(host, asking)
            self._given[host] = worker
        loads[worker] += 1
        if worker in rooms:
            rooms[worker] -= 1
            if not rooms[worker]:
                del rooms[worker]
        return worker

    def _home(self, host: str, asking: str) -> str:
        """Return the home of a host, or who asks while that has enough to do."""
        home = self._homes.choose(host, asking, self._loads)
        return home if self._loads[home] < self._trust[home] else asking
