"""A plugin: a filter that refuses URLs of archives and disk images before they are ever fetched.

Installed beside gossamer, it is named by an entry point in its own `pyproject.toml`:

    [project.entry-points."gossamer.filter"]
    large-files = "large_files:LargeFiles"

Every verdict names its rule, so `gossamer explain` tells why a URL was left out.
"""

from gossamer.config.sections import Settings
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Verdict
from gossamer.records.reason import because

LARGE = (".iso", ".img", ".tar.gz", ".zip", ".7z", ".dmg")
RULE = "large-files"


class LargeFiles:
    """Refuses URLs whose path ends like a large file's."""

    def __init__(self, settings: Settings) -> None:
        """Take the crawl's settings, as every plugin of this family does."""

    def judge(self, candidate: Candidate) -> Verdict:
        """Return what this rule says of a URL."""
        if candidate.url.path.lower().endswith(LARGE):
            return Verdict(False, because(RULE, text="looks like a large file"))
        return Verdict(True, because(RULE))
