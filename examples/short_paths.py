"""A plugin: a scorer that fetches URLs with short paths first, wherever they were found.

Installed beside gossamer, it is named by an entry point in its own `pyproject.toml`:

    [project.entry-points."gossamer.scorer"]
    short-paths = "short_paths:ShortPaths"
"""

from gossamer.config.sections import Settings
from gossamer.records.candidate import Candidate


class ShortPaths:
    """Scores a URL by the number of folders in its path: 1 at the root, a half one below, and so on."""

    def __init__(self, settings: Settings) -> None:
        """Take the crawl's settings, as every plugin of this family does."""

    def score(self, candidate: Candidate) -> float:
        """Return what a URL is worth."""
        return 1.0 / max(candidate.url.path.count("/"), 1)
