"""How much one asker may ask: buckets that fill with time, and how often somebody has guessed. Time is an argument."""

from collections import OrderedDict, deque

MOST = 10_000  # askers that are remembered; of more, those who were silent longest are forgotten
GUESSES = 5  # wrong tokens of an address in a minute; the next ones are not looked at kindly
MINUTE = 60.0


class Rate:
    """So many requests a second for each asker, and so many at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = max(burst, 1.0)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when that was so

    def wait(self, asker: str, now: float) -> float:
        """Take a turn and return 0.0, or the seconds until there is one."""
        left, since = self._buckets.pop(asker, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        taken = left >= 1.0
        self._buckets[asker] = (left - 1.0 if taken else left, now)
        if len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self._rate


class Failures:
    """Wrong tokens by address."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def note(self, address: str, now: float) -> float:
        """Note a wrong token; return 0.0, or the seconds until another may be tried."""
        times = self._times.pop(address, deque())
        while times and times[0] <= now - MINUTE:
            times.popleft()
        self._times[address] = times
        if len(self._times) > MOST:
            self._times.popitem(last=False)
        if len(times) >= GUESSES:
            return times[0] + MINUTE - now
        times.append(now)
        return 0.0
