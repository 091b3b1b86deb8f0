"""Allow and block lists in files, read again when they change, so that an operator can change them while the crawl runs."""

from pathlib import Path

from gossamer.config import sections
from gossamer.errors import ConfigError
from gossamer.filters.patterns import Patterns
from gossamer.filters.scope import Scope


class ListFile:
    """One list file and when it was last read."""

    def __init__(self, path: str, knob: str) -> None:
        self._path = Path(path) if path else None
        self._knob = knob
        self._stamp: tuple[int, int] | None = None
        self.patterns: Patterns | None = None

    def refresh(self) -> bool:
        """Read the file if it changed; True when the patterns are new. Raises `ConfigError` and keeps the old ones."""
        if self._path is None:
            return False
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp == self._stamp:
                return False
            self._stamp = stamp
            lines = self._path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"cannot read {self._path} named by {self._knob}: {error}; correct the path or the file"
            ) from error
        self.patterns = Patterns.parse(lines, str(self._path))
        return True


class Lists:
    """Both lists of a crawl."""

    def __init__(self, settings: sections.ScopeSettings) -> None:
        self._allow = ListFile(settings.allow_file, "scope.allow_file")
        self._block = ListFile(settings.block_file, "scope.block_file")

    def refreshed(self, scope: Scope) -> Scope:
        """Return the scope with the lists as they are on disk now; the same one when nothing changed."""
        changed = [self._allow.refresh(), self._block.refresh()]
        return scope.with_lists(self._allow.patterns, self._block.patterns) if any(changed) else scope
