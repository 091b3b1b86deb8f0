"""URLs: explained, removed, those that wait, and how many are overdue."""

from secrets import randbits
from typing import Any

from gossamer.assemble import Stores
from gossamer.errors import UsageError
from gossamer.jobs.explain import explain, keys_of, pages_of
from gossamer.jobs.operations.cursors import limited
from gossamer.jobs.plain import plain
from gossamer.joints.slices import Slices
from gossamer.records.entry import Priority
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import State

SAMPLE = 5_000  # URLs that an estimate is made from
AT_ONCE = 100  # URLs explained by one question
NAMED_AT_ONCE = 2_000  # fingerprints, likewise


async def overdue(stores: Stores, seconds: float) -> int:
    """Estimate how many URLs of the high class were found longer ago than this and never fetched.

    From a sample in which each known URL is as likely as any other; exact where there are no more URLs than that.
    """
    now = stores.clock.now()
    sample = await stores.frontier.sample(SAMPLE, randbits(32))
    waiting = [known for known in sample if known.state in (State.WAITING, State.LEASED) and not known.again]
    late = [known for known in waiting if known.entry.priority is Priority.HIGH and now - known.discovered_at > seconds]
    statistics = await stores.frontier.statistics()
    everything = sum(getattr(statistics, state) for state in State)
    return round(len(late) * everything / len(sample)) if sample else 0


async def pending(stores: Stores) -> dict[str, Any]:
    """Count what waits, by class; what waits for a date is `later`."""
    counts, statistics = await stores.frontier.pending(), await stores.frontier.statistics()
    by_priority = plain(counts)
    later = by_priority.pop("later")
    return {
        "waiting": statistics.waiting,
        "leased": statistics.leased,
        "hosts": statistics.hosts,
        "by_priority": by_priority,
        "later": later,
        "as_of": stores.clock.now(),
    }


async def waiting_of(stores: Stores, host: str, limit: int = 50) -> list[dict[str, Any]]:
    """Return the next URLs of a host's queue, in the order they would be leased."""
    return [waiting(known) for known in await stores.frontier.waiting_of(host, limited(limit))]


def waiting(known: KnownUrl) -> dict[str, Any]:
    """Return a URL that waits."""
    return {
        "url": known.entry.url,
        "key": known.entry.key,
        "priority": known.priority.name.lower(),
        "score": known.score,
        "credit": known.credit,
        "due": known.due,
        "again": known.again,
        "attempts": known.attempts,
        "depth": known.entry.depth,
        "kind": known.entry.kind.value,
        "via": known.entry.via,
        "discovered_at": known.discovered_at,
    }


async def explain_all(stores: Stores, urls: list[str]) -> list[dict[str, Any]]:
    """Explain several URLs."""
    if len(urls) > AT_ONCE:
        raise UsageError(f"{AT_ONCE} URLs are explained at once, not {len(urls)}; ask several times")
    slices, told = Slices(), []
    for url in urls:
        told.append(await explain(stores, url))
        await slices.turn()
    return told


async def keys(stores: Stores, url: str) -> list[str]:
    """Return the keys that a URL may be known by."""
    return await keys_of(stores, url)


async def remove(stores: Stores, url: str) -> bool:
    """Take a URL out of the frontier for good."""
    for key in await keys_of(stores, url):
        if await stores.frontier.remove(key):
            return True
    return False


async def standing_before(stores: Stores, url: str) -> str | None:
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


async def standings(stores: Stores, fingerprints: list[int]) -> list[dict[str, Any] | None]:
    """Return URL, state and outcome of the URLs whose keys have these fingerprints; None where no known URL has."""
    if len(fingerprints) > NAMED_AT_ONCE:
        raise UsageError(f"{NAMED_AT_ONCE:,} fingerprints are asked for at once, not {len(fingerprints):,}; ask several times")
    slices, told = Slices(), list[dict[str, Any] | None]()
    for start in range(0, len(fingerprints), AT_ONCE):
        told += map(_standing, await stores.frontier.known_by(fingerprints[start : start + AT_ONCE]))
        await slices.turn()
    return told


def _standing(known: KnownUrl | None) -> dict[str, Any] | None:
    if known is None:
        return None
    outcome = known.outcome.value if known.outcome is not None else None
    return {"url": known.entry.url, "key": known.entry.key, "state": known.state.value, "outcome": outcome}
