"""The joint at which finished visits become durable."""

from collections.abc import Sequence
from typing import Protocol

from gossamer.records.visit import Visit


class Commits(Protocol):
    """The one way in which finished visits become durable, when their bytes are."""

    async def commit(self, visits: Sequence[Visit]) -> bool:
        """Write digests, catalog, frontier, robots.txt, in this order; safe to repeat. False: some leases were lost."""
