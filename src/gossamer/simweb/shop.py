"""A small shop on a host of its own: things with a name and a price, in categories with pages of lists.

Every thing is at /item/N, with its name in `h1`, its price in `.price`, and both once more in JSON-LD. The shop knows its
items, so whoever reads pages for items can be judged. A path is always answered with the same bytes.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from math import ceil
from random import Random

from gossamer.simweb.answers import WireAnswer, assemble
from gossamer.simweb.manifest import ManifestEntry
from gossamer.simweb.mazes import prose
from gossamer.simweb.port import NOBODY
from gossamer.simweb.requests import RequestHead

HOST = "shop.sim"
_HOSTS = (HOST, "127.0.0.1")  # the second for whoever cannot be told where names lead

_SHELF = 20  # things on a page of a list
_AISLE = 60  # things in a category
_ITEM = re.compile(r"/item/(\d+)")
_SHELVES = re.compile(r"/category/(\d+)(?:\?page=(\d+))?")
_HTML = [("Content-Type", "text/html; charset=utf-8")]
_ROBOTS = b"User-agent: *\nDisallow: /cart\n"


class ItemShop:
    """So many things; none: no shop."""

    def __init__(self, things: int, seed: int) -> None:
        self._things = things
        self._seed = seed
        self._categories = ceil(things / _AISLE)

    def reply(self, request: RequestHead) -> WireAnswer:
        """Answer a request for a host that is not of the web around it."""
        if not self._things or request.host not in _HOSTS:
            return NOBODY
        if request.path == "/robots.txt":
            return assemble(200, [("Content-Type", "text/plain")], _ROBOTS)
        html = self._page(request.path)
        return NOBODY if html is None else assemble(200, _HTML, html.encode())

    def item(self, number: int) -> dict[str, str]:
        """Return what the page of a thing says: its name and its price."""
        rng = self._chance(number)
        return {"name": f"{prose.title(rng)} No. {number}", "price": f"{rng.randint(100, 99_999) / 100:.2f}"}

    def seeds(self, port: int) -> list[str]:
        """Return where a crawl of the shop begins."""
        return [f"http://{HOST}:{port}/"] if self._things else []

    def entries(self, port: int) -> Iterator[ManifestEntry]:
        """Say how every URL of the shop ends, and which item is there."""
        if not self._things:
            return
        origin = f"http://{HOST}:{port}"
        for path, found_by in self._paths():
            found = _ITEM.fullmatch(path)
            item = {"url": origin + path, **self.item(int(found[1]))} if found else None
            yield ManifestEntry(
                url=origin + path,
                host=HOST,
                fetch=True,
                outcome="ok",
                status=200,
                requests_max=1,
                found_by=origin + found_by if found_by else "seed",
                item=item,
            )
        yield ManifestEntry(url=f"{origin}/cart", host=HOST, fetch=False, outcome="robots_denied", rule="robots.txt")

    def _paths(self) -> Iterator[tuple[str, str]]:
        yield "/", ""
        for category in range(self._categories):
            for page in range(1, self._pages(category) + 1):
                yield _shelf(category, page), "/" if page == 1 else _shelf(category, page - 1)
                yield from ((f"/item/{number}", _shelf(category, page)) for number in self._on(category, page))

    def _page(self, path: str) -> str | None:
        if path == "/":
            links = "".join([f'<li><a href="{_shelf(one, 1)}">category {one}</a></li>\n' for one in range(self._categories)])
            return _written("The shop", f"<h1>The shop</h1>\n<ul>\n{links}</ul>\n", self._chance(-1))
        if (found := _ITEM.fullmatch(path)) and int(found[1]) < self._things:
            return self._show(int(found[1]))
        if (found := _SHELVES.fullmatch(path)) and int(found[1]) < self._categories:
            category, page = int(found[1]), int(found[2] or 1)
            return self._list(category, page) if 1 <= page <= self._pages(category) else None
        return None

    def _show(self, number: int) -> str:
        item = self.item(number)
        offer = {"@type": "Offer", "price": item["price"], "priceCurrency": "EUR"}
        product = {"@context": "https://schema.org", "@type": "Product", "name": item["name"], "offers": offer}
        body = (
            f'<h1>{escape(item["name"])}</h1>\n<p>It costs <span class="price">{item["price"]}</span> EUR.</p>\n'
            f'<script type="application/ld+json">{json.dumps(product)}</script>\n'
            f'<p><a href="{_shelf(number // _AISLE, 1)}">more of its kind</a></p>\n'
        )
        return _written(item["name"], body, self._chance(number))

    def _list(self, category: int, page: int) -> str:
        things = [(number, self.item(number)) for number in self._on(category, page)]
        links = "".join([f'<li class="thing"><a href="/item/{n}">{escape(item["name"])}</a></li>\n' for n, item in things])
        more = f'<a class="next" href="{_shelf(category, page + 1)}">next</a>\n' if page < self._pages(category) else ""
        body = f"<h1>Category {category}, page {page}</h1>\n<ul>\n{links}</ul>\n{more}"
        return _written(f"Category {category}, page {page}", body, self._chance(-2 - category * 1000 - page))

    def _on(self, category: int, page: int) -> range:
        first = category * _AISLE + (page - 1) * _SHELF
        return range(first, min(first + _SHELF, self._things, (category + 1) * _AISLE))

    def _pages(self, category: int) -> int:
        return ceil(min(_AISLE, self._things - category * _AISLE) / _SHELF)

    def _chance(self, number: int) -> Random:
        return Random(f"{self._seed}/shop/{number}")


def _shelf(category: int, page: int) -> str:
    return f"/category/{category}" if page == 1 else f"/category/{category}?page={page}"


def _written(title: str, body: str, rng: Random) -> str:
    """Write a page around what is its own, with text that no other page has."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><title>{escape(title)}</title></head>\n<body>\n{body}'
        f'<p class="text">{prose.tell(rng, 150)}</p>\n<p><a href="/">home</a> <a href="/cart">cart</a></p>\n</body>\n</html>\n'
    )
