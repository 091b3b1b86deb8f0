"""Judge a crawl of an application by its truth and by what its front saw: what is found, what is lost, what was in vain.

Content counts as found when it is kept under its canonical URL as a page of its own (outcome ok) and a search for its phrase
finds it there. A page that is content is judged wrongly when the crawler calls it a trap, a soft 404 or a copy.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from applications.running import Asked, Content, Running
from crawling import run_gossamer

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import find_pages
from gossamer.records.pagequery import PageQuery

WRONG = {"trap", "soft_404", "duplicate", "near_duplicate"}
BUDGET = 5  # pages a content page that a crawl may keep: enough for waste to show, and for wrong lessons to be learned
ALL = os.environ.get("REAL_APPLICATIONS") == "all"  # in `make soak`
PACE = (
    "--delay",
    "0",
    "--connections",
    "4",
    "--allow-private",
    "127.0.0.0/8",
    "--quiet",
    "--set",
    "documents.max_links=100000",
    "--set",
    "breaker.open_for=1",  # an application may answer a row of its own links with 500, as Trac does
)


@dataclass(frozen=True)
class Lost:
    """Content that was not found, and what the crawler says about it."""

    content: Content
    outcome: str
    words: str

    @property
    def is_wrong(self) -> bool:
        """Whether the crawler's judgement is to blame, and not the end of its budget."""
        return self.outcome in WRONG


@dataclass(frozen=True)
class Judged:
    """What a crawl made of an application."""

    application: str
    crawler: str
    content: int
    lost: tuple[Lost, ...]
    requests: int
    until: int | None  # requests until all content was there; None: it never was
    fetched: int  # content that was requested and answered, whatever became of it

    @property
    def found(self) -> int:
        """How much content was found."""
        return self.content - len(self.lost)

    @property
    def wrong(self) -> list[Lost]:
        """Content that was judged wrongly."""
        return [one for one in self.lost if one.is_wrong]

    @property
    def waste(self) -> float:
        """Share of the requests that brought no content for the first time."""
        return 1 - self.fetched / self.requests if self.requests else 0.0

    @property
    def ratio(self) -> float | None:
        """Requests a content page until all was there."""
        return self.until / self.content if self.until else None

    def by_outcome(self) -> dict[str, int]:
        """Count what was lost by what the crawler calls it."""
        return dict(Counter(one.outcome for one in self.lost))


def crawl(app: Running, directory: Path, *options: str, timeout: float = 600) -> None:
    """Crawl an application with gossamer and index what was kept."""
    result = run_gossamer("crawl", app.url(app.seed), "--dir", directory, *PACE, *options, timeout=timeout)
    assert result.returncode == 0, result.stdout + result.stderr
    indexed = run_gossamer("index", directory)
    assert indexed.returncode == 0, indexed.stderr


def judge(app: Running, directory: Path) -> Judged:
    """Judge gossamer's crawl."""
    crawl = CrawlDirectory.open(directory)
    kept = {name_of(page.url) for page in find_pages(crawl) if page.outcome == "ok"}
    missed = [one for one in app.truth if not any(name in kept for name in names_of(one))]
    unfound = [one for one in app.truth if one.phrase and one not in missed and not _is_found(crawl, one)]
    lost = [*_explained(app, directory, missed), *(Lost(one, "not found by search", "kept") for one in unfound)]
    return _judged(app, "gossamer", app.asked(), lost)


def judge_requests(app: Running, crawler: str, budget: int) -> Judged:
    """Judge another crawler, of which only the requests are known, by its first ones; what it fetched counts as found."""
    asked = app.asked()[:budget]
    there = {name_of(one.url) for one in asked if one.status == 200}
    lost = [Lost(one, "not requested", "") for one in app.truth if not any(name in there for name in names_of(one))]
    return _judged(app, crawler, asked, lost)


def _is_found(crawl: CrawlDirectory, content: Content) -> bool:
    return any(name_of(page.url) in names_of(content) for page in find_pages(crawl, PageQuery(words=content.phrase)))


def _judged(app: Running, crawler: str, asked: Sequence[Asked], lost: Iterable[Lost]) -> Judged:
    waiting = {name: number for number, one in enumerate(app.truth) for name in names_of(one)}
    seen: set[int] = set()
    until = None
    for count, one in enumerate(asked, 1):
        number = waiting.get(name_of(one.url))
        if one.status == 200 and number is not None and number not in seen:
            seen.add(number)
            if len(seen) == len(app.truth):
                until = count
    return Judged(app.name, crawler, len(app.truth), tuple(lost), len(asked), until, len(seen))


def _explained(app: Running, directory: Path, missed: list[Content]) -> list[Lost]:
    if not missed:
        return []
    stdin = "".join(f"{app.url(one.url)}\n" for one in missed)
    result = run_gossamer("explain", directory, "-", "--json", stdin=stdin)
    assert result.returncode == 0, result.stderr
    told = [json.loads(line) for line in result.stdout.splitlines()]
    lost = []
    for one, answer in zip(missed, told, strict=True):
        lost.append(Lost(one, str(answer["outcome"] or answer["state"]), str(answer["reason"])))
    return lost


def names_of(content: Content) -> list[str]:
    """Return the names that content may be kept under, read as a person reads them."""
    return [unquote(name) for name in (content.url, *content.also)]


def name_of(url: str) -> str:
    """Return path and query of a URL, read as a person reads them."""
    parts = urlsplit(url)
    return unquote(f"{parts.path}?{parts.query}" if parts.query else parts.path)
