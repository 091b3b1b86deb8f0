"""What a ledger is held against: the delay that the crawler could know."""

import pytest

from gossamer.jobs.ledger import SentRequest, _look_at_gaps


class Faults:
    """Collects offenders."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def look(self, fault: str = "") -> None:
        if fault:
            self.found.append(fault)

    def check(self) -> None: ...


@pytest.mark.parametrize(
    ("paths", "gap", "faults"),
    [
        (["/robots.txt", "/robots.txt"], 0.1, 0),  # Crawl-delay is not known before robots.txt is read
        (["/robots.txt", "/robots.txt"], 0.05, 1),
        (["/robots.txt", "/"], 0.1, 1),
        (["/robots.txt", "/", "/robots.txt"], 0.1, 2),  # asked for again later: it is known
        (["/robots.txt", "/", "/robots.txt"], 0.5, 0),
    ],
)
def test_crawl_delay_counts_from_the_first_page_on(paths: list[str], gap: float, faults: int) -> None:
    finding = Faults()
    requests = [SentRequest(number * gap, number * gap, "a", path) for number, path in enumerate(paths)]
    _look_at_gaps(finding, "a", requests, unread=0.1, read=0.5)
    assert len(finding.found) == faults
