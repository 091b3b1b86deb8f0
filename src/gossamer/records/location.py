"""Where a store is: on this machine below the crawl's directory, or anywhere else that a URI can name."""

from pathlib import Path

from msgspec import Struct

from gossamer.errors import ConfigError


class Location(Struct, frozen=True):
    """A URI, taken apart: `scheme:path` is a path below the crawl's directory, `scheme://...` is none."""

    scheme: str
    path: Path | None
    uri: str

    @property
    def on_disk(self) -> Path:
        """Return the path, for a store that keeps files; a URI of another machine is refused."""
        if self.path is None:
            raise ConfigError(f"{self.uri} names no files, and {self.scheme} keeps some; write it like {self.scheme}:name")
        return self.path
