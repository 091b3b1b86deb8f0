"""Which finished URLs of a crawl a run visits again, and what must be forgotten so that they are really asked for.

A robots.txt that was out of reach is remembered for a day, and a host that the breaker gave up as well: both would end a URL
that failed without a request. Whoever says that failures are to be repeated says that this has passed. A host that asked for
patience (Retry-After) is left alone all the same, and one that was given up gets a single request first.
"""

from collections.abc import AsyncIterator

from msgspec import Struct

from gossamer.assemble import Stores
from gossamer.joints.frontier import Frontier
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import State

AT_ONCE = 1_000  # URLs that are made due in one write


class Again(Struct, frozen=True, kw_only=True):
    """Which finished URLs are visited again."""

    older_than: float = 0.0  # seconds since the last visit
    kept: bool = True  # those that ended with a page
    failed: bool = False  # those that ended without one, though no rule of ours refused them


async def visit_again(stores: Stores, again: Again) -> int:
    """Make finished URLs due now; return how many."""
    frontier, now = stores.frontier, stores.clock.now()
    kept = [known async for known in _old(frontier, State.DONE, now - again.older_than)] if again.kept else []
    failed = [known async for known in _old(frontier, State.DEAD, now - again.older_than)] if again.failed else []
    await stores.robots.reopen([known.entry.url for known in failed])
    for host in dict.fromkeys(known.entry.host for known in failed):
        await _give_another_chance(frontier, host, now)
    keys = [(known.entry.key, now) for known in (*kept, *failed)]
    count = 0
    for start in range(0, len(keys), AT_ONCE):
        count += await frontier.revisit(keys[start : start + AT_ONCE], now)
    return count


async def _old(frontier: Frontier, state: State, before: float) -> AsyncIterator[KnownUrl]:
    """Walk over the URLs that ended so, by a visit and not later than that."""
    async for known in frontier.known(state):
        if known.entry.refused is None and (known.settled_at or 0.0) <= before:
            yield known


async def _give_another_chance(frontier: Frontier, host: str, now: float) -> None:
    """Let a host that was given up be asked once more; what it asked for itself still holds."""
    status = await frontier.host(host)
    if status is None or status.clock.given_up_until <= now:
        return
    await frontier.block(host, 0.0, None)
    if status.clock.blocked_until > now:
        await frontier.block(host, status.clock.blocked_until, status.clock.block_reason)
