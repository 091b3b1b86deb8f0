"""Which readers want a page: by its MIME type and by what is found in path and query of its URL. None of their code runs."""

from collections.abc import Iterable, Iterator
from typing import Any

from gossamer.filters.patterns import compiled
from gossamer.readers.scripts.travel import ReaderRule
from gossamer.url.parse import split


class Wants:
    """Tells by their numbers which readers want a page."""

    def __init__(self, rules: Iterable[ReaderRule]) -> None:
        self.rules = tuple(rules)
        self._by_type: dict[str, list[tuple[int, Any]]] = {}
        for number, rule in enumerate(self.rules):
            for mark in rule.marks:
                pattern = compiled(mark.pattern, rule.name) if mark.pattern else None
                self._by_type.setdefault(mark.mime, []).append((number, pattern))

    def of(self, mime: str, url: str) -> tuple[int, ...]:
        """Return the readers that want a page, each once."""
        wanting = self._by_type.get(mime)
        return tuple(dict.fromkeys(_found(wanting, url))) if wanting else ()

    def __bool__(self) -> bool:
        return bool(self.rules)


def _found(wanting: list[tuple[int, Any]], url: str) -> Iterator[int]:
    parts = split(url)
    text = parts.path if parts.query is None else f"{parts.path}?{parts.query}"
    for number, pattern in wanting:
        if pattern is None or pattern.search(text):
            yield number
