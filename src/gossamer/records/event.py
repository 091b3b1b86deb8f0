"""An event: one line of the chronicle as its readers see it."""

from typing import Any

from msgspec import Struct


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened in a crawl and is settled."""

    id: str  # node-block-line: never used twice, grows within a node, so that a consumer can drop repeats
    kind: str  # visit, word, begun, ended, gap
    at: float
    host: str = ""  # whom it is about; events of one host are in order
    said: dict[str, Any] = {}  # what the line says, in plain JSON values
