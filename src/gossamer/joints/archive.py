"""The joint of archives: exact bytes, for good; and the upkeep of what was written.

An archive is made of files, whatever these are to it: a `Place` names one. A file that is closed never changes; whoever takes
records out of it writes another one under another name. Every method may be called on an archive that somebody else writes,
but for those that take files away (`Pruning`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import Protocol, Self, runtime_checkable

from gossamer.config.sections import Storage
from gossamer.joints.shelving import Shelving
from gossamer.records.export import PackedRecord
from gossamer.records.fetch import Fetched
from gossamer.records.location import Location
from gossamer.records.page import Original, Place
from gossamer.records.upkeep import Reference, Rewritten


@runtime_checkable
class Pruning(Protocol):
    """Takes records out of closed files; nobody may be writing the archive.

    In the order that a crash cannot hurt: `rewrite` makes the new file durable, then the catalog moves, then `drop` removes the
    old one. `finish` clears away what was left half done.
    """

    def files(self) -> AsyncIterator[tuple[str, int]]:
        """Walk over the closed files: name and size."""

    async def identity(self, place: Place) -> tuple[str, str]:
        """Return URL and date of the capture at a place: what a revisit calls it by."""

    def references(self, file: str, wanted: Collection[tuple[str, str]]) -> AsyncIterator[Reference]:
        """Walk over the revisits in a file that refer to one of these captures."""

    async def weigh(self, file: str, without: Collection[int]) -> Rewritten:
        """Say what `rewrite` would come to; nothing is written."""

    async def rewrite(self, file: str, without: Collection[int], now: float) -> Rewritten:
        """Write a file anew without the records at these offsets and their requests; durable under its new name."""

    async def drop(self, file: str) -> None:
        """Remove a file."""

    async def finish(self, uses: Callable[[str], Awaitable[bool]]) -> None:
        """Clear away what an interrupted prune left; `uses` tells whether any capture is in a file."""


@runtime_checkable
class Archive(Pruning, Protocol):
    """Exact bytes, for good."""

    @classmethod
    async def open(
        cls, location: Location, settings: Storage, about: Mapping[str, str], now: Callable[[], float], worker: str
    ) -> Self:
        """Open an archive, or make it; nothing is repaired and nothing written before the first append.

        Several may write one archive at once, each under a `worker` name of its own; without a name nobody writes. `about`:
        who crawls, with which software; it is kept beside the records. `now` is asked when a file is begun.
        """

    async def append(self, fetched: Fetched, digest: str, original: Original | None) -> Place:
        """Write request and response (or a revisit of `original`, a 304 with its digest or none); return the latter's place."""

    async def flush(self) -> None:
        """Returned means: a kill -9 keeps every record appended so far."""

    async def read(self, place: Place) -> Fetched:
        """Read a response back, as it was fetched; the body is the caller's to close."""

    async def packed(self, place: Place) -> PackedRecord:
        """Return the record at a place, with its request if it has one, as WARC 1.1; the content is the caller's to close."""

    async def repair(self, worker: str = "") -> None:
        """Repair what workers that are gone, or about to be, left behind: all of them, or one of that name."""

    async def merge(self) -> None:
        """Bring up to date what other tools find records by, for all files, open ones included."""

    def problems(self) -> AsyncIterator[tuple[str, str]]:
        """Check every file: its name with each problem, or once with an empty text when it is sound."""

    def captures(self) -> AsyncIterator[tuple[Fetched, str]]:
        """Walk over all that is kept, as it was fetched, each with the digest its record names; closes each body."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a copy of everything that was flushed; workers may go on writing."""

    async def aclose(self) -> None:
        """Close; what was appended and not flushed is flushed."""
