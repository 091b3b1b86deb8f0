"""Records as plain values with names, whatever their compact form in a store is: what `--json` prints and a socket carries.

Nothing in them is told by its position: a record is an object, and so is a pair. A reason is three fields beside the others:
`rule`, `reason` (what the rule says, in words) and `facts`; for a host's block, `block_rule`, `block_reason` and `block_facts`.
"""

from enum import Enum
from typing import Any

from msgspec import Struct, structs

from gossamer.records.reason import Reason

REASONS = frozenset({"reason", "block_reason"})
PAIRS = {  # fields that hold pairs, and what their halves are called
    "headers": ("name", "value"),
    "examples": ("url", "same_as"),
    "counter": ("url", "unlike"),
    "shown": ("page", "url"),
}


def plain(value: Any) -> Any:
    """Return dictionaries, lists, texts and numbers for records, at any depth."""
    if isinstance(value, Struct):
        return {name: part for field, whole in structs.asdict(value).items() for name, part in _fields(field, whole).items()}
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, int) else value.value
    if isinstance(value, dict):
        return {plain(key): _part(key, part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def reason_parts(reason: Reason | None, prefix: str = "") -> dict[str, Any]:
    """Return the three fields of a reason; those of none are empty."""
    parts = ("", "", {}) if reason is None else (reason.rule, reason.text, reason.facts)
    return dict(zip((f"{prefix}rule", f"{prefix}reason", f"{prefix}facts"), parts, strict=True))


def _fields(name: str, part: Any) -> dict[str, Any]:
    if name == "recent":  # a hundred requests as bits, newest first: more than a number has that travels
        return {name: f"{part:b}"[::-1] if part else ""}
    if isinstance(part, Reason) or (part is None and name in REASONS):
        return reason_parts(part, name.removesuffix("reason"))
    return {name: _part(name, part)}


def _part(name: object, part: Any) -> Any:
    halves = PAIRS.get(name) if isinstance(name, str) else None
    if halves is not None and isinstance(part, tuple):
        return [dict(zip(halves, pair, strict=True)) if isinstance(pair, tuple) else plain(pair) for pair in part]
    return plain(part)
