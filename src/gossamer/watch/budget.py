"""What a crawl may spend: pages, bytes, time. Exact for pages: never one more than allowed.

A limit of pages or bytes that was given when the crawl began counts over its runs until it is spent, so that an interrupted
crawl ends where it would have ended; whoever goes on after that may spend as much once more. A limit given for one run counts
for that run, and so does time.
"""

from collections.abc import Collection

from msgspec import Struct

from gossamer.config.sections import CrawlSettings
from gossamer.records.outcome import Outcome

KEPT = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED})


_LIMITS = ("max_pages", "max_bytes", "max_seconds")


class Limit(Struct, frozen=True):
    """A limit that is set: the setting by its dotted name, and how much of what it counts."""

    setting: str
    limit: float


class Budget:
    """Counts what was spent and says how much may still be begun."""

    def __init__(self, settings: CrawlSettings, pages: int, received: int, now: float) -> None:
        """Go on from the pages and bytes that a crawl has kept in earlier runs."""
        self._settings = settings
        self.pages = pages % settings.max_pages if settings.max_pages else pages
        self.received = received % settings.max_bytes if settings.max_bytes else received
        self._began = now
        self._until = now + settings.max_seconds if settings.max_seconds else None

    def adopt(self, settings: CrawlSettings) -> None:
        """Go by other limits from now on; what was spent is spent."""
        limits = {name: getattr(settings, name) for name in _LIMITS}
        self._settings = self._settings.model_copy(update=limits)
        self._until = self._began + settings.max_seconds if settings.max_seconds else None

    def limits(self) -> dict[str, int | float | None]:
        """Return the limits in force."""
        return {name: getattr(self._settings, name) for name in _LIMITS}

    def begin_anew(self, given: Collection[str]) -> None:
        """Count from here on only what the settings given for this run are about."""
        if "crawl.max_pages" in given:
            self.pages = 0
        if "crawl.max_bytes" in given:
            self.received = 0

    def allowance(self) -> list[Limit]:
        """Return what this run may spend, of everything that has a limit."""
        limits = self._settings
        left = (
            None if limits.max_pages is None else Limit("crawl.max_pages", limits.max_pages - self.pages),
            None if limits.max_bytes is None else Limit("crawl.max_bytes", limits.max_bytes - self.received),
            None if limits.max_seconds is None else Limit("crawl.max_seconds", limits.max_seconds),
        )
        return [limit for limit in left if limit is not None]

    def room(self, under_way: int) -> int:
        """Return how many visits may be under way beyond `under_way`: each could become a page."""
        free = self._settings.concurrency - under_way
        if self._settings.max_pages is not None:
            free = min(free, self._settings.max_pages - self.pages - under_way)
        return max(free, 0)

    def spend(self, pages: int, received: int) -> None:
        """Count pages that were kept, and bytes."""
        self.pages += pages
        self.received += received

    def left(self, now: float) -> tuple[int | None, float | None]:
        """Return how many pages and seconds are left; None: as many as it takes."""
        pages = None if self._settings.max_pages is None else max(self._settings.max_pages - self.pages, 0)
        return pages, None if self._until is None else max(self._until - now, 0.0)

    def spent(self, now: float) -> Limit | None:
        """Return the limit that is reached, if one is."""
        limits = self._settings
        if limits.max_pages is not None and self.pages >= limits.max_pages:
            return Limit("crawl.max_pages", limits.max_pages)
        if limits.max_bytes is not None and self.received >= limits.max_bytes:
            return Limit("crawl.max_bytes", limits.max_bytes)
        if self._until is not None and limits.max_seconds is not None and now >= self._until:
            return Limit("crawl.max_seconds", limits.max_seconds)
        return None
