"""How a table of URLs fits a terminal, a row a line: what matters least makes room for what matters most. Pure.

The last columns are a URL, which is to be read as a whole, and maybe a title, which gets what is left of each line. Where that
is too little, columns that can be spared are left out, in the order they are named. Only a URL that is too long for a line of
its own, beside what cannot be spared, is shortened: in its middle, because its ends say most.
"""

from collections.abc import Sequence
from statistics import median_low

from rich.cells import cell_len

GAP = 2  # between two columns
TITLE = 12  # cells that are worth leaving another column out
LEAST = 5  # cells that a title is shown in
ELLIPSIS = "…"


def laid_out(headings: Sequence[str], rows: Sequence[Sequence[str]], room: int, whole: str, spare: Sequence[str]) -> list[str]:
    """Return the lines of a table, its heads first; `whole` is the last column or the one before it."""
    table, at = [headings, *rows], headings.index(whole)
    shown = _shown(table, at, room, spare)
    wide = {column: max(cell_len(row[column]) for row in table) for column in shown}
    left = room - sum(width + GAP for width in wide.values())
    aligned = min(max(cell_len(row[at]) for row in table), left - GAP - _title(table, at))
    lines = []
    for row in table:
        line = "".join(_filled(row[column], width + GAP) for column, width in wide.items())
        lines.append(line + _ending(shorten(row[at], left), row[at + 1 :], aligned, left))
    return lines


def _ending(url: str, titles: Sequence[str], aligned: int, left: int) -> str:
    """Return a URL, and its title if there is room for its beginning."""
    title, place = titles[0] if titles else "", max(cell_len(url), aligned) + GAP
    if not title or left - place < min(cell_len(title), LEAST):
        return url
    return _filled(url, place) + cut(title, left - place)


def _shown(table: Sequence[Sequence[str]], at: int, room: int, spare: Sequence[str]) -> list[int]:
    """Return the columns before the URL that there is room for, beside every URL and the beginning of most titles."""
    shown, title, lengths = list(range(at)), _title(table, at), [cell_len(row[at]) for row in table]
    wanted = max(max(lengths), median_low(lengths) + (GAP + title if title else 0))
    for name in spare:
        if wanted <= room - sum(max(cell_len(row[column]) for row in table) + GAP for column in shown):
            break
        shown.remove(table[0].index(name))
    return shown


def _title(table: Sequence[Sequence[str]], at: int) -> int:
    """Return how much of the titles is worth a column; 0: there are none."""
    return min(max(cell_len(row[at + 1]) for row in table), TITLE) if len(table[0]) > at + 1 else 0


def _filled(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def cut(text: str, width: int) -> str:
    """Cut the end off a text that is too wide."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) >= width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS if width > 0 else ""


def shorten(text: str, width: int) -> str:
    """Cut characters out of the middle of a text that is too wide."""
    if cell_len(text) <= width:
        return text
    for kept in range(width - 1, 0, -1):  # a character may be two cells wide
        made = text[: kept - kept // 2] + ELLIPSIS + text[len(text) - kept // 2 :]
        if cell_len(made) <= width:
            return made
    return ELLIPSIS
