"""The page that a reader is given: what was fetched, decoded, and ways to find things in it. It cannot fetch."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gossamer.document.charset import guessed_charset, meta_charset, to_text
from gossamer.joints.documents import Processor
from gossamer.records.entry import Link, LinkKind
from gossamer.records.page import Document, Extract
from gossamer.url.parse import Base

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DEPTH = 100  # of JSON-LD that is looked into


class ScriptPage:
    """One page. What takes work (`title`, `text`, `links`, `css`, ...) is done when it is first asked for."""

    def __init__(
        self,
        document: Document,
        status: int = 200,
        headers: tuple[tuple[str, str], ...] = (),
        processor: Processor | None = None,
    ) -> None:
        self._document = document
        self._processor = processor
        self.url = document.url
        self.status = status
        self.mime = document.mime  # the type we act on, whatever the server calls it
        self.content = document.content  # bytes, transfer and content coding removed
        self.headers: Mapping[str, str] = _joined(headers)  # by name in lower case

    def __repr__(self) -> str:
        return f"<page {self.url} ({self.status} {self.mime}, {len(self.content):,} bytes)>"

    @cached_property
    def html(self) -> str:
        """The document as text, whatever its type: markup and all."""
        document = self._document
        charset = document.charset or meta_charset(document.content[:1024]) or guessed_charset(document.content)
        return to_text(document.content, charset)

    @cached_property
    def title(self) -> str:
        """Its title; empty: it has none."""
        return self._extract.title

    @cached_property
    def text(self) -> str:
        """What somebody sees who reads it."""
        return self._processor.text(self._document) if self._processor is not None else self.html

    @cached_property
    def links(self) -> list[str]:
        """The absolute URLs it links to, each once."""
        return [link.url for link in self._extract.links]

    def css(self, selector: str) -> "list[LexborNode]":
        """Return the elements that a CSS selector finds (nodes of selectolax: `.text()`, `.attributes`, `.css(...)`)."""
        return self._tree.css(selector)

    def css_first(self, selector: str) -> "LexborNode":
        """Return the first element that a CSS selector finds; None: there is none."""
        return self._tree.css_first(selector)  # type: ignore[return-value]  # so that `css_first("h1").text()` passes mypy

    def json_ld(self, kind: str = "") -> dict[str, Any] | None:
        """Return the first JSON-LD object of a type, such as Product, or of any; None: there is none."""
        for node in self.css('script[type="application/ld+json"]'):
            try:
                value = json.loads(node.text(deep=True))
            except (ValueError, RecursionError):
                continue
            for found in _objects(value, _DEPTH):
                kinds = found.get("@type", ())
                if not kind or kind == kinds or (isinstance(kinds, list) and kind in kinds):
                    return found
        return None

    def join(self, url: str) -> str:
        """Return the absolute URL of one that is relative to this page, or to what its base element says."""
        found = self._base.join(url)
        if found is None:
            raise ValueError(f"{url!r} is no URL")
        return found

    def follow(self, url: str) -> Link:
        """Return a link to yield: where it leads is judged like any link, and fetched when its turn has come."""
        return Link(self.join(url), LinkKind.ANCHOR)

    @cached_property
    def _extract(self) -> Extract:
        return self._processor.process(self._document) if self._processor is not None else Extract()

    @cached_property
    def _base(self) -> Base:
        named = self._tree.css_first("base[href]") if "html" in self.mime else None
        return Base(self.url if named is None else Base(self.url).join(named.attributes["href"] or "") or self.url)

    @cached_property
    def _tree(self) -> "LexborHTMLParser":
        from selectolax.lexbor import LexborHTMLParser

        return LexborHTMLParser(self.html)


def _joined(headers: tuple[tuple[str, str], ...]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in headers:
        name = name.lower()
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Walk over all objects in a JSON value, outer ones first."""
    if isinstance(value, dict):
        yield value
    if depth and isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _objects(part, depth - 1)
