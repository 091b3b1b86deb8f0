"""What the embedded frontier keeps on disk beside the entries, as MessagePack arrays: one row a URL, one a host, one for the
counters.

A URL that waits as it was found, and was never leased, has no row: its entry says it all.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from gossamer.config.sections import Politeness
from gossamer.errors import StoreError
from gossamer.frontier.order import AGEING, class_of, is_again
from gossamer.policy.opic import Bank
from gossamer.policy.politeness import connections_of, delay_of
from gossamer.records.entry import Entry, Priority
from gossamer.records.host import HostClock, HostPolicy, HostStatus
from gossamer.records.lease import KnownUrl, Lease
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.standing import NOT_FOR_US, FrontierStatistics, Outlook

LOW_BITS = (1 << 64) - 1  # MessagePack has no longer integers; `HostClock.recent` has 100 bits
ELSEWHERE = b""  # the row of an entry that another one of the same key has taken the place of
NOT_DUE = because(Rule.FRONTIER_DUE)
_WAITING, _DEAD = State.WAITING, State.DEAD


class UrlRow(Struct, array_like=True):
    """The stored state of a URL. `state` on disk is never leased: leases have rows of their own."""

    reference: int  # where its entry stands
    state: State
    queue: int = 1  # the one it waits in, or waited in
    refused: bool = False  # known only as refused: may still be queued when it is found again
    attempts: int = 0
    returns: int = 0
    token: int = 0  # of its last lease that ended
    outcome: Outcome | None = None
    reason: Reason | None = None
    due: float | None = None
    settled_at: float | None = None
    rank: float | None = None  # its place in the queue; None: the one its discovery gave it


class HostRow(Struct, array_like=True):
    """A host: its number in the keys, its line, and what its turn depends on."""

    name: str
    number: int
    line: bytes  # tickets of waiting URLs, the first of each queue
    leased: bytes  # tickets that are leased: they wait again after a restart
    more: tuple[int, ...] | None  # by queue: waiting URLs that have rows of their own
    later: int  # waiting URLs whose date has not come
    first_due: float  # the first of these dates; infinite: none
    opening: int  # of the store in which this was written: `next_time` means nothing after a restart
    policy: HostPolicy | None  # None: the operator decided nothing
    clock: HostClock | None  # None: a new one
    recent_high: int = 0  # the bits of `clock.recent` above the 64th


class Meta(Struct, array_like=True):
    """The counters: states of URLs, and the last number given of each kind."""

    opening: int = 0
    page: int = 0
    oldest: int = 0  # page that is still needed
    number: int = 0
    sequence: int = 0
    token: int = 0
    waiting: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    removed: int = 0
    bank: Bank | None = None  # None: the order is not opic
    minted: int = 0  # all credit there is
    not_for_us: int = -1  # of the dead; -1: nobody has counted them yet

    @property
    def known(self) -> int:
        """Return how many URLs were ever accepted."""
        return self.waiting + self.leased + self.done + self.dead + self.removed

    def statistics(self, hosts: int, **asked: int) -> FrontierStatistics:
        """Return the counters as the operator sees them, with the hosts that have work and who answered seen tests."""
        states = {state.value: getattr(self, state) for state in State}
        dead = {"failed": self.dead - self.not_for_us, "not_for_us": self.not_for_us}
        credit = {} if self.bank is None else {"credit": self.minted, "lambda_credit": self.bank.lambda_credit}
        return FrontierStatistics(**states, **dead, **credit, **asked, hosts=hosts)


class JournalPage(Struct, array_like=True):
    """A page of the journal: what one call changed about hosts, and the counters after it."""

    meta: Meta
    hosts: list[HostRow]
    gone: list[str]  # without work since: their rows stand in places of their own


class ModelUrl(Struct):
    """All that is known of a URL in one piece, as the reference keeps it."""

    entry: Entry
    state: State
    queue: int = 1  # the one it waits in, or waited in
    sequence: int = 0  # of its discovery; 0: never queued
    discovered_at: float = 0.0
    refused: bool = False  # known only as refused: may still be queued when it is found again
    attempts: int = 0
    returns: int = 0
    outcome: Outcome | None = None
    reason: Reason | None = None
    due: float | None = None
    settled_at: float | None = None
    rank: float | None = None  # its place in the queue; None: the one its discovery gave it
    spellings: tuple[str, ...] = ()  # other ones it was found in


encode = Encoder().encode
_url = Decoder(UrlRow).decode
_host = Decoder(HostRow).decode
_page = Decoder(JournalPage).decode
_Row = TypeVar("_Row")


def _sound(decode: Callable[[bytes], _Row], raw: bytes) -> _Row:
    try:
        return decode(raw)
    except (DecodeError, UnicodeDecodeError) as problem:  # msgspec leaves what is no UTF-8 to Python
        raise StoreError(f"the frontier's store is damaged: {problem}; restore a checkpoint") from problem


def decode_url(raw: bytes) -> UrlRow:
    """Decode what became of a URL."""
    return _sound(_url, raw)


def url_row(raw: bytes | None, reference: int, priority: int) -> UrlRow:
    """Return what became of a URL, by its row if it has one; else it waits as it was found."""
    return _sound(_url, raw) if raw else UrlRow(reference, _WAITING, priority)


def decode_page(raw: bytes) -> JournalPage:
    """Decode a page of the journal."""
    return _sound(_page, raw)


def clock_of(row: HostRow) -> HostClock:
    """Return the clock of a decoded host, its 100 bits in one again."""
    clock = row.clock or HostClock()
    return replace(clock, recent=clock.recent | row.recent_high << 64) if row.recent_high else clock


def decode_host(raw: bytes) -> HostRow:
    """Decode a host."""
    return _sound(_host, raw)


def is_not_for_us(row: ModelUrl | UrlRow) -> bool:
    """Tell whether a URL is dead because a rule says so; the other dead ones have failed."""
    return row.state is _DEAD and (row.refused or row.outcome in NOT_FOR_US)


def known_of(entry: Entry, discovered_at: float, row: ModelUrl | UrlRow, lease: Lease | None, credit: int | None) -> KnownUrl:
    """Return a URL as the operator sees it; `lease` is its live one, if it has one."""
    return KnownUrl(
        entry=entry,
        state=row.state if lease is None else State.LEASED,
        outcome=row.outcome,
        reason=row.reason,
        due=row.due,
        attempts=row.attempts,
        returns=row.returns,
        discovered_at=discovered_at,
        settled_at=row.settled_at,
        leased_by="" if lease is None else lease.worker,
        leased_until=None if lease is None else lease.until,
        again=is_again(row.queue) and (lease is not None or row.state is _WAITING),
        credit=credit,
        priority=Priority(class_of(row.queue)),
        score=_score(entry, discovered_at, row) if row.state is _WAITING and lease is None and credit is None else None,
    )


def _score(entry: Entry, discovered_at: float, row: ModelUrl | UrlRow) -> float | None:
    """Return what a waiting URL is worth, beside its waiting; None: it was due again and has got another date since."""
    if row.rank is None:
        return entry.score
    if not is_again(row.queue):
        return (discovered_at - row.rank) / AGEING
    return (row.due - row.rank) / AGEING if row.due is not None and not row.attempts else None


def slowest_of(hosts: Iterable[HostStatus]) -> HostStatus | None:
    """Return the host whose waiting URLs take longest at its pace; a host that is held back has no pace."""
    working = [host for host in hosts if host.waiting and not (host.policy.paused or host.policy.blocked)]
    return max(working, key=lambda host: (host.waiting * host.delay, host.waiting, host.host), default=None)


def outlook_of(host: HostStatus | None, next_time: float, slowest: HostStatus | None) -> Outlook:
    """Say who is next, if anybody is, and when, and how long the slowest takes, if that is known."""
    facts: dict[str, Any] = {}
    if slowest is not None:
        facts = {"slowest": slowest.host, "seconds": slowest.waiting * slowest.delay, "delay": slowest.delay}
    if host is None:
        return Outlook(**facts)
    clock = host.clock
    reason = clock.block_reason if clock.blocked_until >= next_time else None if clock.next_time >= next_time else NOT_DUE
    return Outlook(next_host=host.host, next_time=next_time, reason=reason, **facts)


def status_of(host: str, waiting: int, leased: int, policy: HostPolicy, clock: HostClock, settings: Politeness) -> HostStatus:
    """Return a host as the operator sees it."""
    return HostStatus(
        host=host,
        waiting=waiting,
        leased=leased,
        policy=policy,
        clock=clock,
        delay=delay_of(policy, clock, settings),
        max_connections=connections_of(policy, clock, settings),
    )
