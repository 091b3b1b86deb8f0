"""The joint of filters: does a URL belong to the crawl?

Every filter that is installed is asked about every new link, after our own rules; the first refusal decides. A refused URL is
remembered with its verdict and never fetched, and when it is found again in the same way nobody is asked: so a filter has to
say the same of the same candidate each time. A worker process has filters of its own.
"""

from typing import Protocol, runtime_checkable

from gossamer.config.sections import Settings
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Verdict


@runtime_checkable
class Filter(Protocol):
    """A rule for URLs. Pure: no network, no store, no clock."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings of the crawl."""

    def judge(self, candidate: Candidate) -> Verdict:
        """Allow or refuse a URL; either names the rule, and a refusal says why and how the URL ends."""
