"""The sites that are crawled: generated ones of any size, and documentation found on this machine. All of it in memory.

A generated page looks like a page of a larger site: a head with meta elements and scripts, navigation that every page has,
paragraphs with mark-up, lists of links, figures, tables, a footer that leads elsewhere. Every page is reachable: page n links
to its children in a tree, the other links go anywhere. The same numbers give the same site.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from mimetypes import guess_type
from pathlib import Path
from random import Random
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html

CHILDREN = 10
NAVIGATION = 20
IN_A_LIST = 6  # links
SYLLABLES = [consonant + vowel for consonant in "bdfklmnrst" for vowel in "aeiou"]
SECTIONS = ("news", "guides", "people", "archive", "science", "travel", "culture", "reports", "history", "letters")


@dataclass(frozen=True)
class Answer:
    """One path's answer, ready to send: a body as it is, and compressed when that is worth while."""

    mime: str
    body: bytes
    packed: bytes | None


@dataclass(frozen=True)
class Site:
    """What is served, by path; `pages` are the HTML pages that can be reached from `/`."""

    answers: dict[bytes, Answer]
    pages: frozenset[bytes]


def answer_of(mime: str, body: bytes) -> Answer:
    """Make an answer, with a gzip form as a usual server would have for text."""
    if not mime.startswith("text/"):
        return Answer(mime, body, None)
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)  # the effort of a usual server's default
    return Answer(mime, body, packer.compress(body) + packer.flush())


class Generated:
    """A site of `pages` pages of about `size` bytes with about `links` links each."""

    def __init__(self, pages: int, size: int, links: int, seed: int = 1) -> None:
        self._random = Random(seed)
        self._count, self._size, self._links = pages, size, links
        words = sorted({"".join(self._random.choices(SYLLABLES, k=self._random.randint(1, 4))) for _ in range(5_000)})
        self._random.shuffle(words)
        self._words, self._weights = words, list(accumulate(1 / (rank + 10) for rank in range(len(words))))
        self._paragraphs = [self._paragraph() for _ in range(3_000)]
        self._paths = ["/", *(f"/{SECTIONS[n % len(SECTIONS)]}/{self._phrase(2, '-')}-{n}.html" for n in range(1, pages))]

    def site(self) -> Site:
        """Render every page, and what pages name beside pages."""
        answers = {path.encode(): answer_of("text/html; charset=utf-8", self._page(n)) for n, path in enumerate(self._paths)}
        pages = frozenset(answers)
        answers[b"/robots.txt"] = answer_of("text/plain", b"User-agent: *\nDisallow: /private/\n")
        answers[b"/static/site.css"] = answer_of("text/css", b"body { margin: 0 }\n")
        return Site(answers, pages)

    def _phrase(self, count: int, between: str = " ") -> str:
        return between.join(self._random.choices(self._words, cum_weights=self._weights, k=count))

    def _paragraph(self) -> str:
        pick = self._random.randint
        sentences = [self._phrase(pick(6, 18)).capitalize() + "." for _ in range(pick(3, 6))]
        strong = f'<strong class="term">{self._phrase(2)}</strong> <em>{self._phrase(3)}</em>'
        return f'<p class="text text-{pick(1, 4)}">{sentences[0]} {strong} {" ".join(sentences[1:])}</p>\n'

    def _page(self, number: int) -> bytes:
        title = self._phrase(5).title()
        head = self._head(number, title)
        foot = self._foot()
        lists = list(self._lists(number))
        parts = [head, f"<h1>{title}</h1>\n"]
        room = self._size - len(head) - len(foot) - sum(map(len, lists))
        written, every = 0, max(room, 1) / (len(lists) + 1)
        for index, links in enumerate(lists):
            while written < every * (index + 1):
                block = self._block()
                parts.append(block)
                written += len(block)
            parts.append(links)
        return "".join([*parts, foot]).encode()

    def _block(self) -> str:
        kind = self._random.random()
        if kind < 0.08:
            words = self._phrase(4)
            return f'<h2 id="{words.replace(" ", "-")}" class="heading">{words.title()}</h2>\n'
        if kind < 0.12:
            name = self._phrase(2, "-")
            picture = f'<img src="/images/{name}.jpg" alt="{self._phrase(4)}" width="640" height="360" loading="lazy">'
            return f'<figure class="figure">{picture}<figcaption>{self._phrase(8)}</figcaption></figure>\n'
        if kind < 0.15:
            rows = "".join(f"<tr><th>{self._phrase(1)}</th><td>{self._phrase(3)}</td></tr>" for _ in range(4))
            return f'<table class="facts"><tbody>{rows}</tbody></table>\n'
        return self._random.choice(self._paragraphs)

    def _head(self, number: int, title: str) -> str:
        bar = "".join(
            f'<li class="nav-item"><a class="nav-link" href="{path}">{SECTIONS[n % len(SECTIONS)].title()} {n}</a></li>'
            for n, path in enumerate(self._paths[:NAVIGATION])
        )
        facts = f'{{"@context":"https://schema.org","@type":"Article","headline":"{title}","position":{number}}}'
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f'<meta name="viewport" content="width=device-width">\n<meta name="description" content="{self._phrase(15)}">\n'
            '<link rel="stylesheet" href="/static/site.css">\n<script src="/static/site.js" defer></script>\n'
            f'<script type="application/ld+json">{facts}</script>\n</head>\n<body class="page">\n'
            f'<header><nav class="nav" aria-label="main"><ul>{bar}</ul></nav></header>\n<main>\n<article class="article">\n'
        )

    def _foot(self) -> str:
        elsewhere = "".join(
            f'<a rel="noopener" href="https://{name}.example.net/share?page={self._random.randint(1, 9999)}">{name}</a> '
            for name in ("one", "two", "three")
        )
        script = f"<script>window.page = {{ token: '{self._random.getrandbits(128):032x}', ready: true }};</script>"
        footer = f'<footer class="foot">{elsewhere}<small>{self._phrase(12)}</small></footer>'
        return f"</article>\n</main>\n{footer}\n{script}\n</body>\n</html>\n"

    def _lists(self, number: int) -> Iterator[str]:
        """Make the lists of links: children first, so that every page is reachable, then anywhere."""
        children = range(number * CHILDREN + 1, min((number + 1) * CHILDREN + 1, self._count))
        free = max(self._links - NAVIGATION - len(children) - 3, 0)
        targets = [*children, *(self._random.randrange(self._count) for _ in range(free))]
        for start in range(0, len(targets), IN_A_LIST):
            items = "".join(f'<li class="item">{self._anchor(target)}</li>' for target in targets[start : start + IN_A_LIST])
            yield f'<ul class="links">{items}</ul>\n'

    def _anchor(self, target: int) -> str:
        path, form = self._paths[target], self._random.random()
        href = f"..{path}" if form < 0.2 else f"{path}#{self._phrase(1)}" if form < 0.3 else path
        return f'<a class="link" href="{href}" title="{self._phrase(3)}">{self._phrase(4)}</a>'


def has_documentation() -> bool:
    """Tell whether Debian packages left HTML documentation on this machine."""
    return bool(_trees())


def _trees() -> dict[str, Path]:
    """Return the documentation of packages, each by the path it is served under."""
    names = ("python3*-doc/html", "postgresql-doc-*/html")
    found = {path.resolve(): path for name in names for path in sorted(Path("/usr/share/doc").glob(name))}
    return {f"/{path.parent.name}/": path for path in found.values() if (path / "index.html").exists()}


def documentation() -> Site:
    """Read the HTML documentation that Debian packages left on this machine."""
    trees = _trees()
    answers = dict(answer for prefix, path in sorted(trees.items()) for answer in _tree(prefix, path))
    entrances = "".join(f'<li><a href="{prefix}index.html">{prefix}</a></li>' for prefix in sorted(trees))
    root = f"<!DOCTYPE html><title>documentation</title><ul>{entrances}</ul>"
    answers[b"/"] = answer_of("text/html; charset=utf-8", root.encode())
    return Site(answers, frozenset(_reachable(answers)))


def _tree(prefix: str, path: Path) -> Iterator[tuple[bytes, Answer]]:
    for file in sorted(path.rglob("*")):
        if file.is_file():
            mime = guess_type(file.name)[0] or "application/octet-stream"
            yield f"{prefix}{file.relative_to(path)}".encode(), answer_of(mime, file.read_bytes())


def _reachable(answers: dict[bytes, Answer]) -> Iterator[bytes]:
    """Walk over the HTML pages that anchors lead to from the root."""
    waiting, seen = ["/"], {"/"}
    while waiting:
        path = waiting.pop()
        answer = answers.get(path.encode())
        if answer is None or not answer.mime.startswith("text/html"):
            continue
        yield path.encode()
        for target in set(_anchors(path, answer.body)) - seen:
            seen.add(target)
            waiting.append(target)


def _anchors(path: str, body: bytes) -> Iterable[str]:
    if not body.strip():
        return
    for href in html.document_fromstring(body).xpath("//a/@href"):
        parts = urlsplit(urljoin(f"http://site{path}", href.strip()))
        if parts.netloc == "site" and not parts.query:
            yield unquote(parts.path)
