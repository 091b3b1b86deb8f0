"""Tables of Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a cell may hold anything but several lines."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def code(text: object) -> str:
    """Return a text as code; nothing, if it is empty."""
    return f"`{text}`" if str(text) else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
