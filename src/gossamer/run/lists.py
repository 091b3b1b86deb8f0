"""Allow and block lists in files, read again when they change, so that an operator can change them while the crawl runs.

A list has up to two files: one that a setting names (`scope.allow_file`), which is the operator's own, and `allow.txt` of the
crawl's directory, which a crawl is told to change (`jobs/operations/lists.py`). Both together are the list. What the directory
has is no list while there is no pattern in it: a crawl that is told to forget its last one allows everything again.
"""

from collections.abc import Iterable
from pathlib import Path

from gossamer.config import sections
from gossamer.errors import ConfigError
from gossamer.filters.patterns import Patterns, written_lines
from gossamer.filters.scope import Scope

OWN = {"allow": "allow.txt", "block": "block.txt"}  # in the directory of a crawl
_Stamp = tuple[int, int]


class ListFile:
    """One list and when its files were last read."""

    def __init__(self, path: str, knob: str, own: Path | None = None) -> None:
        self._path = Path(path) if path else None
        self._knob = knob
        self._own = own
        self._stamps: list[_Stamp | None] = [None, None]
        self.patterns: Patterns | None = None

    def refresh(self) -> bool:
        """Read the files if one changed; True when the patterns are new. Raises `ConfigError` and keeps the old ones."""
        stamps = [self._stamp(self._path, must_be=True), self._stamp(self._own, must_be=False)]
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        lists = []
        if self._path is not None:
            lists.append((str(self._path), self._read(self._path)))
        if self._own is not None and stamps[1] is not None:
            lines = self._read(self._own)
            lists += [(str(self._own), lines)] if any(written_lines(lines, "")) else []
        self.patterns = Patterns.join(lists) if lists else None
        return True

    def _stamp(self, path: Path | None, must_be: bool) -> _Stamp | None:
        if path is None:
            return None
        try:
            status = path.stat()
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not must_be:
                return None
            raise self._unreadable(path, error) from error
        return status.st_mtime_ns, status.st_size

    def _read(self, path: Path) -> list[str]:
        try:
            return path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise self._unreadable(path, error) from error

    def _unreadable(self, path: Path, error: Exception) -> ConfigError:
        named = f" named by {self._knob}" if path == self._path else ""
        return ConfigError(f"cannot read {path}{named}: {error}; correct the path or the file")


class Lists:
    """Both lists of a crawl; `directory`: where it keeps its own."""

    def __init__(self, settings: sections.ScopeSettings, directory: Path | None = None) -> None:
        own = {kind: None if directory is None else directory / name for kind, name in OWN.items()}
        self._allow = ListFile(settings.allow_file, "scope.allow_file", own["allow"])
        self._block = ListFile(settings.block_file, "scope.block_file", own["block"])

    def refreshed(self, scope: Scope) -> Scope:
        """Return the scope with the lists as they are on disk now; the same one when nothing changed."""
        changed = [self._allow.refresh(), self._block.refresh()]
        return scope.with_lists(self._allow.patterns, self._block.patterns) if any(changed) else scope


def changed_lines(lines: Iterable[str], add: Iterable[str], remove: Iterable[str], name: str) -> list[str]:
    """Return the lines of a list without some patterns and with some others; raise `ConfigError` for what is no pattern."""
    gone, kept = set(remove), []
    for text in lines:
        line = text.strip()
        if line not in gone:
            kept.append(line)
    new = [pattern for pattern in dict.fromkeys(map(str.strip, add)) if pattern not in kept]
    for pattern in new:
        if not pattern or pattern.startswith("#") or len(pattern.splitlines()) != 1:
            raise ConfigError(f"{name}: {pattern!r} is no pattern; write a host, the beginning of a URL or /an expression/")
    Patterns.parse([*kept, *new], name)
    return [*kept, *new]
