"""What can be asked of a crawl or done to it, running or not: the tables of all operations, and what carries one out.

Arguments and answers are plain JSON values, so that they can be asked over a socket. The operations stand in `operations/`.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gossamer.assemble import Stores, checkpoint_stores
from gossamer.compiled import compiled_and_pure
from gossamer.errors import CrawlError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operations import hosts, lessons, links, lists, robots, seeding, settings, steering, urls
from gossamer.jobs.operations.steering import Running, is_paused
from gossamer.jobs.plain import plain
from gossamer.jobs.relay.cursor import cursors_of, sink_states, write_cursors
from gossamer.jobs.words import tell_word

Operation = Callable[..., Awaitable[Any]]
MOST_TOLD = 100  # of a long list of arguments, by the chronicle


async def status(stores: Stores, running: bool = False) -> dict[str, Any]:
    """Return the crawl in numbers."""
    totals = await stores.catalog.totals()
    return {
        "directory": str(stores.directory),
        "state": await state_of(stores, running),
        "paused": await is_paused(stores),
        "pages": totals.pages,
        "bytes": totals.bytes,
        "bodies_cut": totals.bodies_cut,
        "links_cut": dict(zip(("links", "pages"), totals.links_cut, strict=True)),
        "outcomes": await stores.catalog.counts(),
        "frontier": plain(await stores.frontier.statistics()),
        "chronicle": await _chronicle(stores),
        "sinks": [plain(replace(one, lag=await stores.chronicle.lag(one.position))) for one in sink_states(stores.directory)],
        "build": dict(zip(("compiled", "pure"), compiled_and_pure(), strict=True)),
    }


async def _chronicle(stores: Stores) -> dict[str, Any] | None:
    """Return how much the chronicle tells; None: it is off."""
    if stores.settings.chronicle.level == "off":
        return None
    return {"events": await stores.chronicle.lag(""), "head": await stores.chronicle.head()}


async def state_of(stores: Stores, running: bool = False) -> str:
    """Say what a crawl does, or whether one that does not run has something left to do."""
    if running:
        return "paused" if await is_paused(stores) else "running"
    frontier = await stores.frontier.statistics()
    return "stopped" if frontier.waiting + frontier.leased else "finished"


async def checkpoint(stores: Stores, target: str) -> str:
    """Copy the crawl, as it is between two commits, into a new directory."""
    path = Path(target)
    if path.exists():
        raise CrawlError(f"{path} exists already; name a new directory for the checkpoint")
    cursors = cursors_of(stores.directory)  # before the chronicle: one ahead of it would leave events out
    await checkpoint_stores(stores, path)
    write_cursors(path, cursors)
    CrawlDirectory(stores.directory).copy_papers(path)
    return str(path)


LOOKING = frozenset(  # change nothing
    (
        *("status", "overdue", "explain_all", "keys", "busiest", "hosts", "host", "lessons", "near", "names", "standings"),
        *("pending", "waiting_of", "robots", "decides", "links", "settings", "lists", "workers"),
    )
)
CHANGED: dict[str, Operation] = {  # what an operator's word changes: asked before and after it, for the chronicle
    "set_policy": hosts.policy_before,
    "unblock": hosts.block_before,
    "drop": hosts.waiting_before,
    "remove": urls.standing_before,
    "rule": lessons.ruling_before,
    "seed": seeding.seeds_before,
    "change_settings": settings.settings_before,
    "change_list": lists.list_before,
    "pause": steering.paused_before,
    "resume": steering.paused_before,
    "stop": steering.paused_before,
}
OPERATIONS: dict[str, Operation] = {  # functions of the stores
    "status": status,
    "overdue": urls.overdue,
    "pending": urls.pending,
    "waiting_of": urls.waiting_of,
    "explain_all": urls.explain_all,
    "keys": urls.keys,
    "busiest": hosts.busiest,
    "hosts": hosts.hosts,
    "host": hosts.host,
    "set_policy": hosts.set_policy,
    "unblock": hosts.unblock,
    "drop": hosts.drop,
    "remove": urls.remove,
    "seed": seeding.seed,
    "checkpoint": checkpoint,
    "lessons": lessons.lessons,
    "rule": lessons.rule,
    "robots": robots.robots,
    "decides": robots.decides,
    "near": urls.near,
    "names": urls.names,
    "standings": urls.standings,
    "links": links.links,
    "lists": lists.lists,
    "change_list": lists.change_list,
}
STEERING: dict[str, Operation] = {  # functions of the stores and of the crawl that runs, None: it does not
    "pause": steering.pause,
    "resume": steering.resume,
    "stop": steering.stop,
    "workers": steering.workers,
    "settings": settings.settings,
    "change_settings": settings.change_settings,
}


async def carry_out(stores: Stores, operation: str, arguments: dict[str, Any], who: str, running: Running | None = None) -> Any:
    """Do what is asked; what it changes is told by the chronicle, with who asked for it."""
    look = CHANGED.get(operation)
    if look is not None:
        asked = told(plain(arguments))  # some operations change what they are given
        before = await look(stores, **arguments)
    if operation in STEERING:
        answer = await STEERING[operation](stores, running, **arguments)
    else:
        answer = await OPERATIONS[operation](stores, **arguments)
    if look is not None:
        await tell_word(stores, who, operation, asked, before, await look(stores, **arguments))
    return answer


def told(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as the chronicle tells them: of a long list the first, and how many there are."""
    cut = {name: part[:MOST_TOLD] for name, part in arguments.items() if isinstance(part, list) and len(part) > MOST_TOLD}
    return arguments | cut | {f"{name}_count": len(arguments[name]) for name in cut}
