"""The mark that makes a function of a script a reader: which pages it wants, by MIME type and by path and query of the URL."""

from collections.abc import Callable
from typing import Any, TypeVar

from gossamer.errors import ConfigError
from gossamer.filters.patterns import compiled
from gossamer.readers.scripts.travel import ReaderMark

Reading = TypeVar("Reading", bound=Callable[..., Any])
MARKS = "__gossamer_reads__"


def reads(mime: str, pattern: str = "") -> Callable[[Reading], Reading]:
    r"""Mark a function as a reader of pages of a MIME type: of all, or of those in whose path and query a pattern is found.

    The function takes a page and yields items (dicts that can be written as JSON) and links (`page.follow(url)`).

        @reads("text/html", r"/item/\d+")
        def item(page):
            yield {"name": page.css_first("h1").text()}
    """
    if not isinstance(mime, str) or "/" not in mime:
        raise ConfigError(f"{mime!r} is no MIME type; write one like text/html")
    if pattern:
        compiled(pattern, "the pattern of a reader")
    mark = ReaderMark(mime.lower(), pattern)

    def marked(function: Reading) -> Reading:
        setattr(function, MARKS, (*getattr(function, MARKS, ()), mark))
        return function

    return marked
