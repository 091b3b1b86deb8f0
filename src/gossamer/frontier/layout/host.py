"""A host with work, as it is in memory; `rows.py` says how it is written."""

from math import inf

from msgspec import Struct

from gossamer.frontier.layout.keys import TICKET
from gossamer.records.host import HostClock, HostPolicy

NO_POLICY = HostPolicy()
NEW_CLOCK = HostClock()


class Host(Struct, gc=False, eq=False):
    """A host with work. A million of these must fit in memory: one shared policy and clock until they differ.

    A struct without garbage collection, because it is never part of a cycle: otherwise the collector walks over all of them
    again and again, which was a third of the cost of a new URL at 400,000 hosts.
    """

    name: str
    number: int
    policy: HostPolicy = NO_POLICY
    clock: HostClock = NEW_CLOCK
    line: bytes = b""  # tickets of waiting URLs, the first of each queue
    more: tuple[int, ...] | None = None  # by queue: waiting URLs that stand in the store
    later: int = 0  # waiting URLs whose date has not come
    first_due: float = inf  # the first of these dates
    leased: int = 0  # turns
    out: bytes = b""  # tickets of URLs that are leased
    page: int = 0  # of the journal, where it was written last; 0: nowhere
    since: float = 0.0  # its line stopped being empty, or its last lease ended
    ready: float = inf  # infinite: not to be leased, whatever the time
    wake: float = inf
    stands: int = 0  # a bit for each queue in whose heap it has a true entry

    def __lt__(self, other: "Host") -> bool:
        return self.number < other.number

    @property
    def waiting(self) -> int:
        """Return how many URLs wait, whatever for."""
        more = self.more
        return len(self.line) // TICKET + self.later + (0 if more is None else sum(more))
