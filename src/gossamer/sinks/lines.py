"""Events as consumers get them: JSON, the same from every sink."""

from collections.abc import Iterable

import msgspec

from gossamer.records.event import Event

json_line = msgspec.json.Encoder().encode


def json_lines(events: Iterable[Event]) -> bytes:
    """Return events as JSON Lines."""
    return b"".join(json_line(event) + b"\n" for event in events)
