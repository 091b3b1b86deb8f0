"""Hosts: listed in an order, one looked at, its policy changed, its queue dropped."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gossamer.assemble import Stores
from gossamer.config.choice import remedy
from gossamer.errors import UsageError
from gossamer.jobs.operations.cursors import cursor_of, limited, place_in
from gossamer.jobs.plain import plain
from gossamer.joints.slices import Slices
from gossamer.policy.standing import state_of
from gossamer.records.entry import Priority
from gossamer.records.host import HostMark, HostOrder, HostPolicy, HostState, HostStatus


async def busiest(stores: Stores, limit: int = 50) -> list[dict[str, Any]]:
    """Return the hosts with most waiting URLs."""
    now = stores.clock.now()
    page = await stores.frontier.list_hosts(HostOrder.WAITING, None, max(limit, 0) or 1, now)
    return await _all_shown(page.hosts[: max(limit, 0)], now)


async def hosts(
    stores: Stores, order: str = "waiting", state: str = "", prefix: str = "", limit: int = 50, cursor: str = ""
) -> dict[str, Any]:
    """List hosts: most waiting URLs first, by next turn, or by name; a page may be short and yet have a next one."""
    question = ("hosts", order, state, prefix)
    place = place_in(cursor, question, float, str)
    now, chosen = stores.clock.now(), _one_of(HostOrder, order, "order")
    wanted = _one_of(HostState, state, "state") if state else None
    after = None if place is None else HostMark(*place)
    page = await stores.frontier.list_hosts(chosen, after, limited(limit), now, wanted, prefix)
    return {
        "items": await _all_shown(page.hosts, now),
        "next": None if page.next is None else cursor_of(question, page.next.place, page.next.host),
        "as_of": now,
    }


async def host(stores: Stores, name: str) -> dict[str, Any] | None:
    """Return one host."""
    known = await stores.frontier.host(name)
    return _shown(known, stores.clock.now()) if known else None


async def set_policy(stores: Stores, name: str, changes: dict[str, Any]) -> dict[str, Any] | None:
    """Change a host's policy; None clears a value."""
    known = await stores.frontier.host(name)
    policy = known.policy if known else HostPolicy()
    if isinstance(changes.get("priority"), str):
        changes["priority"] = priority_of(changes["priority"])
    await stores.frontier.set_policy(name, msgspec.structs.replace(policy, **changes))
    return await host(stores, name)


async def unblock(stores: Stores, name: str) -> dict[str, Any] | None:
    """Lift a timed block (Retry-After, breaker) of a host."""
    await stores.frontier.block(name, 0.0, None)
    return await host(stores, name)


async def drop(stores: Stores, name: str) -> int:
    """Remove every waiting URL of a host."""
    return await stores.frontier.drop(name)


async def policy_before(stores: Stores, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Return what a change of a policy is about."""
    known = await stores.frontier.host(name)
    return {} if known is None else {key: part for key, part in plain(known.policy).items() if key in changes}


async def block_before(stores: Stores, name: str) -> float | None:
    """Return until when a host is blocked."""
    known = await stores.frontier.host(name)
    return None if known is None else known.clock.blocked_until


async def waiting_before(stores: Stores, name: str) -> int:
    """Return how many URLs of a host wait."""
    known = await stores.frontier.host(name)
    return 0 if known is None else known.waiting


def priority_of(name: str) -> Priority:
    """Return a class by its name."""
    try:
        return Priority[name.upper()]
    except KeyError:
        raise UsageError(f"there is no priority {name!r}; {remedy(name, [one.name.lower() for one in Priority])}") from None


async def _all_shown(hosts: Sequence[HostStatus], now: float) -> list[dict[str, Any]]:
    slices, shown = Slices(), list[dict[str, Any]]()
    for status in hosts:
        shown.append(_shown(status, now))
        await slices.turn()
    return shown


def _shown(status: HostStatus, now: float) -> dict[str, Any]:
    return {**plain(status), "state": state_of(status.policy, status.clock, status.waiting, now).value}


def _one_of(kind: Any, name: str, what: str) -> Any:
    try:
        return kind(name)
    except ValueError:
        raise UsageError(f"there is no {what} {name!r}; {remedy(name, [one.value for one in kind])}") from None
