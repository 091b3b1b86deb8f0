"""Who is next: the order of a host's URLs, the shares of the two kinds of work and of the three classes with one.

All are rules without a store, the same for every backend, so that the same calls give the same leases in the same order.
"""

from collections.abc import Callable, Sequence

from gossamer.policy.opic import UNIT

# The worker that gets leases, or who names one for a host with so many connections and such a delay.
Whose = str | Callable[[str, int, float], str]
AGEING = 30 * 86400.0  # a waiting URL gains the whole range of scores, 0 to 1, in this time


def rank(score: float, discovered_at: float) -> float:
    """Return the constant that orders a host's waiting URLs at any time; lower is sooner, ties go by discovery.

    A URL's urgency is its score plus `1 / AGEING` for each second it has waited. All waiting URLs gain alike, so comparing
    urgencies is comparing `score - discovered_at / AGEING`: turned over and in seconds, the moment at which a URL of score 0
    would have had to be discovered to be as urgent.
    """
    return discovered_at - score * AGEING + 0.0  # adding zero turns -0.0 into 0.0: equal ranks have equal bytes


MINT = 100 * UNIT  # credit that a new seed brings along: all there is fits 64 bits with ninety million seeds


def place(balance: int) -> float:
    """Return the constant that orders a host's waiting URLs by their credit, whatever lambda gives; see `policy/opic.py`."""
    return float(-balance)


CLASSES = 3  # with shares
LAST = 2 * CLASSES  # the queue without one, of URLs never crawled: picked only while no other queue has anything ready
QUEUES = range(LAST + 1)  # of a host: never crawled in three classes, due again in three, and the last


def queue_of(priority: int, again: bool) -> int:
    """Return the queue of a class and a kind of work; what is due again has brought something and waits with the others."""
    return min(priority, CLASSES - 1) + CLASSES if again else priority


def is_again(queue: int) -> bool:
    """Tell whether a queue is one of URLs that are due again."""
    return CLASSES <= queue < LAST


def class_of(queue: int) -> int:
    """Return the class of a queue."""
    return queue if queue == LAST else queue % CLASSES


class Shares:
    """Takes turns among classes by exact credit: each pick pays every class that could be picked, the picked one pays all.

    Credit stays within the sum of the shares, so over any run of picks a class is off its share by less than one pick. A class
    with nothing ready is not paid: its share goes to the others, and it cannot save up a burst.
    """

    __slots__ = ("_credit", "_shares")

    def __init__(self, shares: Sequence[int]) -> None:
        self._credit, self._shares = [0] * len(shares), tuple(shares)

    def choose(self, ready: Sequence[int]) -> int:
        """Return the class whose turn it is among those ready (at least one); ties go to the first."""
        if len(ready) == 1:
            return ready[0]
        credit, shares = self._credit, self._shares
        total = 0
        for name in ready:
            credit[name] += shares[name]
            total += shares[name]
        chosen = max(ready, key=credit.__getitem__)
        credit[chosen] -= total
        return chosen


class QueueOrder:
    """Takes turns among the queues: first between the kinds of work, then among the classes of the chosen kind."""

    __slots__ = ("_classes", "_kinds")

    def __init__(self, kinds: Sequence[int], classes: Sequence[int]) -> None:
        self._kinds = Shares(kinds)
        self._classes = (Shares(classes), Shares(classes))

    def choose(self, ready: Sequence[int]) -> int:
        """Return the queue whose turn it is among those ready, which are at least one and in order."""
        ready = [queue for queue in ready if queue != LAST]
        if not ready:
            return LAST
        if len(ready) == 1:
            return ready[0]
        kind = self._kinds.choose(sorted({is_again(queue) for queue in ready}))
        return queue_of(self._classes[kind].choose([class_of(queue) for queue in ready if is_again(queue) == kind]), bool(kind))
