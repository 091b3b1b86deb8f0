"""The crawls that a server shows: one directory, or those in a home; each is looked up by name, and no name becomes a path."""

import re
from pathlib import Path

from gossamer.api.reach import CrawlReach
from gossamer.errors import GossamerError, NotACrawl
from gossamer.jobs.directory import CrawlDirectory

NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")


class NoSuchJob(GossamerError):
    """There is no crawl of that name."""


class WhichJob(GossamerError):
    """There are several crawls, and none was named."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"there are {len(names)} crawls; say which with ?job=NAME: {', '.join(names[:50])}")


class Home:
    """All crawls of a place."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.is_one = (place / "crawl.json").exists()
        self._reaches: dict[str, CrawlReach] = {}

    def names(self) -> list[str]:
        """Return the names of the crawls, in order; a directory that is a link is not served."""
        if self.is_one:
            return [self.place.resolve().name]
        found = [about.parent for about in self.place.glob("*/crawl.json")]
        return sorted(path.name for path in found if not path.is_symlink() and not (path / "crawl.json").is_symlink())

    def reach(self, job: str | None) -> CrawlReach:
        """Return the way to a crawl; without a name to the only one."""
        names = self.names()
        if job is None:
            if len(names) != 1:
                raise WhichJob(names) if names else NoSuchJob("there is no crawl here yet; submit one")
            job = names[0]
        if job not in names:
            raise NoSuchJob(f"there is no crawl {job[:100]!r} here")
        if job not in self._reaches:
            path = self.place if self.is_one else self.place / job
            try:
                self._reaches[job] = CrawlReach(job, CrawlDirectory.open(path))
            except NotACrawl as error:
                raise NoSuchJob(str(error)) from None
        return self._reaches[job]

    async def aclose(self) -> None:
        """Hang up on all crawls."""
        for reach in self._reaches.values():
            await reach.aclose()
