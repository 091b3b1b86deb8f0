"""The tide: how fast other hosts bring pages, and how long a host that sinks has to wait so that they come first.

A wait is counted in pages of others, and told in seconds by their present pace: where nobody else brings anything nobody waits,
so that a crawl of one site loses nothing. Where others are slow by themselves there is room for all, and a wait stays short.
Where most hosts yield only themselves, as in a crawl of some sites that have nothing to do with each other, that tells nothing
of any of them, and none waits either.
Nothing of it is kept: after a restart the pace is known again within seconds.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

LATELY = 5.0  # seconds that the pace is taken from
LONGEST = 2.0  # seconds of a wait
FOR_EACH = 0.2  # or so many for each host that sinks, where these are many
SHORTEST = 0.2  # seconds in which a pace can be told
MISSED = 10  # pages that would have come by now, if others still had any
REMEMBERED = 60.0  # seconds that a host counts as one that sinks, or as one that does not
MOST_AFLOAT = 1_000  # hosts that are remembered as such: they are compared with those that sink, and hardly ever are so many


class Tide:
    """The hosts visited lately: those that sink, and all others."""

    def __init__(self) -> None:
        self._others: deque[tuple[float, int]] = deque()
        self._count = 0
        # When each host was visited last, the latest at the end: those that sink, and those that do not.
        self._sunk: OrderedDict[str, float] = OrderedDict()
        self._afloat: OrderedDict[str, float] = OrderedDict()
        self._queued: dict[str, float] = {}  # until when the URLs of a host that were put off wait

    def note(self, afloat: Sequence[str], sunk: Iterable[str], now: float) -> None:
        """Take note of pages of hosts that do not sink, by their hosts, and of hosts that do."""
        if afloat:
            self._others.append((now, len(afloat)))
            self._count += len(afloat)
            for host in afloat:
                self._afloat[host] = now
                self._afloat.move_to_end(host)
            while len(self._afloat) > MOST_AFLOAT:
                self._afloat.popitem(last=False)
        for host in sunk:
            self._sunk[host] = now
            self._sunk.move_to_end(host)
            self._afloat.pop(host, None)

    def _are_few(self, now: float) -> bool:
        """Tell whether hosts that sink are fewer than those that do not."""
        for hosts in (self._sunk, self._afloat):
            while hosts and next(iter(hosts.values())) <= now - REMEMBERED:
                hosts.popitem(last=False)
        return len(self._afloat) > len(self._sunk)

    def seconds(self, pages: float, now: float) -> float:
        """Return how long it takes until others brought so many pages; 0: nobody else brings any."""
        others = self._others
        while others and others[0][0] < now - LATELY:
            self._count -= others.popleft()[1]
        if not others:
            return 0.0
        pace = self._count / max(others[-1][0] - others[0][0], SHORTEST)
        is_over = now - others[-1][0] > max(MISSED / pace, SHORTEST)
        return 0.0 if is_over else min(pages / pace, self._longest)

    @property
    def _longest(self) -> float:
        return max(LONGEST, FOR_EACH * len(self._sunk))

    def wait_of_a_host(self, pages: float, now: float) -> float:
        """Return how long a host waits that sinks: all that do share their turns."""
        return self.seconds(pages * max(len(self._sunk), 1), now) if self._are_few(now) else 0.0

    def wait_in_line(self, host: str, pages: float, now: float) -> float:
        """Return how long a URL of a host waits: behind those of that host which were put off before."""
        step = self.seconds(pages, now)
        if not step:
            self._queued.pop(host, None)
            return 0.0
        until = min(max(self._queued.get(host, now), now) + step, now + self._longest)
        self._queued[host] = until
        return until - now
