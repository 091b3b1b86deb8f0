"""Values as TOML writes them."""

import json


def toml(value: object) -> str:
    """Write a value so that TOML reads it back."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    # What JSON escapes TOML reads alike, but TOML wants DEL escaped, too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
