"""What can be asked of a crawl or done to it, running or not: one function a word, the table at the end.

Arguments and answers are plain JSON values, so that they can be asked over a socket.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.assemble import Stores, checkpoint_stores
from gossamer.compiled import compiled_and_pure
from gossamer.config.choice import remedy
from gossamer.config.sections import Traps
from gossamer.errors import CrawlError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.explain import explain, keys_of, pages_of
from gossamer.jobs.plain import plain
from gossamer.jobs.relay.cursor import cursors_of, sink_states, write_cursors
from gossamer.jobs.words import tell_word
from gossamer.joints.walks import batches, first
from gossamer.policy import growth, habit, parameters, soft404, templates, views
from gossamer.records.entry import Priority
from gossamer.records.evidence import Growth, Habit, Parameter, Probe, Ruling, TemplateTally, View
from gossamer.records.host import HostPolicy, HostStatus
from gossamer.records.outcome import State

Operation = Callable[..., Awaitable[Any]]
SAMPLE = 5_000  # URLs looked at in one go: a running crawl waits meanwhile


async def status(stores: Stores, running: bool = False) -> dict[str, Any]:
    """Return the crawl in numbers."""
    totals = await stores.catalog.totals()
    return {
        "directory": str(stores.directory),
        "state": "running" if running else await state_of(stores),
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


async def state_of(stores: Stores) -> str:
    """Say whether a crawl that does not run has something left to do."""
    frontier = await stores.frontier.statistics()
    return "stopped" if frontier.waiting + frontier.leased else "finished"


async def overdue(stores: Stores, seconds: float) -> int:
    """Estimate how many URLs of the high class were found longer ago than this and never fetched.

    URLs are known in the order of their fingerprints, so that the first of them are as good a sample as any.
    """
    now = stores.clock.now()
    sample = await first(stores.frontier.known(), SAMPLE)
    waiting = [known for known in sample if known.state in (State.WAITING, State.LEASED) and not known.again]
    late = [known for known in waiting if known.entry.priority is Priority.HIGH and now - known.discovered_at > seconds]
    statistics = await stores.frontier.statistics()
    everything = sum(getattr(statistics, state) for state in State)
    return round(len(late) * everything / len(sample)) if sample else 0


async def explain_all(stores: Stores, urls: list[str]) -> list[dict[str, Any]]:
    """Explain several URLs."""
    return [await explain(stores, url) for url in urls]


async def keys(stores: Stores, url: str) -> list[str]:
    """Return the keys that a URL may be known by."""
    return await keys_of(stores, url)


async def hosts(stores: Stores, limit: int = 50) -> list[dict[str, Any]]:
    """Return the hosts with most waiting URLs."""
    best: list[HostStatus] = []
    async for some in batches(stores.frontier.hosts(), SAMPLE):
        best = sorted([*best, *some], key=lambda host: (-host.waiting, host.host))[:limit]
    return [plain(host) for host in best]


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
    await stores.frontier.block(name, 0.0, None)
    return await host(stores, name)


async def drop(stores: Stores, name: str) -> int:
    """Remove every waiting URL of a host."""
    return await stores.frontier.drop(name)


async def remove(stores: Stores, url: str) -> bool:
    """Take a URL out of the frontier for good."""
    for key in await keys_of(stores, url):
        if await stores.frontier.remove(key):
            return True
    return False


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


def _priority(name: str) -> Priority:
    try:
        return Priority[name.upper()]
    except KeyError:
        raise UsageError(f"there is no priority {name!r}; {remedy(name, [one.name.lower() for one in Priority])}") from None


async def lessons(stores: Stores, name: str = "") -> list[dict[str, Any]]:
    """Return what was learned about one host or all."""
    rows = await stores.lessons.everything(name)
    settings = stores.settings.traps
    return [
        {"host": host, "kind": KINDS[kind], "name": title, **plain(record), **_effect(title, record, settings)}
        for host, kind, title, record in rows
    ]


def _effect(title: str, record: Any, settings: Traps) -> dict[str, Any]:
    match record:
        case TemplateTally():
            return {"one_in": templates.one_in(title, record, settings)}
        case Parameter():
            return {"cosmetic": parameters.is_cosmetic(record, settings)}
        case View():
            return {"last": views.is_view(title, record, settings.view_evidence)}
        case Probe():
            return {"soft": soft404.is_soft(record)}
        case Growth():
            return {"sinks": growth.is_held(record)}
        case Habit():
            return {"in_force": habit.is_in_force(record), "examples": list(habit.examples(record))}
        case _:
            return {}


async def rule(stores: Stores, host: str, kind: str, name: str, ruling: str) -> bool:
    """Put a word above the evidence: allow, block, or nothing."""
    letter = next(letter for letter, word in KINDS.items() if word == kind)
    return await stores.lessons.rule(host, letter, name, Ruling(ruling))


async def _ruling(stores: Stores, host: str, kind: str, name: str, ruling: str) -> str | None:
    """Return the word that stands above some evidence."""
    rows = await stores.lessons.everything(host)
    found = [record.ruling for _, letter, title, record in rows if KINDS[letter] == kind and title == name]
    return str(found[0]) if found else None


async def _policy(stores: Stores, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    known = await stores.frontier.host(name)
    return {} if known is None else {key: part for key, part in plain(known.policy).items() if key in changes}


async def _block(stores: Stores, name: str) -> float | None:
    known = await stores.frontier.host(name)
    return None if known is None else known.clock.blocked_until


async def _waiting(stores: Stores, name: str) -> int:
    known = await stores.frontier.host(name)
    return 0 if known is None else known.waiting


async def _standing(stores: Stores, url: str) -> str | None:
    """Return the state that a URL is in."""
    found = [await stores.frontier.lookup(key) for key in await keys_of(stores, url)]
    return next((known.state.value for known in found if known is not None), None)


async def near(stores: Stores, url: str) -> list[dict[str, Any]]:
    """Return the pages whose text is nearly that of one page, nearest first."""
    pages = await pages_of(stores, url)
    if not pages:
        raise UsageError(f"{url} is no page of this crawl; `gossamer pages` lists them")
    page = pages[0]
    if page.simhash is None:
        raise UsageError(f"{url} has no text to compare")
    cluster = await stores.near.cluster(page.simhash)
    found = [(await stores.catalog.get(like.key), bits) for like, bits in cluster]
    return [{"distance": bits, **plain(other)} for other, bits in found if other is not None]


async def names(stores: Stores, fingerprints: list[int]) -> list[str]:
    """Return the URLs whose keys have these fingerprints, an empty text where no known URL has."""
    return await stores.frontier.names(fingerprints)


KINDS = {  # of what is learned
    "t": "template",
    "p": "parameter",
    "s": "probe",
    "g": "growth",
    "w": "words",
    "v": "view",
    "h": "habit",
}
LOOKING = frozenset(("status", "overdue", "explain_all", "keys", "hosts", "host", "lessons", "near", "names"))  # change nothing
CHANGED: dict[str, Operation] = {  # what an operator's word changes: asked before and after it, for the chronicle
    "set_policy": _policy,
    "unblock": _block,
    "drop": _waiting,
    "remove": _standing,
    "rule": _ruling,
}
OPERATIONS: dict[str, Operation] = {
    "status": status,
    "overdue": overdue,
    "explain_all": explain_all,
    "keys": keys,
    "hosts": hosts,
    "host": host,
    "set_policy": set_policy,
    "unblock": unblock,
    "drop": drop,
    "remove": remove,
    "checkpoint": checkpoint,
    "lessons": lessons,
    "rule": rule,
    "near": near,
    "names": names,
}


async def carry_out(stores: Stores, operation: str, arguments: dict[str, Any], who: str) -> Any:
    """Do what is asked; what it changes is told by the chronicle, with who asked for it."""
    do, look = OPERATIONS[operation], CHANGED.get(operation)
    if look is None:
        return await do(stores, **arguments)
    asked = plain(arguments)  # some operations change what they are given
    before = await look(stores, **arguments)
    answer = await do(stores, **arguments)
    await tell_word(stores, who, operation, asked, before, await look(stores, **arguments))
    return answer
