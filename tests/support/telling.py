"""A chronicle's reader in memory: what a forwarder needs of one."""

from gossamer.records.event import Event


class MemoryTelling:
    """Tells what is put into it."""

    def __init__(self, events: list[Event] | None = None) -> None:
        self.events = list(events or [])
        self.asked = 0
        self.readers: dict[str, str] = {}

    def _start(self, position: str) -> int:
        return next((place for place, event in enumerate(self.events, 1) if event.id == position), 0)

    async def after(self, position: str, limit: int) -> list[Event]:
        self.asked += 1
        start = self._start(position)
        return self.events[start : start + limit]

    async def head(self) -> str:
        return self.events[-1].id if self.events else ""

    async def lag(self, position: str) -> int:
        return len(self.events) - self._start(position)

    async def keep_from(self, reader: str, position: str) -> None:
        self.readers[reader] = position
