"""Who has some content, or nearly its text, and counts: both questions of a visit, asked of the stores in one go."""

from gossamer.joints.sameness import Deduper, NearDuplicates
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original
from gossamer.records.visit import Earlier


class StoredClaims:
    """Claims on content and text (`joints.sameness.Claims`)."""

    def __init__(self, deduper: Deduper, near: NearDuplicates) -> None:
        self._deduper = deduper
        self._near = near

    async def claim(self, page: Original, digest: str, likeness: Likeness | None) -> Earlier:
        """Claim content, if a digest is given, and a text, if one is and the content is its own; say who counts."""
        first = await self._deduper.claim(digest, page) if digest else None
        twin = await self._near.claim(likeness, page) if likeness is not None and first is None else None
        return first, twin

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content."""
        return await self._deduper.owner(digest)

    def release(self, page: Original, digest: str, likeness: Likeness | None) -> None:
        """Give back what was claimed for a page that was not kept."""
        if digest:
            self._deduper.release(digest, page)
        if likeness is not None:
            self._near.release(likeness, page)
