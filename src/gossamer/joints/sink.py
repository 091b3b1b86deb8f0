"""The joint of sinks: who is told of events, and says when it has them."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from gossamer.config.sections import Fetch
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri


@runtime_checkable
class Sink(Protocol):
    """A consumer of events: it connects when it is told something, and again after a failure."""

    def __init__(self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str]) -> None:
        """Take where it is, its secret, the settings `[fetch]`, who resolves names, and who says why an address is refused.

        Nothing is connected; a URI that can never work raises ConfigError.
        """

    async def send(self, events: Sequence[Event]) -> None:
        """Hand events over, those of a host in their order; return when the consumer has acknowledged all of them.

        Raises SinkError when it has not: some may have arrived, and all are sent again. Gives up by itself in seconds.
        """

    async def aclose(self) -> None:
        """Close what is connected."""
