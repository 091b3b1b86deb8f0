"""A running crawl, steered: paused, resumed, stopped; and how its workers stand.

A pause is a row of the crawl's state, written before it counts: a crawl that was paused stays so, whoever runs it next and
however the last run ended, until somebody resumes it.
"""

from typing import Any

import msgspec

from gossamer.assemble import Crawl, Stores
from gossamer.errors import NotRunning
from gossamer.jobs.plain import plain
from gossamer.joints.keyvalue import RUN

Running = Crawl  # what an operation gets of a crawl that runs; None: it does not
_PAUSED = b"paused"


async def is_paused(stores: Stores) -> bool:
    """Tell whether an operator has paused the crawl."""
    return bool(await stores.kv.at(RUN).get(_PAUSED))


async def pause(stores: Stores, running: Running | None) -> dict[str, Any]:
    """Begin no new visit until `resume`; visits under way are finished."""
    if not await is_paused(stores):
        await stores.kv.at(RUN).put(_PAUSED, msgspec.json.encode({"at": stores.clock.now()}))
    if running is not None:
        running.pool.pause()
    return await _standing(stores, running)


async def resume(stores: Stores, running: Running | None) -> dict[str, Any]:
    """Begin visits again; a crawl that does not run will when it does."""
    await stores.kv.at(RUN).put(_PAUSED, b"")
    if running is not None:
        running.pool.resume()
    return await _standing(stores, running)


async def stop(stores: Stores, running: Running | None) -> dict[str, Any]:
    """End the run as Ctrl-C does: visits under way are finished first. It can be resumed."""
    if running is None:
        raise NotRunning(f"no process runs {stores.directory}, so there is nothing to stop")
    running.pool.stop("asked to stop by an operator; visits under way are finished first")
    return await _standing(stores, running)


async def workers(stores: Stores, running: Running | None) -> list[dict[str, Any]]:
    """Return how each worker stands; none of a crawl that does not run."""
    return [] if running is None else [plain(each) for each in running.pool.workers()]


async def paused_before(stores: Stores) -> bool:
    """Return what a pause changes."""
    return await is_paused(stores)


async def _standing(stores: Stores, running: Running | None) -> dict[str, Any]:
    return {
        "paused": await is_paused(stores),
        "running": running is not None,
        "stopping": running is not None and running.pool.is_stopping,
        "under_way": 0 if running is None else running.pool.under_way,
    }
