"""Who is next: the order of a host's URLs, and the shares of the three classes.

Both are rules without a store, the same for every backend, so that the same calls give the same leases in the same order.
"""

from collections.abc import Sequence

AGEING = 30 * 86400.0  # a waiting URL gains the whole range of scores, 0 to 1, in this time


def rank(score: float, discovered_at: float) -> float:
    """Return the constant that orders a host's waiting URLs at any time; lower is sooner, ties go by discovery.

    A URL's urgency is its score plus `1 / AGEING` for each second it has waited. All waiting URLs gain alike, so comparing
    urgencies is comparing `score - discovered_at / AGEING`: turned over and in seconds, the moment at which a URL of score 0
    would have had to be discovered to be as urgent.
    """
    return discovered_at - score * AGEING + 0.0  # adding zero turns -0.0 into 0.0: equal ranks have equal bytes


class Shares:
    """Takes turns among classes by exact credit: each pick pays every class that could be picked, the picked one pays all.

    Credit stays within the sum of the shares, so over any run of picks a class is off its share by less than one pick. A class
    with nothing ready is not paid: its share goes to the others, and it cannot save up a burst.
    """

    __slots__ = ("_credit", "_shares")

    def __init__(self, shares: Sequence[int]) -> None:
        self._shares = tuple(shares)
        self._credit = [0] * len(self._shares)

    def choose(self, ready: Sequence[int]) -> int:
        """Return the class whose turn it is among those ready (at least one); ties go to the first."""
        if len(ready) == 1:
            return ready[0]
        credit = self._credit
        total = 0
        for name in ready:
            credit[name] += self._shares[name]
            total += self._shares[name]
        chosen = max(ready, key=credit.__getitem__)
        credit[chosen] -= total
        return chosen
