"""What the embedded frontier keeps on disk beside the entries, as MessagePack arrays: one row a URL, one a host, one for the
counters.

A URL that waits as it was found, and was never leased, has no row: its entry says it all.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from gossamer.errors import StoreError
from gossamer.policy.opic import Bank
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason
from gossamer.records.standing import FrontierStatistics

LOW_BITS = (1 << 64) - 1  # MessagePack has no longer integers; `HostClock.recent` has 100 bits
ELSEWHERE = b""  # the row of an entry that another one of the same key has taken the place of
_WAITING = State.WAITING


class UrlRow(Struct, array_like=True):
    """The stored state of a URL. `state` on disk is never leased: leases have rows of their own."""

    reference: int  # where its entry stands
    state: State
    queue: int = 1  # the one it waits in, or waited in
    refused: bool = False  # known only as refused: may still be queued when it is found again
    attempts: int = 0
    returns: int = 0
    lease: int = 0  # the count of its last one that ended
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
    lease: int = 0
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
