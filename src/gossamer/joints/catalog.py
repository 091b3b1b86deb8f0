"""The joint of catalogs: rows about pages, to list and search; what readers found on them; their captures, and where these are.

What has many rows is a walk that may be left at any time. A walk over captures can be taken up where it was left, by what it
gave last: `after`; one over items or problems by the number of what it gave last. Who shows pages to somebody asks for slices.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from gossamer.joints.shelving import Shelving
from gossamer.records.item import Harvest, KeptItem, KeptProblem
from gossamer.records.location import Location
from gossamer.records.page import Page, Totals
from gossamer.records.pagequery import EVERY_PAGE, PageQuery, PageSlice
from gossamer.records.versions import Version


@runtime_checkable
class Captures(Protocol):
    """What was kept of pages: a capture stays until it is taken out of the archive, wherever that keeps it."""

    async def versions(self, key: str) -> list[Version]:
        """Return every kept capture of a page, newest first."""

    def excess(self, keep: int, after: Version | None = None) -> AsyncIterator[Version]:
        """Walk over captures beyond the newest `keep` of each page (answers without content count apart); never its place.

        In the order of keys, a page's own oldest first.
        """


@runtime_checkable
class ArchiveFiles(Protocol):
    """Where captures are: in which file of the archive, and where that moved."""

    async def uses(self, file: str) -> bool:
        """Tell whether any capture is in a file of the archive."""

    async def move(self, file: str, target: str, offsets: Mapping[int, int], gone: Collection[int] = ()) -> None:
        """Let what was in one file be in another, by old and new offsets; captures at offsets that are `gone` are forgotten.

        In one transaction, durable at once. A capture that is neither moved nor gone is refused, and so is to forget the
        place of a page.
        """


@runtime_checkable
class Harvests(Protocol):
    """What readers found on pages as they are now (docs/decisions/0041). Numbers grow, and none is given twice."""

    def items(
        self, query: PageQuery = EVERY_PAGE, *, key: str = "", reader: str = "", limit: int | None = None, after: int = 0
    ) -> AsyncIterator[KeptItem]:
        """Walk over items by number, beginning behind `after`: of one page, of one reader, of pages that match the query.

        Its words and its order do not count.
        """

    def problems(self, *, key: str = "", limit: int | None = None, after: int = 0) -> AsyncIterator[KeptProblem]:
        """Walk over what went wrong in readers by number, beginning behind `after`."""


@runtime_checkable
class Catalog(Captures, ArchiveFiles, Harvests, Protocol):
    """Rows about pages, to list and search. The key of a page is a URL of its host."""

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> Self:
        """Open the catalog of a crawl, or make it; others may read it meanwhile. `durable`: rows outlive a power loss.

        Without `writing` nothing is changed, and whoever writes is not held up, however long it stays open.
        """

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a catalog at a location, without making one."""

    async def add(
        self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = (), harvests: Mapping[str, Harvest] = {}
    ) -> None:
        """Insert or replace, by key, in one transaction; copies of one that no longer counts, if not exact, are its heir's.

        A row is never replaced by one of an older lease (`Page.token`): whoever lost its lease has nothing to say any more.
        `harvests`, by key, replace what readers found on these pages before; a page without one keeps what it has. One that
        is an exact copy of its heir now has nothing of readers that found something on that.
        """

    async def get(self, key: str) -> Page | None: ...

    async def get_by_id(self, name: int) -> Page | None:
        """Return the page whose key has that fingerprint (`url/fingerprint.py`); of two that share it, one."""

    async def page_list(self, query: PageQuery, limit: int, cursor: str = "") -> PageSlice:
        """Return at most so many pages that match a query, in its order, and the cursor of what follows.

        In milliseconds, however many pages there are: a catalog that would have to look at too many returns fewer pages, or
        none, with a cursor that goes on. A cursor goes on behind what its slice looked at, as that was then: pages that are
        added in between make no other page come twice or not at all; one that is fetched again is the newest, which counts for
        `Order.NEW`. A cursor that is none, or of another query, is refused with a `CursorError`.
        """

    def pages(self, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> AsyncIterator[Page]:
        """Walk over all pages that match a query, in its order, as they were when the walk began.

        Of one time they come in any order, but always in the same.
        """

    def columns(
        self, fields: Sequence[str], at_once: int, query: PageQuery = EVERY_PAGE, limit: int | None = None
    ) -> AsyncIterator[list[list[Any]]]:
        """Walk over some fields of pages, so many pages at a time: for each field its values, in the order of the pages.

        `fields` are those of a `Page`, or of its place (`place.file`). Who wants some fields of very many pages asks for these.
        """

    async def copies(self, url: str, limit: int) -> list[str]:
        """Return the URLs of pages that are copies of this one, exact ones and near ones."""

    async def counts(self) -> dict[str, int]:
        """Return pages by outcome."""

    async def totals(self) -> Totals:
        """Return how many pages were kept, the bytes of all bodies, and how many bodies and links were cut."""

    async def unindexed(self, limit: int) -> list[Page]:
        """Return kept pages whose text, as it is now, is not indexed."""

    async def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        """Index the text of pages; a page that has changed meanwhile stays unindexed."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy, to be opened like the original."""

    async def aclose(self) -> None: ...
