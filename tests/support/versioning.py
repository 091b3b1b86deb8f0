"""A crawl of a small site that changes, visited again and again, so that its pages have versions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crawling import run_gossamer
from serving import Answer, Asked, Site, page, site_running

ROUNDS = 6
LOCAL = ["--allow-private", "127.0.0.0/8", "--delay", "0", "--set", "traps.soft_404=false", "--quiet"]


@dataclass
class Round:
    """Which visit this is; pages look at it to know what they say."""

    number: int = 1


@dataclass(frozen=True)
class Grown:
    """A crawl with versions, and its site."""

    directory: Path
    site: Site
    round: Round

    def url(self, path: str) -> str:
        return self.site.url(path)

    def recrawl(self) -> None:
        """Visit every page once more, in a new round."""
        self.round.number += 1
        result = run_gossamer("recrawl", self.directory, "--quiet")
        assert result.returncode == 0, result.stderr


def said(name: str, number: int, *links: str) -> Answer:
    """Return what a page says in its version of that number: enough words to be unlike every other."""
    return page(*links, title=f"{name} {number} " + " ".join(f"{name}{number}word{each}" for each in range(60)))


def routes_of(now: Round) -> dict[str, object]:
    """The site: pages that change always, now and then, and never; and a copy of one as it was at first."""

    def steps(asked: Asked) -> Answer:  # changes every second time, and says so by its tag
        number = (now.number + 1) // 2
        if asked.headers.get("if-none-match") == f'"{number}"':
            return 304, {"etag": f'"{number}"'}, b""
        status, headers, body = said("steps", number, "/")
        return status, {**headers, "etag": f'"{number}"'}, body

    return {
        "/": page("/always", "/steps", "/never", title="home"),
        "/always": lambda asked: said("always", now.number, "/copy"),
        "/steps": steps,
        "/never": said("never", 1, "/"),
        "/copy": said("always", 1, "/copy"),
    }


@contextmanager
def grown_crawl(place: Path) -> Iterator[Grown]:
    """Crawl the site, and recrawl it until it was seen so many times; it is served until the end."""
    now = Round()
    with site_running(routes_of(now)) as site:
        grown = Grown(place / "crawl", site, now)
        result = run_gossamer("crawl", site.url(), "--dir", grown.directory, *LOCAL)
        assert result.returncode == 0, result.stderr
        while now.number < ROUNDS:
            grown.recrawl()
        yield grown
