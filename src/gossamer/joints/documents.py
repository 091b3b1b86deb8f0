"""The joints of those who read documents: processors, one family of MIME types each, and readers of operators, many a type.

A processor is built in the worker, for documents that are read at once, and in the children that read heavy ones. A reader is
called after the processor of the type, and only in children that run nothing else.
"""

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from gossamer.records.page import Document, Extract


@runtime_checkable
class Processor(Protocol):
    """One family of MIME types: a document in, links and facts out. Pure: no network, no store."""

    def __init__(self, max_links: int, agent: str, meta: bool) -> None:
        """Take how many links of a page count, the name that meta elements call us by, and whether these are obeyed."""

    @property
    def is_linear(self) -> bool:
        """Tell whether reading takes linear time, whatever the markup: then many tags make no document heavy."""

    def process(self, document: Document) -> Extract:
        """Read links and facts; no document is too broken for it."""

    def skim(self, document: Document) -> Extract:
        """Read what can be read in linear time of a document that takes `process` too long; nothing, if nothing can."""

    def text(self, document: Document) -> str:
        """Return the plain text of a document, for search and for people."""


@runtime_checkable
class PageReader(Protocol):
    """A function that finds items and links on a page; `@reads(...)` of `gossamer.script` says on which."""

    def __call__(self, page: Any) -> Iterable[Any] | None:
        """Yield items (dicts that can be written as JSON) and links (`page.follow(url)`) of a page; it cannot fetch."""
