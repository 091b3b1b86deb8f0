"""No chronicle, where `chronicle.level` is off. Looks like a `joints.chronicle.Chronicle` and tells nothing."""

from collections.abc import AsyncIterator, Mapping, Sequence

from gossamer.joints.shelving import Shelving
from gossamer.records.event import Event
from gossamer.records.line import AuditedBlock, ChainHead, ChronicleLine, Unsettled
from gossamer.records.location import Location


class NoChronicle:
    """Takes lines and forgets them."""

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool, keep: float | None) -> "NoChronicle":
        """Open nothing."""
        return cls()

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell that there is none."""
        return False

    async def add(self, lines: Sequence[ChronicleLine], now: float, refused: Mapping[str, int]) -> int:
        """Forget a block."""
        return 0

    def settle(self, block: int, struck: Sequence[int] = ()) -> None:
        """Forget that a block is settled."""

    async def unsettled(self) -> list[Unsettled]:
        """Return nothing."""
        return []

    async def after(self, position: str, limit: int) -> list[Event]:
        """Tell nothing."""
        return []

    async def head(self) -> str:
        """Tell that there is nothing to tell."""
        return ""

    async def lag(self, position: str) -> int:
        """Nobody is behind nothing."""
        return 0

    async def keep_from(self, reader: str, position: str) -> None:
        """Keep nothing."""

    async def audit(self) -> AsyncIterator[AuditedBlock]:
        """Look at nothing."""
        nothing: tuple[AuditedBlock, ...] = ()
        for block in nothing:
            yield block

    async def chain_head(self) -> ChainHead | None:
        """Return nothing."""
        return None

    async def checkpoint(self, target: Shelving) -> None:
        """Copy nothing."""

    async def aclose(self) -> None:
        """Close nothing."""
