"""A host that is never quite well: for hundreds of requests every kind of failure comes and goes, in a mixture that nobody can
foresee, and each page is there when it is asked for once more.

The order of visits decides which page fails when, so the server sees to it (`server.py`) that no more than two failures follow
each other: no crawler's breaker has a reason to open, and every page ends as ok.
"""

from itertools import chain, cycle
from typing import Any

from gossamer.simweb.builder import Builder
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import AILMENTS, Ailment

_WARDS = 3
_BEDS = 40  # of a ward
_ONE_IN = 4  # of the beds has a page that fails first
_SMALL = 2_000  # bytes
_SELDOM: tuple[Ailment, ...] = ("busy", "asked too often")  # the host is left alone for a while then: once each


def clinic(builder: Builder) -> None:
    """Add that host to a web of the default size or more: 150 requests, of which one in five fails."""
    if builder.settings.pages < SimwebSettings().pages:
        return
    host = builder.found("clinic.sim")
    builder.hosts.append(host)
    host.pages.append(builder.add(None, "/", host=host))
    coming = chain(_SELDOM, cycle(ailment for ailment in AILMENTS if ailment not in _SELDOM))
    for number in range(_WARDS):
        ward = builder.add(host.root, f"/ward-{number}/")
        host.pages.append(ward)
        for bed in range(_BEDS):
            ill: dict[str, Any] = {} if bed % _ONE_IN else {"failures": 1, "ailment": next(coming)}
            host.pages.append(builder.add(ward, f"{ward.path}bed-{bed}.html", size=_SMALL, **ill))
