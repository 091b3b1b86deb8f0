"""Tables of Markdown."""

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"(`[^`]*`)|[*<]")
_INSTEAD = {"*": "\\*", "<": "&lt;"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a cell may hold anything but several lines."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def code(text: object) -> str:
    """Return a text as code; nothing, if it is empty."""
    return f"`{text}`" if str(text) else ""


def _cell(text: str) -> str:
    """Escape what would be taken for something else; what is code is taken as it is, but for the sign between cells."""
    plain = _SPECIAL.sub(lambda match: match[1] or _INSTEAD[match[0]], text)
    return plain.replace("|", "\\|").replace("\n", " ")
