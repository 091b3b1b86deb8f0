"""The list of all mazes, and the truth about them: who owns what, where a crawl begins, how every known URL ends."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice

from gossamer.simweb.manifest import ManifestEntry
from gossamer.simweb.mazes.archive import DayArchive
from gossamer.simweb.mazes.calendar import Calendar
from gossamer.simweb.mazes.copies import Mirror, Printer, RelativeLinks
from gossamer.simweb.mazes.forum import Forum
from gossamer.simweb.mazes.generated import LinkFarm, Markov, RedirectMaze
from gossamer.simweb.mazes.hostile import SitemapFarm, WordFarm
from gossamer.simweb.mazes.lists import Facets, Pagination
from gossamer.simweb.mazes.maze import Maze
from gossamer.simweb.mazes.missing import Soft404, Soft404Redirect
from gossamer.simweb.mazes.ordinary import Ordinary
from gossamer.simweb.mazes.sessions import SessionPath, SessionQuery, Tracking
from gossamer.simweb.mazes.shop import Shop
from gossamer.simweb.mazes.views import Repository, RevisionMaze, Translations
from gossamer.simweb.mazes.walk import walk
from gossamer.simweb.mazes.wiki import Wiki

Build = Callable[[str, int, float], list[Maze]]

_SAMPLE = 200  # URLs without content of their own that the manifest lists of an exhibit
_FARTHEST = 4_000  # paths looked at to find them


def _one(kind: Callable[[str, int], Maze]) -> Build:
    return lambda exhibit, seed, scale: [kind(exhibit, seed)]


def _giant(kind: Callable[[str, int, float], Maze]) -> Build:
    return lambda exhibit, seed, scale: [kind(exhibit, seed, scale)]


def _mirrored(exhibit: str, seed: int, scale: float) -> list[Maze]:
    return [Mirror(exhibit, seed), Mirror(exhibit, seed, name=f"{exhibit}-copy")]


TRAPS: dict[str, Build] = {
    "calendar": _one(Calendar),
    "session-query": _one(SessionQuery),
    "session-path": _one(SessionPath),
    "facets": _one(Facets),
    "relative-links": _one(RelativeLinks),
    "soft404": _one(Soft404),
    "soft404-redirect": _one(Soft404Redirect),
    "link-farm": _one(LinkFarm),
    "redirect-maze": _one(RedirectMaze),
    "markov": _one(Markov),
    "pagination": _one(Pagination),
    "mirror": _mirrored,
    "printer": _one(Printer),
    "tracking": _one(Tracking),
}
GIANTS: dict[str, Build] = {"shop": _giant(Shop), "forum": _giant(Forum), "wiki": _giant(Wiki), "archive": _giant(DayArchive)}
ORDINARY: dict[str, Build] = {"ordinary-one": _one(Ordinary), "ordinary-two": _one(Ordinary)}
VIEWS: dict[str, Build] = {  # honest, but everything has other views
    "repository": _one(Repository),
    "revisions": _one(RevisionMaze),
    "translations": _one(Translations),
}
EXHIBITS = TRAPS | GIANTS | ORDINARY | VIEWS
HOSTILE: dict[str, Build] = {  # only by name: what ends them is a budget
    **{f"word-farm-{number}": _one(WordFarm) for number in range(1, 4)},
    **{f"sitemap-farm-{number}": _one(SitemapFarm) for number in range(1, 3)},
}


def choose(wanted: str, *, seed: int = 1, scale: float = 1.0) -> list[Maze]:
    """Make the mazes of a list of exhibits, separated by commas, or of `all`; `scale` shrinks the giants."""
    if scale <= 0:
        raise ValueError(f"a scale of {scale:g} leaves nothing of the giants; ask for more than 0")
    names = list(EXHIBITS) if wanted == "all" else [word for word in wanted.split(",") if word]
    known = EXHIBITS | HOSTILE
    for name in names:
        if name not in known:
            raise ValueError(f"no maze is called {name!r}; there are {', '.join(known)}")
    return [maze for name in dict.fromkeys(names) for maze in known[name](name, seed, scale)]


def judge(host: str, path: str, *, seed: int = 1, scale: float = 1.0) -> tuple[str, str | None]:
    """Name the exhibit a host belongs to, and the content of a path if it has its own; raise KeyError for another host."""
    maze = _by_host(seed, scale)[host]
    return maze.exhibit, maze.owns(path)


@cache
def _by_host(seed: int, scale: float) -> dict[str, Maze]:
    return {maze.host: maze for maze in choose("all", seed=seed, scale=scale)}


def seeds(mazes: Iterable[Maze], port: int) -> list[str]:
    """Return where a crawl of them begins."""
    return [f"http://{maze.host}:{port}/" for maze in mazes]


def entries(mazes: Iterable[Maze], port: int) -> Iterator[ManifestEntry]:
    """Say how the known URLs of the mazes end: all content there is, and a sample of what is none."""
    met: dict[str, set[str]] = {}  # the contents listed of every exhibit
    for maze in mazes:
        origin = f"http://{maze.host}:{port}"
        paths = maze.paths()
        if paths is None:
            yield from _walked(maze, origin, met.setdefault(maze.exhibit, set()))
        else:
            yield from (_own(maze, origin, path, "", "") for path in paths)


def _walked(maze: Maze, origin: str, met: set[str]) -> Iterator[ManifestEntry]:
    """Walk until all content is met and the sample is full, or the walk is long enough."""
    missing, empty = len(set(maze.contents()) - met), 0
    for path, _, found_by in islice(walk(maze), _FARTHEST):
        if not missing and empty == _SAMPLE:
            return
        content = maze.owns(path)
        if content is not None and content not in met:
            met.add(content)
            missing -= 1
            yield _own(maze, origin, path, found_by, content)
        elif empty < _SAMPLE:
            empty += 1
            yield _trapped(maze, origin, path, found_by, content or "")


def _own(maze: Maze, origin: str, path: str, found_by: str, content: str) -> ManifestEntry:
    """Describe a URL with content of its own; where others bring it too, they are a group, and it may end like them."""
    excused = (maze.copies or maze.deep) and path != "/"
    return ManifestEntry(
        url=origin + path,
        host=maze.host,
        fetch=True,
        outcome="ok",
        outcomes=tuple(dict.fromkeys(("ok", *maze.outcomes))) if excused else ("ok",),
        status=200,
        group=f"{maze.exhibit} {content}" if maze.copies else "",
        requests_max=1,
        found_by=origin + found_by if found_by else "seed" if path == "/" else "",
        maze=maze.exhibit,
        own=True,
        traps=maze.traps if excused else (),
    )


def _trapped(maze: Maze, origin: str, path: str, found_by: str, content: str) -> ManifestEntry:
    return ManifestEntry(
        url=origin + path,
        host=maze.host,
        fetch=False,
        outcome=maze.outcomes[0],
        outcomes=maze.outcomes,
        group=content and f"{maze.exhibit} {content}",
        requests_max=1,
        found_by=origin + found_by if found_by else "seed",
        maze=maze.exhibit,
        traps=maze.traps,
    )
