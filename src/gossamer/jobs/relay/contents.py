"""What a sink is told of a page beside the line of the chronicle: its row of the catalog, and its content on request.

The row is the page as it is now: where it was visited again since, `fetched_at` is later than the event, and the event of that
visit follows. Content is read from the archive, of the capture that the visit brought; of one that is a copy of another page
nothing is read, and the row says whose copy it is. Long content is cut, because brokers refuse long messages for ever.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from gossamer.assemble import make_processors, open_archive, open_catalog
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import GossamerError
from gossamer.jobs.plain import plain
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.documents import Processor
from gossamer.readers.document import document_of
from gossamer.records.event import Event
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Place

LONGEST_PART = 400_000  # bytes of JSON: text and links together stay below the million that brokers take
LONGEST_BODY = 1024 * 1024  # bytes, on the wire and decoded: what is longer is not read for a sink
VISIT = "visit"

_Part = TypeVar("_Part", str, list[Any])


class Contents:
    """Completes events of visits."""

    def __init__(self, directory: Path, settings: Settings, wanted: tuple[str, ...]) -> None:
        self._directory = directory
        self._settings = settings
        self._wanted = wanted
        self._stack = AsyncExitStack()
        self._catalog: Catalog | None = None  # opened with the first event: before that there may be none
        self._archive: Archive | None = None
        self._processors: dict[str, Processor] = {}

    async def complete(self, events: list[Event]) -> list[Event]:
        """Return events with the pages they are about."""
        return [await self._completed(event) if event.kind == VISIT else event for event in events]

    async def _completed(self, event: Event) -> Event:
        said = event.said
        page = await (await self._rows()).get(said.get("key") or said["url"])
        more: dict[str, Any] = {"page": plain(page)}
        if self._wanted and said.get("file"):
            more |= await self._content(Place(said["file"], said.get("offset", 0), said.get("length", 0)))
        return replace(event, said={**said, **more})

    async def _rows(self) -> Catalog:
        if self._catalog is None:
            self._catalog = await self._stack.enter_async_context(open_catalog(self._directory, self._settings))
        return self._catalog

    async def _content(self, place: Place) -> dict[str, Any]:
        """Return what was asked for of a capture; None: it has none, or too much of it."""
        if self._archive is None:
            opening = open_archive(self._directory, self._settings, SystemClock())
            self._archive = await self._stack.enter_async_context(opening)
            self._processors = make_processors(self._settings)
        try:
            fetched = await self._archive.read(place)
        except GossamerError:  # it was pruned since
            return dict.fromkeys(self._wanted)
        try:
            if fetched.outcome is not Outcome.OK or fetched.body.size > LONGEST_BODY:
                return dict.fromkeys(self._wanted)
            return await asyncio.to_thread(self._read, fetched)
        finally:
            fetched.body.close()

    def _read(self, fetched: Fetched) -> dict[str, Any]:
        document = document_of(fetched, LONGEST_BODY)
        processor = self._processors.get(document.mime)
        if processor is None or document.too_big:
            return dict.fromkeys(self._wanted)
        found: dict[str, Any] = {}
        if "text" in self._wanted:
            found["text"] = shortened(processor.text(document))
        if "links" in self._wanted:
            found["links"] = shortened([plain(link) for link in processor.process(document).links])
        return found

    async def aclose(self) -> None:
        """Close what was opened."""
        await self._stack.aclose()


def shortened(part: _Part) -> _Part:
    """Return the beginning of a text or a list that is short enough for a message."""
    while len(msgspec.json.encode(part)) > LONGEST_PART:
        part = part[: len(part) // 2]
    return part
