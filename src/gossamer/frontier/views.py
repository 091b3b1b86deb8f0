"""What a frontier knows, as an operator sees it; the same for every backend."""

from collections.abc import Iterable
from typing import Any, Protocol

from gossamer.config.sections import Politeness
from gossamer.frontier.order import AGEING, class_of, is_again
from gossamer.policy.politeness import connections_of, delay_of
from gossamer.records.entry import Entry, Priority
from gossamer.records.host import HostClock, HostPolicy, HostStatus
from gossamer.records.lease import KnownUrl, Lease
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.standing import NOT_FOR_US, Outlook

NOT_DUE = because(Rule.FRONTIER_DUE)
_WAITING, _DEAD = State.WAITING, State.DEAD


class UrlState(Protocol):
    """What became of a URL, as any backend keeps it."""

    state: State
    queue: int
    refused: bool
    attempts: int
    returns: int
    outcome: Outcome | None
    reason: Reason | None
    due: float | None
    settled_at: float | None
    rank: float | None


def is_not_for_us(row: UrlState) -> bool:
    """Tell whether a URL is dead because a rule says so; the other dead ones have failed."""
    return row.state is _DEAD and (row.refused or row.outcome in NOT_FOR_US)


def known_of(entry: Entry, discovered_at: float, row: UrlState, lease: Lease | None, credit: int | None) -> KnownUrl:
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


def _score(entry: Entry, discovered_at: float, row: UrlState) -> float | None:
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
