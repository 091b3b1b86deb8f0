"""The joint of name resolution."""

from typing import Protocol, runtime_checkable

from msgspec import Struct


class Addresses(Struct, frozen=True):
    """The answer of a resolver: addresses, or why there are none."""

    addresses: tuple[str, ...] = ()
    error: str = ""
    final: bool = False  # the name does not exist: asking again is no use


@runtime_checkable
class Resolver(Protocol):
    """Names to addresses."""

    async def resolve(self, host: str, now: float) -> Addresses:
        """Return the addresses of a host, or none and why. IP literals resolve to themselves."""

    async def aclose(self) -> None: ...
