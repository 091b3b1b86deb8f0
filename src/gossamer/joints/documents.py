"""The joint of processors: one family of MIME types each."""

from typing import Protocol, runtime_checkable

from gossamer.records.page import Document, Extract


@runtime_checkable
class Processor(Protocol):
    """One family of MIME types: a document in, links and facts out. Pure: no network, no store."""

    def process(self, document: Document) -> Extract: ...

    def text(self, document: Document) -> str:
        """Return the plain text of a document, for search and for people."""
