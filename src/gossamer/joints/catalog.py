"""The joint of catalogs: rows about pages, to list and search."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from gossamer.records.page import Page, Totals
from gossamer.records.versions import Version


@runtime_checkable
class Catalog(Protocol):
    """Rows about pages, to list and search. The key of a page is a URL of its host."""

    async def add(self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = ()) -> None:
        """Insert or replace, by key, in one transaction; copies of one that no longer counts, if not exact, are its heir's."""

    async def get(self, key: str) -> Page | None: ...

    def pages(
        self,
        *,
        words: str = "",
        host: str = "",
        status: int | None = None,
        outcome: str = "",
        mime: str = "",
        rule: str = "",
        since: float | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> Iterator[Page]:
        """Walk over pages that match everything given, newest first (best match first when words are given)."""

    def copies(self, url: str, limit: int) -> list[str]:
        """Return the URLs of pages that are copies of this one, exact ones and near ones."""

    def counts(self) -> dict[str, int]:
        """Return pages by outcome."""

    def totals(self) -> Totals:
        """Return how many pages were kept, the bytes of all bodies, and how many bodies and links were cut."""

    def versions(self, key: str) -> list[Version]:
        """Return every kept capture of a page, newest first."""

    def excess(self, keep: int) -> Iterator[Version]:
        """Walk over captures beyond the newest `keep` of each page (answers without content count apart); never its place."""

    def uses(self, file: str) -> bool:
        """Tell whether any capture is in a file of the archive."""

    async def move(self, file: str, target: str, offsets: Mapping[int, int]) -> None:
        """Let what was in one file be in another, by old and new offsets, and forget captures that are not; durable at once."""

    def unindexed(self, limit: int) -> list[Page]:
        """Return kept pages whose text, as it is now, is not indexed."""

    def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        """Index the text of pages; a page that has changed meanwhile stays unindexed."""

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy, to be opened like the original."""

    async def aclose(self) -> None: ...
