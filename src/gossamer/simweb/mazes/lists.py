"""Lists that never end: filters that combine in any way, and pages that go on after the last one."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from urllib.parse import parse_qsl

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.maze import MISSING, Maze, MazePage, write

_ITEMS = 60
_FILTERS = ("brand", "colour", "material", "size", "style")  # in order, as every link has them
_VALUES = tuple(f"{value}" for value in prose.WORDS[100:110])
_ITEM = re.compile(r"/item/(\d+)")
_LAST = 12  # real page of a list
_SHELF = 5  # things on it
_SECTIONS = ("news", "notes")  # the one repeats its last page, the other has nothing more
_PAGED = re.compile(r"/(news|notes)\?page=(\d+)")
_THING = re.compile(r"/(news|notes)/(\d+)")


class Facets(Maze):
    """Sixty items behind five filters of ten values, of which any number may be chosen."""

    traps = ("traps.template", "traps.parameter", "dedupe.*", "scope.max_depth", "traps.max_length")

    @cached_property
    def _kinds(self) -> list[tuple[str, ...]]:
        """Return every item's value in every filter."""
        rng = self.chance("kinds")
        return [tuple(rng.choices(_VALUES, k=len(_FILTERS))) for _ in range(_ITEMS)]

    def answer(self, path: str) -> MazePage:
        if path == "/":
            return write("The catalogue", self._text(path), [("/list", "all items")])
        if (found := _ITEM.fullmatch(path)) and int(found[1]) < _ITEMS:
            near = [(int(found[1]) + step) % _ITEMS for step in (1, 7)]
            links = [("/list", "all items"), *((f"/item/{other}", self._name(other)) for other in near)]
            return write(self._name(int(found[1])), self._text(path), links)
        chosen = _chosen(path)
        return MISSING if chosen is None else self._list(path, chosen)

    def owns(self, path: str) -> str | None:
        found = _ITEM.fullmatch(path)
        real = path in ("/", "/list") or (found is not None and int(found[1]) < _ITEMS)
        return path if real else None

    def contents(self) -> Sequence[str]:
        return ["/", "/list", *(f"/item/{number}" for number in range(_ITEMS))]

    def _list(self, path: str, chosen: dict[str, frozenset[str]]) -> MazePage:
        wanted = [chosen.get(name) for name in _FILTERS]
        items = [
            number
            for number, kinds in enumerate(self._kinds)
            if all(values is None or kind in values for kind, values in zip(kinds, wanted, strict=True))
        ]
        links = [(f"/item/{number}", self._name(number)) for number in items]
        links += _toggles(chosen)
        text = self._text(path) if path == "/list" else f"{len(items)} items match."
        return write("Items", text, links)

    def _name(self, number: int) -> str:
        return f"{prose.label(number * 41 + 9)} {number}"

    def _text(self, path: str) -> str:
        rng = self.chance(path)
        return prose.tell(rng, rng.randint(80, 200))


class Pagination(Maze):
    """Two lists of twelve pages, each of which leads to a next one, and so does everything after them."""

    copies = True
    traps = ("traps.template", "traps.parameter", "dedupe.*", "scope.max_depth")

    def answer(self, path: str) -> MazePage:
        if path == "/":
            return write("Lists", self._text(path), [(_page(section, 1), section) for section in _SECTIONS])
        if found := _THING.fullmatch(path):
            section, number = found[1], int(found[2])
            links = [(_page(section, number // _SHELF + 1), section), ("/", "home")]
            return write(f"{section} {number}", self._text(path), links) if number < _LAST * _SHELF else MISSING
        view = _find_page(path)
        return MISSING if view is None else self._list(*view)

    def owns(self, path: str) -> str | None:
        if path == "/":
            return path
        if found := _THING.fullmatch(path):
            return path if int(found[2]) < _LAST * _SHELF else None
        view = _find_page(path)
        if view is None or (view[0] == "notes" and view[1] > _LAST):
            return None
        return _page(view[0], min(view[1], _LAST))

    def contents(self) -> Sequence[str]:
        lists = (_page(section, page) for section in _SECTIONS for page in range(1, _LAST + 1))
        things = (f"/{section}/{number}" for section in _SECTIONS for number in range(_LAST * _SHELF))
        return list(chain(("/",), lists, things))

    def _list(self, section: str, page: int) -> MazePage:
        onward = [(_page(section, page + 1), "next"), ("/", "home")]
        if page > _LAST and section == "notes":
            return write(f"{section}, page {page}", "There is nothing here.", onward, footer=prose.BOILERPLATE)
        shown = min(page, _LAST)
        things = range((shown - 1) * _SHELF, shown * _SHELF)
        links = [(f"/{section}/{number}", f"{section} {number}") for number in things]
        return write(f"{section}, page {shown}", self._text(_page(section, shown)), links + onward, footer=prose.BOILERPLATE)

    def _text(self, path: str) -> str:
        rng = self.chance(path)
        return prose.tell(rng, rng.randint(80, 200))


def _chosen(path: str) -> dict[str, frozenset[str]] | None:
    """Return the filters a list is asked for with, if it is one."""
    place, _, query = path.partition("?")
    chosen = {name: frozenset(values.split(",")) for name, values in parse_qsl(query)}
    return chosen if place == "/list" and chosen.keys() <= set(_FILTERS) else None


def _toggles(chosen: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Return the lists with one value more, or without one that is chosen."""
    parts = {name: f"{name}={','.join(sorted(chosen[name]))}" for name in _FILTERS if chosen.get(name)}
    links = []
    for name in _FILTERS:
        before = "&".join([parts[other] for other in _FILTERS if other < name and other in parts])
        after = "&".join([parts[other] for other in _FILTERS if other > name and other in parts])
        for value in _VALUES:
            values = sorted(chosen.get(name, frozenset()) ^ {value})
            query = "&".join(filter(None, (before, f"{name}={','.join(values)}" if values else "", after)))
            links.append((f"/list?{query}" if query else "/list", f"{name} {value}"))
    return links


def _page(section: str, page: int) -> str:
    return f"/{section}?page={page}"


def _find_page(path: str) -> tuple[str, int] | None:
    found = _PAGED.fullmatch(path)
    return (found[1], int(found[2])) if found and int(found[2]) else None
