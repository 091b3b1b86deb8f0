"""Feeds: RSS 0.9 to 2.0 and Atom. Every entry is a link, and its date a hint of when it changed.

Read as a stream of events like a sitemap (`events.py`). The usual feed parsers build a tree and read the HTML inside entries,
where a hostile feed hits; of a feed we need three elements. Entries are links of kind `feed`: by their `link`, else by a `guid`
that is one, else by what an item of RDF is about, else by the file an entry encloses. The site a feed belongs to and the next
page of a long one are alternates. How often a feed changes, when it says so, is a hint about the feed itself.
Standards: https://www.rssboard.org/rss-specification, RFC 4287, RFC 5005 (paged feeds), http://web.resource.org/rss/1.0/.
"""

from collections.abc import Mapping

from gossamer.processors.collect import Links
from gossamer.processors.dates import parse_date
from gossamer.processors.events import tell
from gossamer.records.entry import LinkKind
from gossamer.records.hints import Hint
from gossamer.records.page import Document, Extract
from gossamer.url.parse import Base

MOST_ELEMENTS = 1_000_000
MOST_CHARACTERS = 64 * 1024  # of one element
MOST_SECONDS = 366 * 86400.0  # between two changes of a feed

_STEP = 64 * 1024
_DEEPEST = 4  # rss, channel, item, link
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_ENTRIES = frozenset({"item", "entry"})
_PARENTS = _ENTRIES | {"channel", "feed"}  # only their own elements tell something
_DATES = {"updated": 3, "modified": 3, "pubDate": 2, "published": 1, "date": 1, "issued": 0}  # the best one counts
_TEXTS = frozenset({"link", "guid", "title", "ttl", "updatePeriod", "updateFrequency", *_DATES})
_PERIODS = {"hourly": 3600.0, "daily": 86400.0, "weekly": 7 * 86400.0, "monthly": 30 * 86400.0, "yearly": 365 * 86400.0}
_SITE = frozenset({"alternate", "next", "prev-archive"})
_BY_LINK, _BY_GUID, _BY_ABOUT, _BY_ENCLOSURE = range(4)  # where an entry says its URL, best first
_RELATIONS = {"alternate": _BY_LINK, "enclosure": _BY_ENCLOSURE}


class FeedProcessor:
    """Implements `joints.documents.Processor`."""

    is_linear = False

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None:
        self._max_links = max_links

    def process(self, document: Document) -> Extract:
        """Read the entries of a feed, and when they changed."""
        feed = _read(document.content)
        here = Base(document.url)
        base = Base(here.join(feed.base) or document.url) if feed.base else here
        links = Links()
        for href, _ in feed.entries:
            links.add(href, LinkKind.FEED)
        for href in feed.site:
            links.add(href, LinkKind.ALTERNATE)
        found, cut = links.joined(base, self._max_links)
        return Extract(
            links=found, links_cut=cut, title=feed.title, charset=document.charset, hints=_hints(feed, base, document)
        )

    def skim(self, document: Document) -> Extract:
        """Return nothing: a feed is read in no quicker way."""
        return Extract()

    def text(self, document: Document) -> str:
        """Return nothing: what a feed says, its entries say better."""
        return ""


class _Feed:
    """The receiver of the parser's events."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, float | None]] = []  # as it is written, with its date
        self.site: list[str] = []
        self.title = ""
        self.base = ""
        self.interval: float | None = None
        self.elements = 0
        self._depth = 0
        self._parents: list[str] = []  # the outermost elements we are in
        self._entry_at = 0  # the depth of the entry we are in; 0: none
        self._names: dict[int, str] = {}  # of that entry: its URL, by where it says so
        self._dated: tuple[int, float] | None = None  # how good the date is, and the date
        self._period: float | None = None
        self._times = 1.0
        self._pieces: list[str] | None = None  # of the element we are in
        self._length = 0
        self._is_permanent = True

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        self._depth += 1
        self._pieces = None
        if self._depth > _DEEPEST:
            return
        name = tag.rpartition("}")[2]
        parent = self._parents[-1] if self._parents else ""
        self._parents.append(name)
        if self._depth == 1:
            self.base = attributes.get(_BASE, "")
        elif name in _ENTRIES and not self._entry_at:
            self._entry_at, self._names, self._dated = self._depth, {}, None
            self._name(_BY_ABOUT, attributes.get(_ABOUT, ""))
        elif name == "enclosure" and self._entry_at:
            self._name(_BY_ENCLOSURE, attributes.get("url", ""))
        elif name in _TEXTS and parent in _PARENTS:
            self._pieces, self._length = [], 0
            if name == "link" and attributes.get("href"):
                self._refer(attributes["href"].strip(), attributes.get("rel", "alternate").strip())
            self._is_permanent = attributes.get("isPermaLink", "true").strip().lower() != "false"

    def data(self, text: str) -> None:
        if self._pieces is not None and self._length < MOST_CHARACTERS:
            self._pieces.append(text)
            self._length += len(text)

    def end(self, tag: str) -> None:
        if self._pieces is not None:
            self._take(tag.rpartition("}")[2], "".join(self._pieces).strip())
            self._pieces = None
        elif self._depth == self._entry_at:
            if self._names:
                self.entries.append((self._names[min(self._names)], self._dated[1] if self._dated else None))
            self._entry_at = 0
        self._depth -= 1
        del self._parents[self._depth :]

    def close(self) -> None:
        """Take the end of the file, as the parser's protocol has it."""

    def _refer(self, href: str, relation: str) -> None:
        if not self._entry_at:
            if relation in _SITE:
                self.site.append(href)
        elif relation in _RELATIONS:
            self._name(_RELATIONS[relation], href)

    def _name(self, where: int, href: str) -> None:
        """Take a URL of an entry; of two in like places the first counts."""
        if href.strip():
            self._names.setdefault(where, href.strip())

    def _take(self, name: str, text: str) -> None:
        """Take the text of an element."""
        if not text:
            return
        if self._entry_at:
            self._take_of_entry(name, text)
        elif name == "link":
            self.site.append(text)
        elif name == "title":
            self.title = self.title or text.encode("utf-8", "replace").decode()
        elif name in ("ttl", "updatePeriod", "updateFrequency"):
            self._take_pace(name, text)

    def _take_of_entry(self, name: str, text: str) -> None:
        if name == "link":
            self._name(_BY_LINK, text)
        elif name == "guid":
            if self._is_permanent and text.startswith(("http://", "https://")):
                self._name(_BY_GUID, text)
        elif name in _DATES:
            moment = parse_date(text)
            if moment is not None and (self._dated is None or self._dated[0] < _DATES[name]):
                self._dated = (_DATES[name], moment)

    def _take_pace(self, name: str, text: str) -> None:
        if name == "updatePeriod":
            self._period = _PERIODS.get(text)
        elif text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text):
            if name == "ttl":
                self.interval = 60.0 * int(text)
            else:
                self._times = float(text)
        if self._period is not None:
            self.interval = self._period / self._times


def _read(content: bytes) -> _Feed:
    """Let the parser tell all it finds; what comes behind a fault it cannot get over is lost."""
    feed = _Feed()
    pieces = (content[start : start + _STEP] for start in range(0, len(content), _STEP))
    tell(pieces, feed, lambda: feed.elements >= MOST_ELEMENTS)
    return feed


def _hints(feed: _Feed, base: Base, document: Document) -> tuple[Hint, ...]:
    hints = {}
    for href, moment in feed.entries:
        url = base.join(href) if moment is not None else None
        if url is not None:
            hints[url] = Hint(url, moment)
    if feed.interval is not None:
        hints[document.url] = Hint(document.url, interval=min(feed.interval, MOST_SECONDS))
    return tuple(hints.values())
