"""What a living host holds: which pages, how often each changes, and which version of it is there at a time.

Time is seconds since the web began. A page that changes each `every` seconds changes once in every stretch of that length, at
a moment drawn from the seed: regular in the long run, irregular from one change to the next, and the version at any time is
known at once. A time in a footer that changes with every answer makes no new version: no reader would call it one.
"""

from hashlib import blake2b
from random import Random
from typing import NamedTuple

from gossamer.simweb.mazes import prose

DOMAIN = "living.sim"
HOUR = 3600.0
DAY = 24 * HOUR
HOME = "/"
ROBOTS, SITEMAP, RSS, ATOM = "/robots.txt", "/sitemap.xml", "/rss.xml", "/atom.xml"
LISTS = (SITEMAP, RSS, ATOM)
_OLDEST = 100 * DAY  # at most so long before the web began did a page change that never does since
_WORDS = 150


class PageHabit(NamedTuple):
    """How a page changes, and what its host says of it."""

    every: float = 0.0  # seconds between two changes, on average; 0: it never changes
    tag: bool = False  # its answers have an ETag
    dated: bool = False  # and a Last-Modified
    ticking: bool = False  # its footer is another one in each answer
    told: str = ""  # the list that says when it changed
    by_day: bool = False  # which names only the day
    copy_of: str = ""  # it says what another page says


PAGES = {
    "/still/both.html": PageHabit(tag=True, dated=True),
    "/still/tag.html": PageHabit(tag=True),
    "/still/date.html": PageHabit(dated=True),
    "/still/bare.html": PageHabit(),
    "/still/copy.html": PageHabit(tag=True, copy_of="/still/both.html"),
    "/ticking/still.html": PageHabit(ticking=True),
    "/ticking/daily.html": PageHabit(DAY, ticking=True),
    "/lively/both.html": PageHabit(6 * HOUR, tag=True, dated=True),
    "/lively/tag.html": PageHabit(12 * HOUR, tag=True, told=RSS),
    "/lively/date.html": PageHabit(DAY, dated=True, told=SITEMAP),
    "/lively/bare.html": PageHabit(DAY, told=ATOM),
    "/told/by-sitemap.html": PageHabit(20 * DAY, tag=True, dated=True, told=SITEMAP),
    "/told/day.html": PageHabit(20 * DAY, tag=True, told=SITEMAP, by_day=True),
    "/told/by-channel.html": PageHabit(20 * DAY, tag=True, dated=True, told=RSS),
    "/told/by-atom.html": PageHabit(20 * DAY, told=ATOM),
}
_HOME = PageHabit(tag=True)


class LivingSite:
    """One living host."""

    def __init__(self, name: str, seed: int) -> None:
        self.host = f"{name}.{DOMAIN}"
        self._seed = f"{seed}/{self.host}"

    def manner(self, path: str) -> PageHabit | None:
        """Return how the page of a path behaves; None: there is none."""
        return _HOME if path == HOME else PAGES.get(path)

    def version(self, path: str, time: float) -> int:
        """Return which version of a page is there, 1 being the first."""
        every = self._changing(path).every
        if not every:
            return 1
        past = int(time // every)  # stretches that are over: each had its change
        return 1 + past + (self._moment(path, past) <= time)

    def changed_at(self, path: str, time: float) -> float:
        """Return when the version that is there came; before the web began if it is the first."""
        number = self.version(path, time)
        if number > 1:
            return self._moment(path, number - 2)
        return -self._share(path, "age") * (self._changing(path).every or _OLDEST)

    def words(self, path: str, version: int) -> tuple[str, str]:
        """Return the title of a page, which stays, and what it says in a version."""
        path = self._original(path)
        return prose.title(Random(f"{self._seed}{path}")), prose.tell(Random(f"{self._seed}{path}#{version}"), _WORDS)

    def _original(self, path: str) -> str:
        manner = self.manner(path)
        return manner.copy_of if manner is not None and manner.copy_of else path

    def _changing(self, path: str) -> PageHabit:
        manner = self.manner(self._original(path))
        assert manner is not None, f"{path} is no page"
        return manner

    def _moment(self, path: str, stretch: int) -> float:
        """Return when a page changes in a stretch of its time, 0 being the first."""
        return (stretch + self._share(path, str(stretch))) * self._changing(path).every

    def _share(self, path: str, name: str) -> float:
        """Draw a number between 0 and 1 that belongs to a name."""
        drawn = blake2b(f"{self._seed}{self._original(path)}/{name}".encode(), digest_size=6).digest()
        return int.from_bytes(drawn) / 2**48
