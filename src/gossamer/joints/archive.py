"""The joint of archives: exact bytes, for good."""

from typing import Protocol, runtime_checkable

from gossamer.records.fetch import Fetched
from gossamer.records.page import Original, Place


@runtime_checkable
class Archive(Protocol):
    """Exact bytes, for good."""

    async def append(self, fetched: Fetched, digest: str, original: Original | None) -> Place:
        """Write request and response (or a revisit of `original`, a 304 with its digest or none); return the latter's place."""

    async def flush(self) -> None:
        """Returned means: a kill -9 keeps every record appended so far."""

    async def read(self, place: Place) -> Fetched:
        """Read a response back, as it was fetched; the body is the caller's to close."""

    async def aclose(self) -> None: ...
