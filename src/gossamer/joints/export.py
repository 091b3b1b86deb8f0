"""The joint of exports: one format each. What a crawl keeps comes in through `Holdings`, and goes out to an `ExportTarget`.

An export may run beside a crawl and on a directory that can only be read, and be longer than memory: everything is a walk.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Protocol, runtime_checkable

from gossamer.records.export import Edge, ExportOptions, KeptRecord, WordedLink
from gossamer.records.findings import BrokenLink, RedirectChain
from gossamer.records.item import KeptItem
from gossamer.records.page import Document, Page


class Holdings(Protocol):
    """What a crawl keeps of the pages that were asked for."""

    def pages(self) -> AsyncIterator[Page]:
        """Walk over these pages, as they were when the walk began."""

    def columns(self, fields: Sequence[str], at_once: int) -> AsyncIterator[list[list[Any]]]:
        """Walk over some fields of these pages, so many pages at a time: for each field its values."""

    def links(self) -> AsyncIterator[Edge]:
        """Walk over the links of these pages."""

    def items(self) -> AsyncIterator[KeptItem]:
        """Walk over what readers found on these pages."""

    def broken_links(self) -> AsyncIterator[BrokenLink]:
        """Walk over those pages where nothing is, each with every page that links to it, and the words of the link."""

    def redirect_chains(self) -> AsyncIterator[RedirectChain]:
        """Walk over those pages that redirect, each with its whole chain."""

    def records(self) -> AsyncIterator[KeptRecord]:
        """Walk over the records that are needed to show these pages, each once; their contents are the caller's to close."""

    async def document(self, page: Page) -> Document | None:
        """Return the content of a page; a copy has that of its original. None: nothing is kept of it."""

    def text(self, document: Document) -> str:
        """Return what a reader sees of a document."""

    def links_of(self, document: Document) -> list[WordedLink]:
        """Return the links of a document with their words."""


class ExportTarget(Protocol):
    """Where an export is written: one file, or a folder of files."""

    @property
    def stream(self) -> BinaryIO:
        """The one file, for a format that is one."""

    def file(self, path: PurePosixPath) -> AbstractContextManager[BinaryIO]:
        """Begin a file of the folder, for a format that is one; a path that was used is refused."""


@runtime_checkable
class Exporter(Protocol):
    """One format. It writes nowhere but to its target."""

    def __init__(self, options: ExportOptions) -> None:
        """Take what was asked for; raises PluginError with the remedy when a package is missing."""

    @property
    def is_folder(self) -> bool:
        """Tell whether it writes a folder of files instead of one file."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the tables it can write; a format that is about one thing has only `pages`, by which it is filtered."""

    @property
    def extras(self) -> frozenset[str]:
        """Return what it can write beside the rows: some of `text`, `html` and `links`."""

    def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write everything; gives how many rows were written since it gave the last number."""
