"""Honest sites that say things more than once: views of a file, revisions of a page, translations that fall back to a language.

None of their pages is a trap. Some are the page itself (`honest`), often found after other views of it; a crawler that learns
from those to leave a whole make of URLs alone loses it.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.maze import MISSING, Links, Maze, MazePage, write

_FILES, _COMMITS = 30, 30
_VIEWS = ("plain", "raw", "annotate", "print", "tree")  # of a file, as they are linked: the page itself comes last
_FOLDERS = ("src", "lib", "docs")
_FILE = re.compile(r"/repo/(plain|raw|annotate|print|tree)/(src|lib|docs)/([a-z]+)\.c")
_COMMIT = re.compile(r"/repo/commit/([0-9a-f]{18})")

_PAGES, _REVISIONS = 24, 4
_REVISION = re.compile(r"/page/(\d+)(?:\?rev=(\d+)&skin=\w+)?")

_LANGUAGES = ("en", "de", "fr", "ja", "ko", "ru", "tr", "da")
_SECTIONS = ("mod", "howto")
_TOPICS = 12
_TOPIC = re.compile(r"/manual/([a-z]{2})/(mod|howto)/([a-z]+)\.html")
_START = re.compile(r"/manual/([a-z]{2})/")


class Viewed(Maze):
    """A site of which every page is honest, and some are said twice."""

    boundless = False
    copies = True
    traps: tuple[str, ...] = ("dedupe.*", "traps.template", "traps.parameter")
    outcomes: tuple[str, ...] = ("near_duplicate", "duplicate", "ok", "trap")

    @abstractmethod
    def honest(self) -> Sequence[str]:
        """List the paths that have to be fetched, whatever others say the same."""

    def tell(self, name: str, least: int, most: int) -> str:
        """Return the text that belongs to a name."""
        rng = self.chance(name)
        return prose.tell(rng, rng.randint(least, most))


class Repository(Viewed):
    """A browser of a repository: its verbs stand in the path, and the views of a file say what the file says."""

    def __init__(self, exhibit: str, seed: int) -> None:
        super().__init__(exhibit, seed)
        names = [f"{_FOLDERS[number % 3]}/{prose.WORDS[900 + number * 7]}.c" for number in range(_FILES)]
        self._files = dict.fromkeys(names)
        self._commits = {self.token(f"commit {number}"): names[number * 5 % _FILES] for number in range(_COMMITS)}

    def answer(self, path: str) -> MazePage:
        if path == "/":
            return write("Repositories", self.tell(path, 60, 90), [("/repo/tree/", "repo"), ("/repo/log/", "history")])
        if path == "/repo/tree/":
            links = [(f"/repo/{view}/{name}", view) for name in self._files for view in _VIEWS]
            return write("Files", self.tell(path, 60, 90), links)
        if path == "/repo/log/":
            return write(
                "History", self.tell(path, 60, 90), [(f"/repo/commit/{one}", self._subject(one)) for one in self._commits]
            )
        if (found := _COMMIT.fullmatch(path)) and found[1] in self._commits:
            return self._commit(found[1])
        found = _FILE.fullmatch(path)
        name = f"{found[2]}/{found[3]}.c" if found else ""
        return self._file(found[1], name) if found and name in self._files else MISSING

    def owns(self, path: str) -> str | None:
        found = _FILE.fullmatch(path)
        content = f"/repo/tree/{found[2]}/{found[3]}.c" if found else path
        return content if content in self.contents() else None

    def contents(self) -> Sequence[str]:
        trees = [f"/repo/tree/{name}" for name in self._files]
        return ["/", "/repo/tree/", "/repo/log/", *trees, *(f"/repo/commit/{one}" for one in self._commits)]

    def honest(self) -> Sequence[str]:
        return self.contents()

    def _file(self, view: str, name: str) -> MazePage:
        links = [(f"/repo/{other}/{name}", other) for other in _VIEWS]
        text = self.tell(name, 120, 260)
        commits = [one for one, file in self._commits.items() if file == name]
        links += [(f"/repo/commit/{one}", one) for one in commits]
        return write(name, text, links, footer=view)

    def _commit(self, one: str) -> MazePage:
        return write(self._subject(one), self.tell(one, 60, 120), [(f"/repo/tree/{self._commits[one]}", "file")])

    def _subject(self, one: str) -> str:
        return self.tell(f"subject {one}", 6, 9)


class RevisionMaze(Viewed):
    """Pages with their revisions, every second of which says the same as before; each link has a skin that changes nothing."""

    boundless = True

    def answer(self, path: str) -> MazePage:
        if path == "/":
            return write("Pages", self.tell(path, 60, 90), [(f"/page/{number}", f"page {number}") for number in range(_PAGES)])
        found = _REVISION.fullmatch(path)
        if found is None or int(found[1]) >= _PAGES or int(found[2] or 1) not in range(1, _REVISIONS + 1):
            return MISSING
        number = int(found[1])
        links: Links = [(self._spell(number, revision, path), f"revision {revision}") for revision in range(1, _REVISIONS + 1)]
        near = [(f"/page/{other}", f"page {other}") for other in (number - 1, number + 1) if 0 <= other < _PAGES]
        text = self.tell(self._content(number, int(found[2] or _REVISIONS)), 120, 240)
        return write(f"Page {number}", text, [*links, *near])

    def owns(self, path: str) -> str | None:
        found = _REVISION.fullmatch(path)
        if path == "/" or found is None:
            return path if path == "/" else None
        return self._content(int(found[1]), int(found[2] or _REVISIONS))

    def honest(self) -> Sequence[str]:
        return ["/", *(f"/page/{number}" for number in range(_PAGES))]

    def contents(self) -> Sequence[str]:
        pages = [self._content(number, revision) for number in range(_PAGES) for revision in range(1, _REVISIONS + 1)]
        return ["/", *dict.fromkeys(pages)]

    def _content(self, number: int, revision: int) -> str:
        """Name what a revision says: in every second page each pair of revisions says the same."""
        return f"page {number} as of {(revision + 1) // 2 if number % 2 else revision}"

    def _spell(self, number: int, revision: int, path: str) -> str:
        return f"/page/{number}?rev={revision}&skin={prose.WORDS[self.draw(f'{path} {revision}') % 4_000]}"


class Translations(Viewed):
    """A manual in eight languages, in most of which most pages are those of the first: every file is there to be kept."""

    traps = ("dedupe.*",)
    outcomes = ("duplicate", "ok")

    def __init__(self, exhibit: str, seed: int) -> None:
        super().__init__(exhibit, seed)
        self._topics = [prose.WORDS[1_300 + number * 11] for number in range(_TOPICS)]

    def answer(self, path: str) -> MazePage:
        if path == "/":
            return write("Manual", self.tell(path, 60, 90), [(f"/manual/{one}/", one) for one in _LANGUAGES])
        if (found := _START.fullmatch(path)) and found[1] in _LANGUAGES:
            links = [(f"{section}/{self._topics[0]}.html", section) for section in _SECTIONS]
            return write("Contents", self.tell(path, 60, 90), links)
        found = _TOPIC.fullmatch(path)
        if found is None or found[1] not in _LANGUAGES or found[3] not in self._topics:
            return MISSING
        number = self._topics.index(found[3])
        near = {(number + step) % _TOPICS for step in (1, 2, _TOPICS - 1)}
        links = [(f"{self._topics[other]}.html", self._topics[other]) for other in sorted(near)]
        return write(found[3], self.tell(self._written(path, found[1]), 120, 240), links)

    def _written(self, path: str, language: str) -> str:
        """Name the file that a path shows: its own, or that of the first language."""
        place = _LANGUAGES.index(language)
        is_own = place == 0 or (place < 3 and self.draw(path) % 3) or self.draw(path) % 12 == 0
        return path if is_own else path.replace(f"/{language}/", f"/{_LANGUAGES[0]}/", 1)

    def owns(self, path: str) -> str | None:
        found = _TOPIC.fullmatch(path)
        return (self._written(path, found[1]) if found else path) if path in self.honest() else None

    def contents(self) -> Sequence[str]:
        return list(dict.fromkeys(self.owns(path) or path for path in self.honest()))

    def honest(self) -> Sequence[str]:
        starts = [f"/manual/{language}/" for language in _LANGUAGES]
        pages = [f"{start}{section}/{topic}.html" for start in starts for section in _SECTIONS for topic in self._topics]
        return ["/", *starts, *pages]
