"""Records as plain values with names, whatever their compact form in a store is: what `--json` prints and a socket carries.

Nothing in them is told by its position: a record is an object, and so is a pair.
"""

from enum import Enum
from typing import Any

from msgspec import Struct, structs

PAIRS = {  # fields that hold pairs, and what their halves are called
    "headers": ("name", "value"),
    "examples": ("url", "same_as"),
    "counter": ("url", "unlike"),
    "shown": ("page", "url"),
}


def plain(value: Any) -> Any:
    """Return dictionaries, lists, texts and numbers for records, at any depth."""
    if isinstance(value, Struct):
        return {name: _part(name, part) for name, part in structs.asdict(value).items()}
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, int) else value.value
    if isinstance(value, dict):
        return {plain(key): _part(key, part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _part(name: object, part: Any) -> Any:
    halves = PAIRS.get(name) if isinstance(name, str) else None
    if halves is not None and isinstance(part, tuple):
        return [dict(zip(halves, pair, strict=True)) if isinstance(pair, tuple) else plain(pair) for pair in part]
    return plain(part)
