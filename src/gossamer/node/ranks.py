"""The ranks of keys as they were last computed, by the crawl or by `gossamer graph` before it."""

from gossamer.errors import StoreError
from gossamer.joints.graph import LinkGraph, RankTable
from gossamer.url.fingerprint import fingerprint


class LatestRanks:
    """Looks keys up in the newest table of ranks; a table that cannot be read is an error for whoever asks."""

    def __init__(self, graph: LinkGraph) -> None:
        self._graph = graph
        self._table: RankTable | StoreError = StoreError("the ranks were not read yet; read them first")

    async def renew(self) -> None:
        """Read the table again: there is a new one."""
        try:
            self._table = await self._graph.ranks()
        except StoreError as error:
            self._table = error

    def of(self, key: str) -> float:
        """Return the rank of a key: 1 is the average, 0 is not known."""
        if isinstance(self._table, StoreError):
            raise self._table
        return float(self._table.of([fingerprint(key)])[0])

    @property
    def pages(self) -> int:
        """Pages that had been read when a crawl last ranked them; 0: none has, or the table cannot be read."""
        return 0 if isinstance(self._table, StoreError) else self._table.pages
