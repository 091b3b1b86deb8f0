"""Records as plain values with names, whatever their compact form in a store is."""

from enum import Enum
from typing import Any

from msgspec import Struct, structs


def plain(value: Any) -> Any:
    """Return dictionaries, lists, texts and numbers for records, at any depth."""
    if isinstance(value, Struct):
        return {name: plain(part) for name, part in structs.asdict(value).items()}
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, int) else value.value
    if isinstance(value, dict):
        return {plain(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value
