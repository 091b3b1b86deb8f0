"""The joints of sameness: exact content, near text, and the half that a worker needs."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gossamer.records.likeness import Likeness
from gossamer.records.page import Original
from gossamer.records.visit import Earlier, Succession


@runtime_checkable
class Claims(Protocol):
    """The worker's half of sameness: who has some content, or nearly its text, and counts."""

    async def claim(self, page: Original, digest: str, likeness: Likeness | None) -> Earlier:
        """Claim content for a page, if a digest is given, and a text, if one is and the content is its own; say who counts."""

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content."""

    def release(self, page: Original, digest: str, likeness: Likeness | None) -> None:
        """Give back what was claimed for a page that was not kept."""


@runtime_checkable
class Deduper(Protocol):
    """Exact sameness of content, by payload digest. Of pages with the same the canonical one counts, then the first."""

    async def claim(self, digest: str, page: Original) -> Original | None:
        """Claim the content for a page; return the page that has it and counts, None when this one does."""

    async def owner(self, digest: str) -> Original | None:
        """Return the page that has some content, None when nobody has it."""

    def release(self, digest: str, page: Original) -> None:
        """Give back a claim whose page was not kept."""

    async def successions(self, claims: Sequence[tuple[str, Original]]) -> list[Succession]:
        """Say who of those that are to be committed takes another's place, or has lost its own: the latter commits no claim."""

    async def commit(self, claims: Sequence[tuple[str, Original]]) -> None:
        """Make claims durable."""

    async def forget(self, captures: Sequence[tuple[str, str, float]]) -> None:
        """Drop claims whose capture is no longer kept: digest, key and date of each. A claim made later stays."""


@runtime_checkable
class NearDuplicates(Protocol):
    """Near sameness of text, by SimHash. The canonical one of a kind counts, then the first."""

    async def claim(self, likeness: Likeness, page: Original) -> tuple[Original, int] | None:
        """Return the page with nearly this text that counts, and the bits it differs by; None: this one does."""

    def release(self, likeness: Likeness, page: Original) -> None:
        """Give back a claim whose page was not kept."""

    async def successions(self, claims: Sequence[tuple[Likeness, Original]]) -> list[Succession]:
        """Say who of those that are to be committed takes another's place, or has lost its own: that is a near duplicate."""

    async def commit(
        self, claims: Sequence[tuple[Likeness, Original]], members: Sequence[tuple[Original, Original, int]] = ()
    ) -> None:
        """Make durable, in one step, claims and near duplicates: whose they are, they and what was near to them, the bits."""

    async def cluster(self, simhash: int) -> list[tuple[Original, int]]:
        """Return every page that has nearly this SimHash, with its distance, nearest first."""
