"""A chronicle's reader in memory: what a forwarder needs of one."""

from gossamer.records.event import Event


class MemoryTelling:
    """Tells what is put into it; `first` is the oldest that is kept."""

    def __init__(self, events: list[Event] | None = None) -> None:
        self.events = list(events or [])
        self.first = 0
        self.asked = 0
        self.readers: dict[str, str] = {}

    def _start(self, position: str) -> int:
        return next((place for place, event in enumerate(self.events, 1) if event.id == position), 0)

    async def after(self, position: str, limit: int) -> list[Event]:
        self.asked += 1
        start = self._start(position)
        if start < self.first:
            missing = self.first - start
            gap = Event(id=self.events[self.first - 1].id, kind="gap", at=0.0, said={"missing": missing})
            return [gap, *self.events[self.first : self.first + limit - 1]]
        return self.events[start : start + limit]

    async def head(self) -> str:
        return self.events[-1].id if self.events else ""

    async def lag(self, position: str) -> int:
        return len(self.events) - self._start(position)

    async def keep_from(self, reader: str, position: str) -> None:
        self.readers[reader] = position
