"""Visits under way: each ends once, and a host is visited as long as one of its visits is."""

from gossamer.records.entry import Entry
from gossamer.records.lease import Lease
from gossamer.remote.underway import VisitsUnderWay


def lease(token: int, host: str, until: float = 300.0) -> Lease:
    return Lease(token=token, worker="w", entry=Entry("", "", host), leased_at=0.0, until=until)


def test_a_host_is_visited_until_the_last_of_its_visits_has_ended() -> None:
    out = VisitsUnderWay()
    for token, host in ((1, "a"), (2, "a"), (3, "b")):
        out.add(lease(token, host))
    out.end(1)
    out.end(1)
    assert out.visits("a") and out.visits("b") and not out.visits("c") and len(out) == 2
    out.end(2)
    assert not out.visits("a") and out.get(2) is None and out.get(3) == lease(3, "b") == out.oldest


def test_what_has_run_out_has_ended() -> None:
    out = VisitsUnderWay()
    for token, until in ((1, 10.0), (2, 20.0)):
        out.add(lease(token, "a", until))
    out.end_expired(10.0)
    assert len(out) == 1 and out.visits("a") and out.get(1) is None
    assert out.end_all() == 1 and not out.visits("a") and out.oldest is None
