"""What the elements of a page say: links, canonical URL, title, language, and directives for robots.

Fed with elements as name and attributes, in the order of the document, whoever found them. Standard:
https://html.spec.whatwg.org/ sections 2.4.3 (base), 4.2.5.3 (refresh), 4.8.4.4 (srcset), 4.6.7 (rel).
"""

import re
from collections.abc import Callable, Iterable, Iterator

from gossamer.policy import directives
from gossamer.processors.collect import MOST_TEXTS, Links
from gossamer.records.entry import LinkKind
from gossamer.records.page import Directives, Extract
from gossamer.records.reason import Reason
from gossamer.url.parse import Base

MOST_ELEMENTS = MOST_TEXTS  # read of a page; more are counted as links that were cut
TITLE_LIMIT = 1000  # characters of a title that are kept

_REFRESH = re.compile(
    r"\s*+[0-9.]++(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?(?:\"([^\"]*)|'([^']*)|(.*))", re.IGNORECASE | re.DOTALL
)
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8}){0,7}")
_CANDIDATE = re.compile(r"[\s,]*+(\S+)")
_DESCRIPTORS = re.compile(r"[^,(]*+(?:\([^)]*+\)?+[^,(]*+)*+")

_TOOLS = frozenset({"edit", "search"})  # relations of links to what does something with a page, or with all of them
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_NONE: frozenset[str] = frozenset()

Attributes = dict[str, str | None]


class PageFacts:
    """Gathers the facts of one page."""

    __slots__ = ("_base", "_canonical", "_directives", "_language", "_robots", "_title", "asides", "links", "obey", "text")

    def __init__(self, robots: tuple[str, ...], obey: bool) -> None:
        self._robots = robots  # names in meta elements that speak to us
        self.obey = obey  # meta robots and rel=nofollow
        self.links = Links()
        self.asides: list[str] = []  # links, as they are written, that say of themselves that they lead to no page
        self.text = ""  # what a reader sees
        self._base: str | None = None
        self._canonical: str | None = None
        self._title: str | None = None
        self._language = ""
        self._directives = Directives()

    def read(self, elements: Iterable[tuple[str, Attributes]]) -> None:
        """Take elements as they come."""
        for name, attributes in elements:
            self.tell(name, attributes)

    def tell(self, name: str, attributes: Attributes) -> None:
        """Take one element; the text of a title is its attribute `text`."""
        reader = _READERS.get(name)
        if reader is not None:
            reader(self, attributes)

    def entitle(self, title: str) -> None:
        """Take the title as it is written."""
        self._title = " ".join(title.split())[:TITLE_LIMIT]

    def extract(self, url: str, charset: str, max_links: int, unread: int = 0, cut: Reason | None = None) -> Extract:
        """Return what was found in the page of that URL; `unread` elements count as links that were cut."""
        base = Base(url, charset)
        if self._base is not None:
            base = Base(base.join(self._base) or url, charset)
        links, links_cut = self.links.joined(base, max_links)
        return Extract(
            links=links,
            links_cut=links_cut + unread,
            cut=cut,
            title=self._title or "",
            language=self._language,
            charset=charset,
            canonical=(base.join(self._canonical) or "") if self._canonical else "",
            directives=self._directives,
            text=self.text,
            asides=frozenset(url for url in base.join_all(self.asides) if url) if self.asides else _NONE,
        )

    def _anchor(self, attributes: Attributes, kind: LinkKind = LinkKind.ANCHOR) -> None:
        if "href" in attributes:
            nofollow = "rel" in attributes and self.obey and "nofollow" in _words(attributes["rel"])
            href = attributes["href"] or ""
            self.links.add(href, kind, nofollow)
            is_tool = "rel" in attributes and not _TOOLS.isdisjoint(_words(attributes["rel"]))
            if is_tool or "download" in attributes or _is_no_page(attributes.get("type")):
                self.asides.append(href)

    def _area(self, attributes: Attributes) -> None:
        self._anchor(attributes, LinkKind.AREA)

    def _frame(self, attributes: Attributes) -> None:
        self._embed(attributes, LinkKind.FRAME)

    def _iframe(self, attributes: Attributes) -> None:
        self._embed(attributes, LinkKind.IFRAME)

    def _embed(self, attributes: Attributes, kind: LinkKind) -> None:
        source = attributes.get("src")
        if source:
            self.links.add(source, kind)

    def _image(self, attributes: Attributes) -> None:
        source = attributes.get("src")
        if source:
            self.links.add_image(source)
        if "srcset" in attributes:
            self._candidates(attributes)

    def _candidates(self, attributes: Attributes) -> None:
        candidates = attributes.get("srcset")
        if candidates:
            for url in srcset_urls(candidates):
                self.links.add_image(url)

    def _link(self, attributes: Attributes) -> None:
        href = attributes.get("href")
        if not href:
            return
        relations = _words(attributes.get("rel"))
        if "canonical" in relations:
            self._canonical = self._canonical or href
            self.links.add(href, LinkKind.CANONICAL)
        elif "alternate" in relations and "stylesheet" not in relations:
            self.links.add(href, LinkKind.ALTERNATE)
            if _is_no_page(attributes.get("type")):
                self.asides.append(href)
        elif "next" in relations or "prev" in relations:
            self.links.add(href, LinkKind.LINK)

    def _base_element(self, attributes: Attributes) -> None:
        if self._base is None and "href" in attributes:
            self._base = attributes["href"] or ""

    def _meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("name") or "").strip().lower()
        if name:
            if self.obey and name in self._robots:
                self._directives = directives.merge(self._directives, directives.from_meta(content))
        elif (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            found = _REFRESH.match(content)
            target = found and (found[1] or found[2] or found[3])
            if target:
                self.links.add(target, LinkKind.REFRESH)

    def _html(self, attributes: Attributes) -> None:
        language = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
        if not self._language and _LANGUAGE.fullmatch(language):
            self._language = language

    def _title_element(self, attributes: Attributes) -> None:
        if self._title is None:
            self.entitle(attributes.get("text") or "")


_READERS: dict[str, Callable[[PageFacts, Attributes], None]] = {
    "a": PageFacts._anchor,
    "area": PageFacts._area,
    "base": PageFacts._base_element,
    "frame": PageFacts._frame,
    "html": PageFacts._html,
    "iframe": PageFacts._iframe,
    "img": PageFacts._image,
    "link": PageFacts._link,
    "meta": PageFacts._meta,
    "source": PageFacts._candidates,
    "title": PageFacts._title_element,
}


def _words(value: str | None) -> list[str]:
    return value.lower().split() if value else []


def _is_no_page(mime: str | None) -> bool:
    """Tell whether a type, if a link names one, is that of something else than a page."""
    named = (mime or "").partition(";")[0].strip().lower()
    return "/" in named and named not in _PAGES


def srcset_urls(text: str) -> Iterator[str]:
    """Give the URLs of a srcset: a URL ends at white space, and at a comma only when that is its last character."""
    position = 0
    while found := _CANDIDATE.match(text, position):
        url = found[1]
        position = found.end()
        if not url.endswith(","):
            position = _DESCRIPTORS.match(text, position).end()  # type: ignore[union-attr]  # matches every text
        yield url.rstrip(",")
