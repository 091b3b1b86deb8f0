"""The pulse: a crawl in numbers at one moment, made once a second by whoever holds the crawl.

Counters are over all runs of the crawl and only ever grow; everything else is as it is now. Doors show it, metrics are made of
it, and every ten seconds one is kept, so that throughput over time is there for a crawl that has stopped, too.
"""

from msgspec import Struct

from gossamer.records.standing import FrontierStatistics

# Upper ends of the classes of response times, in seconds; a last class has the rest.
RESPONSE_CLASSES = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class WorkerPulse(Struct, frozen=True, kw_only=True):
    """A worker of a crawl; counters are of this worker's life."""

    name: str
    machine: str
    pid: int
    since: float
    under_way: int = 0
    visits: int = 0
    pages: int = 0
    bytes: int = 0
    outcomes: dict[str, int] = {}
    rss: int = 0  # bytes of memory
    last_seen: float = 0.0
    hosts: int = 0  # at home there: those that had a turn lately, and come back to it
    stalls: int = 0  # times that its event loop stood still


class Pulse(Struct, frozen=True, kw_only=True):
    """A crawl at one moment."""

    at: float
    state: str  # running, paused, stopping, stopped, finished, waiting
    trouble: str = ""  # why it is paused, if it is
    since: float = 0.0  # when the run began, or the last one; 0: there was none
    # Counters
    finished: dict[str, int] = {}  # URLs that were finished, by outcome; a page that is visited again counts again
    requests: int = 0
    bytes: int = 0
    retries: int = 0
    too_soon: int = 0  # requests that left sooner after another to the same host than its delay allows; there must be none
    worker_deaths: int = 0
    stalls: int = 0  # times that the event loop stood still
    stall_seconds: float = 0.0
    responses: tuple[int, ...] = (0,) * (len(RESPONSE_CLASSES) + 1)  # answers by response time, a number for each class
    response_seconds: float = 0.0  # of all answers together
    last_commit: float = 0.0  # when a visit was last made durable
    # As it is now
    outcomes: dict[str, int] = {}  # pages, as the catalog has them
    pages: int = 0  # kept
    frontier: FrontierStatistics
    under_way: int = 0
    workers: tuple[WorkerPulse, ...] = ()
    disk_free: int = 0
    hosts_seen: int = 0  # that a URL was accepted of
    breakers_open: int = 0  # hosts that are left alone for their failures
    hosts_paused: int = 0  # by an operator
    hosts_blocked: int = 0  # by an operator
    rules: int = 0  # learned, and in force
    freshness: float | None = None  # share of kept pages that are as they were, as far as is known
    next_time: float | None = None  # when there is something to do again
    end: str = ""  # how the last run ended, in a word of `RunEnd`; empty: one is under way, was killed, or there was none
