"""What a name server said of one name, with how long it is good for; and where such answers come from."""

from typing import Protocol

from msgspec import Struct


class DnsAnswer(Struct, frozen=True):
    """Addresses and their time to live, or why there are none."""

    addresses: tuple[str, ...] = ()
    ttl: float = 0.0
    error: str = ""
    final: bool = False  # the name does not exist: asking again is no use


class Source(Protocol):
    """Asks for one name each time it is called; what is worth remembering is the cache's business."""

    async def lookup(self, host: str) -> DnsAnswer:
        """Ask for the addresses of a name. A failure is an answer too."""
        ...

    async def aclose(self) -> None: ...
