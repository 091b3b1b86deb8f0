"""A shop: things behind numeric ids, in categories with pages of lists. Half of a short page is the same everywhere."""

import re
from collections.abc import Sequence
from math import ceil

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.giant import Giant
from gossamer.simweb.mazes.maze import MISSING, MazePage, write

_THINGS = 20_000
_SHELF = 20  # things on a page of a list
_AISLE = 400  # things in a category
_FIRST_ID = 10_000
_PRODUCT = re.compile(r"/product/(\d+)")
_SHELVES = re.compile(r"/category/(\d+)\?page=(\d+)")


class Shop(Giant):
    """Twenty thousand things."""

    def __init__(self, exhibit: str, seed: int, scale: float) -> None:
        super().__init__(exhibit, seed)
        self._things = max(_SHELF, round(_THINGS * scale))
        self._categories = ceil(self._things / _AISLE)

    def answer(self, path: str) -> MazePage:
        if path == "/":
            links = [(_shelf(number, 1), f"category {number}") for number in range(self._categories)]
            return write("The shop", self.tell(path, 60, 120), links, footer=prose.BOILERPLATE)
        number = self._thing(path)
        if number is not None:
            return self._show(path, number)
        shelf = self._find_shelf(path)
        return MISSING if shelf is None else self._list(path, *shelf)

    def owns(self, path: str) -> str | None:
        known = path == "/" or self._thing(path) is not None or self._find_shelf(path) is not None
        return path if known else None

    def paths(self) -> Sequence[str]:
        shelves = [
            _shelf(category, page) for category in range(self._categories) for page in range(1, self._pages(category) + 1)
        ]
        return ["/", *shelves, *map(_product, range(self._things))]

    def _show(self, path: str, number: int) -> MazePage:
        near = [(number + step) % self._things for step in (1, 2, 17, 301)]
        links = [("/", "home"), (_shelf(number // _AISLE, 1), f"category {number // _AISLE}")]
        links += [(_product(other), self._name(other)) for other in near]
        return write(self._name(number), self.tell(path, 60, 300), links, footer=prose.BOILERPLATE)

    def _list(self, path: str, category: int, page: int) -> MazePage:
        first = category * _AISLE + (page - 1) * _SHELF
        things = range(first, min(first + _SHELF, self._things, (category + 1) * _AISLE))
        links = [("/", "home"), *((_product(thing), self._name(thing)) for thing in things)]
        links += [(_shelf(category, other), f"page {other}") for other in range(1, self._pages(category) + 1)]
        text = self.tell(path, 60, 90)
        return write(f"category {category} page {page}", text, links, footer=prose.BOILERPLATE)

    def _pages(self, category: int) -> int:
        return ceil(min(_AISLE, self._things - category * _AISLE) / _SHELF)

    def _name(self, number: int) -> str:
        return f"{prose.label(number * 37 + 5)} {number}"

    def _thing(self, path: str) -> int | None:
        found = _PRODUCT.fullmatch(path)
        number = (int(found[1]) - _FIRST_ID) if found else -1
        return number if 0 <= number < self._things else None

    def _find_shelf(self, path: str) -> tuple[int, int] | None:
        found = _SHELVES.fullmatch(path)
        if found is None or int(found[1]) >= self._categories:
            return None
        category, page = int(found[1]), int(found[2])
        return (category, page) if 1 <= page <= self._pages(category) else None


def _product(number: int) -> str:
    return f"/product/{_FIRST_ID + number}"


def _shelf(category: int, page: int) -> str:
    return f"/category/{category}?page={page}"
