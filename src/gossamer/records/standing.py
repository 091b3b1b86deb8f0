"""How far a crawl is, as its frontier sees it: URLs by what became of them, and what comes next."""

from math import inf

from msgspec import Struct

from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason

# A dead URL with one of these was never requested, because a rule says so; with any other it was tried, and failed.
NOT_FOR_US = frozenset(
    {
        Outcome.OUT_OF_SCOPE,
        Outcome.TRAP,
        Outcome.ROBOTS_DENIED,
        Outcome.ADDRESS_REFUSED,
        Outcome.UNSUPPORTED,
        Outcome.DUPLICATE,  # by parameters that make no difference; a duplicate that was fetched is done
    }
)


class FrontierStatistics(Struct, frozen=True, kw_only=True):
    """The frontier in numbers: the five states add up to every URL ever accepted."""

    waiting: int
    leased: int
    done: int
    dead: int
    removed: int
    hosts: int  # with work
    failed: int = 0  # of the dead: tried, and given up
    not_for_us: int = 0  # of the dead: never requested, because a rule says so
    recent_hits: int = 0  # seen tests answered by the recent-key cache, the Bloom filter, the store
    bloom_misses: int = 0
    store_reads: int = 0
    credit: int | None = None  # of all pages and of lambda together, where the order is opic
    lambda_credit: int | None = None  # of that, what is not spread yet


class Pending(Struct, frozen=True, kw_only=True):
    """What waits in a frontier, by class; what waits for a date is counted apart, whatever its class."""

    high: int = 0
    medium: int = 0
    low: int = 0
    last: int = 0
    later: int = 0  # its date has not come


class Outlook(Struct, frozen=True, kw_only=True):
    """The next turn of a frontier, and how long its hosts take at their own pace."""

    next_host: str = ""  # whose turn comes next; empty: nobody's, as long as nothing else happens
    next_time: float = inf
    reason: Reason | None = None  # why not sooner, if it is more than the time between two requests
    slowest: str = ""  # the host whose waiting URLs take longest; empty: there are too many hosts to look at
    seconds: float = 0.0  # how long they take, one after the other
    delay: float = 0.0  # between two of them
