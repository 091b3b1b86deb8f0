"""What can be asked of a crawl or done to it, running or not: one function a word, the table at the end.

Arguments and answers are plain JSON values, so that they can be asked over a socket.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from gossamer.assemble import Stores, checkpoint_stores
from gossamer.errors import CrawlError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.explain import explain
from gossamer.jobs.plain import plain
from gossamer.records import HostPolicy, Priority
from gossamer.url.parse import parse

Operation = Callable[..., Awaitable[Any]]


async def status(stores: Stores, running: bool = False) -> dict[str, Any]:
    """Return the crawl in numbers."""
    totals = stores.catalog.totals()
    return {
        "directory": str(stores.directory),
        "state": _state(stores, running),
        "pages": totals.pages,
        "bytes": totals.bytes,
        "outcomes": stores.catalog.counts(),
        "frontier": plain(stores.frontier.statistics()),
    }


def _state(stores: Stores, running: bool) -> str:
    if running:
        return "running"
    frontier = stores.frontier.statistics()
    return "stopped" if frontier.waiting + frontier.leased else "finished"


async def explain_all(stores: Stores, urls: list[str]) -> list[dict[str, Any]]:
    """Explain several URLs."""
    return [await explain(stores, url) for url in urls]


async def hosts(stores: Stores, limit: int = 50) -> list[dict[str, Any]]:
    """Return the hosts with most waiting URLs."""
    ranked = sorted(stores.frontier.hosts(), key=lambda host: (-host.waiting, host.host))
    return [plain(host) for host in ranked[:limit]]


async def host(stores: Stores, name: str) -> dict[str, Any] | None:
    """Return one host."""
    known = await stores.frontier.host(name)
    return plain(known) if known else None


async def set_policy(stores: Stores, name: str, changes: dict[str, Any]) -> dict[str, Any] | None:
    """Change a host's policy; None clears a value."""
    known = await stores.frontier.host(name)
    policy = known.policy if known else HostPolicy()
    if isinstance(changes.get("priority"), str):
        changes["priority"] = _priority(changes["priority"])
    await stores.frontier.set_policy(name, msgspec.structs.replace(policy, **changes))
    return await host(stores, name)


async def unblock(stores: Stores, name: str) -> dict[str, Any] | None:
    """Lift a timed block (Retry-After, breaker) of a host."""
    await stores.frontier.block(name, 0.0, "")
    return await host(stores, name)


async def drop(stores: Stores, name: str) -> int:
    """Remove every waiting URL of a host."""
    return await stores.frontier.drop(name)


async def remove(stores: Stores, url: str) -> bool:
    """Take a URL out of the frontier for good."""
    return await stores.frontier.remove(stores.admission.key(parse(url)))


async def checkpoint(stores: Stores, target: str) -> str:
    """Copy the crawl, as it is between two commits, into a new directory."""
    path = Path(target)
    if path.exists():
        raise CrawlError(f"{path} exists already; name a new directory for the checkpoint")
    await checkpoint_stores(stores, path)
    CrawlDirectory(stores.directory).copy_papers(path)
    return str(path)


def _priority(name: str) -> Priority:
    try:
        return Priority[name.upper()]
    except KeyError:
        raise UsageError(f"{name!r} is no priority; choose high, medium or low") from None


OPERATIONS: dict[str, Operation] = {
    "status": status,
    "explain_all": explain_all,
    "hosts": hosts,
    "host": host,
    "set_policy": set_policy,
    "unblock": unblock,
    "drop": drop,
    "remove": remove,
    "checkpoint": checkpoint,
}
