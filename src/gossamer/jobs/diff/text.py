"""The text of one page before and after, line by line."""

from difflib import unified_diff

from msgspec import Struct

from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import show_page

MOST_LINES = 5_000  # of a text that are compared: to compare twice as many takes four times as long


class TextDiff(Struct, frozen=True):
    """What a page said before and says now."""

    url: str
    lines: tuple[str, ...]  # as `diff -u` writes them; none: it says the same
    is_cut: bool  # only the beginning was compared


def text_diff(url: str, before: tuple[CrawlDirectory, str], after: tuple[CrawlDirectory, str]) -> TextDiff:
    """Compare the visible text of a page in two crawls, or at two dates; an empty date is the newest version."""
    old, new = _text(url, *before), _text(url, *after)
    if old is None and new is None:
        raise UsageError(f"nothing is kept of {url}, before or after; `gossamer explain` tells more")
    one, two = _lines(old), _lines(new)
    here, there = _name(*before, known=old is not None), _name(*after, known=new is not None)
    lines = tuple(unified_diff(one[:MOST_LINES], two[:MOST_LINES], here, there, lineterm=""))
    return TextDiff(url, lines, max(len(one), len(two)) > MOST_LINES)


def _text(url: str, directory: CrawlDirectory, date: str) -> str | None:
    """Return the text of a page; None: nothing is kept of it."""
    try:
        return show_page(directory, url, date).text
    except UsageError:
        return None


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.splitlines()[: MOST_LINES + 1]


def _name(directory: CrawlDirectory, date: str, known: bool) -> str:
    """Name one side in the heading."""
    return f"{directory.path} {date}".strip() + ("" if known else " (not kept)")
