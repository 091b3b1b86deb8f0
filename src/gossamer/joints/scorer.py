"""The joint of scorers: how soon is a URL fetched?

Where a scorer is installed its score takes the place of ours, in every order but `opic`, which goes by credit. There is one
order, so several scorers are refused before the crawl begins. The classes of the front queue stay as they are
(`policy/priority.py`). A worker process has a scorer of its own.
"""

from typing import Protocol, runtime_checkable

from gossamer.config.sections import Settings
from gossamer.records.candidate import Candidate


@runtime_checkable
class Scorer(Protocol):
    """An order of URLs. Pure: no network, no store, no clock."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings of the crawl."""

    def score(self, candidate: Candidate) -> float:
        """Return what a URL is worth, from 0 to 1: a higher score is sooner, and 1 makes up for thirty days of waiting."""
