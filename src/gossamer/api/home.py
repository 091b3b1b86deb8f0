"""The crawls that a server shows: one directory, or those in a home; each is looked up by name, and no name becomes a path."""

import os
import stat
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from gossamer.api.reach import CrawlReach
from gossamer.errors import NoSuchJob, NotACrawl, WhichJob
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.keeping import elsewhere


class Home:
    """All crawls of a place."""

    def __init__(self, place: Path, let: Collection[str] = ()) -> None:
        """`let`: settings that would be refused to everybody (`config/unsafe.py`), and are not."""
        self.place = place
        self.let = frozenset(let)
        self.is_one = (place / "crawl.json").exists()
        self._reaches: dict[str, CrawlReach] = {}
        self._sockets = TemporaryDirectory(prefix="gossamer-serve-")  # of keepers of crawls that cannot be written

    def paths(self) -> dict[str, Path]:
        """Return the directories of the crawls by name, in order; one that is a link or another user's is not served."""
        if self.is_one:
            return {self.place.resolve().name: self.place}
        found = [about.parent for about in self.place.glob("*/crawl.json")]
        return {path.name: path for path in sorted(found) if not path.name.startswith(".") and _is_ours(path)}

    def names(self) -> list[str]:
        """Return the names of the crawls, in order."""
        return list(self.paths())

    def reach(self, job: str | None) -> CrawlReach:
        """Return the way to a crawl; without a name to the only one."""
        paths = self.paths()
        if job is None:
            if len(paths) != 1:
                if not paths:
                    raise NoSuchJob("there is no crawl here yet; submit one")
                raise WhichJob(f"there are {len(paths)} crawls; say which with ?job=NAME: {', '.join(list(paths)[:50])}")
            job = next(iter(paths))
        if job not in paths:
            raise NoSuchJob(f"there is no crawl {job[:100]!r} here")
        if job not in self._reaches:
            try:
                directory = CrawlDirectory.open(paths[job])
            except NotACrawl as error:
                raise NoSuchJob(str(error)) from None
            self._reaches[job] = CrawlReach(job, elsewhere(directory, Path(self._sockets.name)))
        return self._reaches[job]

    async def forget(self, job: str) -> None:
        """Hang up on a crawl that is no more."""
        if (reach := self._reaches.pop(job, None)) is not None:
            await reach.aclose()

    async def aclose(self) -> None:
        """Hang up on all crawls."""
        for reach in self._reaches.values():
            await reach.aclose()
        self._sockets.cleanup()


def _is_ours(path: Path) -> bool:
    status, about = path.lstat(), (path / "crawl.json").lstat()
    return stat.S_ISDIR(status.st_mode) and stat.S_ISREG(about.st_mode) and os.getuid() in (0, status.st_uid)
