"""Recovery: what a store holds is brought into memory, when it is opened, and again after a bug of ours has struck memory.

Leases that were out come back. When a store is opened, nobody has them any more, and each is told to its URL, so that a page
which kills whoever visits it is given up in the end. After a bug their workers live: those leases go on.
"""

from collections.abc import Container
from pathlib import Path

from gossamer import faults
from gossamer.config.sections import FrontierSettings, Politeness
from gossamer.frontier.embedded.credit import check_order
from gossamer.frontier.embedded.ledger import Ledger, leases_in
from gossamer.frontier.embedded.schedule import Schedule
from gossamer.frontier.embedded.seen import SeenUrls, open_seen
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.journal import last_meta
from gossamer.frontier.layout.keys import LEASES, TICKET, number_in, reference_in
from gossamer.frontier.layout.line import joined, stands_in, without
from gossamer.frontier.layout.sheets import TRIED
from gossamer.frontier.layout.store import Store
from gossamer.frontier.views import is_not_for_us

Held = tuple[int, int, Host, bytes]  # a lease that goes on: its count, that of the first one of its row, host, ticket


def read_ledger(
    path: Path,
    store: Store,
    settings: FrontierSettings,
    politeness: Politeness,
    now: float,
    opic: bool,
    before: SeenUrls | None = None,
) -> Ledger:
    """Return the books of a store, still to be recovered; `before`: what was seen, as far as this process had it in memory."""
    meta = last_meta(store)
    check_order(meta, opic, path)
    seen = open_seen(path, store, meta, settings.recent_keys, before)
    schedule = Schedule(settings.kinds, settings.shares, settings.patience, politeness)
    return Ledger(store, meta, seen, schedule, politeness, now)


def recover(ledger: Ledger, live: Container[int] | None = None) -> list[Held]:
    """Bring the hosts with work into memory and give every lease back, which its URL is told.

    With the counts of leases that are `live` in this process: those go on and are returned, and the others blame no URL.
    """
    meta, seen, hosts = ledger.meta, ledger.seen, dict[int, Host]()  # by their numbers
    meta.opening += 1
    meta.waiting, meta.leased = meta.waiting + meta.leased, 0
    if meta.not_for_us < 0:  # a new store, or one from before they were counted
        meta.not_for_us = sum(is_not_for_us(row) for some in ledger.walk() for row, _ in some)
    for host in ledger.journal.replay(ledger.revive):
        ledger.schedule.hosts[host.name] = hosts[host.number] = host
        if seen.lacks_hosts:
            seen.meet_again(host.name)
        if host.out:
            ledger.touch(host)
        elif host.waiting:
            ledger.schedule.place(host)
        else:
            ledger.changed.add(host)
    seen.lacks_hosts = False
    left = [host for host in hosts.values() if host.out]  # with leases, when they were written
    held = _return_leases(ledger, hosts, live)
    for host in left:
        for at in range(0, len(host.out), TICKET):  # none, unless a lease was forgotten
            ledger.queue(host, host.out[at : at + TICKET], 0.0)
        host.out = b""
    for _, _, host, ticket in held:
        host.out = joined(host.out, ticket)
        host.leased += 1
    meta.waiting, meta.leased = meta.waiting - len(held), len(held)
    faults.reach("during-recovery")
    ledger.commit()
    return held


def _return_leases(ledger: Ledger, hosts: dict[int, Host], live: Container[int] | None) -> list[Held]:
    held: list[Held] = []
    for key, raw in ledger.store.scan(LEASES):
        first, before = number_in(key), len(held)
        for count, (number, ticket) in enumerate(leases_in(raw), first):
            ledger.meta.lease = max(ledger.meta.lease, count)
            if number not in hosts:
                continue
            if live is None:
                _give_back(ledger, hosts[number], ticket, count)
            elif count in live and _take_out(ledger, hosts[number], ticket, count):
                held.append((count, first, hosts[number], ticket))
        if len(held) == before:
            ledger.batch.delete(key)
    return held


def _take_out(ledger: Ledger, host: Host, ticket: bytes, count: int) -> bool:
    """Take the URL of a lease that goes on out of the line again; False: the lease has ended."""
    is_out = stands_in(host.out, ticket)
    if (not is_out and not stands_in(host.line, ticket)) or ledger.row(reference_in(ticket)).lease >= count:
        return False
    if is_out:
        host.out = without(host.out, ticket)
    else:
        ledger.lines.discard(ledger.batch, host, ticket)
    ledger.touch(host)
    return True


def _give_back(ledger: Ledger, host: Host, ticket: bytes, count: int) -> None:
    """Count a lease that never ended; one that did is not out and has left the line, or its row names it."""
    is_out = stands_in(host.out, ticket)
    if not is_out and not stands_in(host.line, ticket):
        return
    (written,) = ledger.sheets.read([reference_in(ticket)])
    row = ledger.row(reference_in(ticket), written.entry.priority)
    if row.lease < count:
        row.returns += 1
        row.lease = count
        row.reference |= TRIED
        ledger.put(row)
        ledger.changed.add(host)
        if is_out:  # others may have come before it since
            host.out = without(host.out, ticket)
            ledger.queue(host, ledger.ticket_at(row, written), 0.0)
        else:
            host.line = joined(without(host.line, ticket), ledger.ticket_at(row, written))
