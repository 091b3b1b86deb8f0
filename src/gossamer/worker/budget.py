"""What a crawl may spend: pages, bytes, time. Exact for pages: never one more than allowed.

Pages and bytes are counted over all runs of a crawl, time over this run.
"""

from gossamer.config.sections import Crawl
from gossamer.records import Outcome

KEPT = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED})


class Budget:
    """Counts what was spent and says how much may still be begun."""

    def __init__(self, settings: Crawl, pages: int, received: int, now: float) -> None:
        self._settings = settings
        self.pages = pages
        self.received = received
        self._until = now + settings.max_seconds if settings.max_seconds else None

    def begin_anew(self) -> None:
        """Count from here on only: what is visited again was paid for once already."""
        self.pages = self.received = 0

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

    def spent(self, now: float) -> str:
        """Return what is used up, or an empty text."""
        limits = self._settings
        if limits.max_pages is not None and self.pages >= limits.max_pages:
            return f"{limits.max_pages} pages"
        if limits.max_bytes is not None and self.received >= limits.max_bytes:
            return f"{limits.max_bytes} bytes"
        if self._until is not None and now >= self._until:
            return f"{limits.max_seconds:g} seconds"
        return ""
