"""Listings, the same for every backend: the order of hosts, and the order of one host's waiting URLs."""

from collections.abc import Sequence
from math import inf
from typing import TypeVar

from gossamer.frontier.order import QueueOrder
from gossamer.records.host import HostOrder

_Ticket = TypeVar("_Ticket")
TAIL = {HostOrder.WAITING: 0.0, HostOrder.NEXT: inf, HostOrder.NAME: 0.0}  # the place of hosts without work, behind all others


def place_of(order: HostOrder, waiting: int, turn: float) -> float:
    """Return the place of a host in an order; of two in the same place the first by name is first."""
    if order is HostOrder.WAITING:
        return float(-waiting)
    return turn if order is HostOrder.NEXT else 0.0


def in_turn(queues: Sequence[Sequence[_Ticket]], turns: QueueOrder, limit: int) -> list[_Ticket]:
    """Return what is taken first from the queues of a host that has the frontier to itself."""
    taken: list[_Ticket] = []
    at = [0] * len(queues)
    while len(taken) < limit:
        ready = [number for number, queue in enumerate(queues) if at[number] < len(queue)]
        if not ready:
            break
        chosen = turns.choose(ready)
        taken.append(queues[chosen][at[chosen]])
        at[chosen] += 1
    return taken
