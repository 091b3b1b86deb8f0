"""The checker of a reader: what any function marked with `@reads(...)` has to promise, over pages of its author's choice.

    for rule in RULES:
        await rule(reader, page)

`page` is a `ScriptPage`; `page_of` makes one of some markup, so that a reader is tested without a crawl. `items_of` returns
what a reader finds on it, and raises what it raises.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from gossamer.processors.html import HtmlProcessor
from gossamer.readers.scripts.loading import ScriptReader
from gossamer.readers.scripts.marks import MARKS
from gossamer.readers.scripts.page import ScriptPage
from gossamer.readers.scripts.travel import Gathered, ReaderRule
from gossamer.readers.scripts.yields import Gatherer
from gossamer.records.page import Document

Reader = Callable[..., Any]
Rule = Callable[[Reader, ScriptPage], Awaitable[None]]
PATIENCE = 5.0  # seconds, as in a crawl
MAX_LINKS = 10_000


def page_of(markup: str | bytes, url: str = "http://example.test/", mime: str = "text/html", status: int = 200) -> ScriptPage:
    """Make a page of markup, as a crawl would give it to a reader."""
    content = markup.encode() if isinstance(markup, str) else markup
    charset = "utf-8" if isinstance(markup, str) else ""
    document = Document(url=url, mime=mime, content=content, charset=charset)
    return ScriptPage(document, status, (("content-type", mime),), HtmlProcessor(MAX_LINKS) if "html" in mime else None)


def items_of(reader: Reader, page: ScriptPage) -> list[dict[str, Any]]:
    """Return the items that a reader finds on a page; raise AssertionError for whatever a crawl would list as a problem."""
    gathered = gathered_from(reader, page)
    assert not gathered.harvest.problems, f"{gathered.harvest.problems[0].error}\n{gathered.harvest.problems[0].trace}"
    return [msgspec.json.decode(item.content) for item in gathered.harvest.items]


def gathered_from(reader: Reader, page: ScriptPage) -> Gathered:
    """Return what a crawl would keep of what a reader yields for a page."""
    code = reader.__code__
    rule = ReaderRule(reader.__name__, code.co_filename, code.co_firstlineno, getattr(reader, MARKS, ()))
    return Gatherer(page, MAX_LINKS).run([ScriptReader(rule, reader, code.co_filename)], PATIENCE)


async def it_is_marked(reader: Reader, page: ScriptPage) -> None:
    assert getattr(reader, MARKS, ()), "it is not marked with @reads(...), so no crawl would call it"


async def a_page_is_read_without_a_problem_and_the_same_each_time(reader: Reader, page: ScriptPage) -> None:
    assert items_of(reader, page) == items_of(reader, page), "what it finds depends on what it found before"


RULES: tuple[Rule, ...] = (it_is_marked, a_page_is_read_without_a_problem_and_the_same_each_time)
