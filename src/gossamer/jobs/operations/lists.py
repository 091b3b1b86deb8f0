"""The lists a crawl was told: patterns of URLs to allow or to block, changed while it runs; they count within a second.

Beside them an operator may keep lists in files of their own (`scope.allow_file`, `scope.block_file`): those are never written.
What waits already stays where it is: a list is about what is found from now on.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from gossamer.assemble import Stores
from gossamer.config.choice import remedy
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.run.lists import OWN

LONGEST = 2_000  # characters of a pattern


async def lists(stores: Stores, kind: str) -> dict[str, Any]:
    """Return the patterns of a list, and the file of the operator's own that counts beside it."""
    _check(kind)
    lines = await asyncio.to_thread(CrawlDirectory(stores.directory).list_lines, kind)
    scope = stores.settings.scope
    return {
        "kind": kind,
        "patterns": [line for line in lines if line and not line.startswith("#")],
        "file": scope.allow_file if kind == "allow" else scope.block_file,
    }


async def change_list(stores: Stores, kind: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> dict[str, Any]:
    """Add patterns to a list and take others out, durably; all of it or nothing, should one be no pattern."""
    _check(kind)
    for pattern in add:
        if not isinstance(pattern, str) or len(pattern) > LONGEST:
            raise UsageError(f"a pattern is a text of at most {LONGEST:,} characters")
    await asyncio.to_thread(CrawlDirectory(stores.directory).change_list, kind, add, remove)
    return await lists(stores, kind)


async def list_before(stores: Stores, kind: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> list[str]:
    """Return which of some patterns stand in a list."""
    patterns = (await lists(stores, kind))["patterns"]
    return [pattern for pattern in (*add, *remove) if pattern in patterns]


def _check(kind: str) -> None:
    if kind not in OWN:
        raise UsageError(f"there is no list {kind!r}; {remedy(kind, list(OWN))}")
