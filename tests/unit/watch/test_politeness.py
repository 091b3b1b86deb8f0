"""Requests that leave too soon are counted, and only those."""

import pytest

from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.watch import politeness as module
from gossamer.watch.politeness import PolitenessWatch

NOW = 1_700_000_000.0


def sent(given: float, started: float, answered: float, delay: float = 1.0, host: str = "a") -> Settlement:
    entry = Entry(f"http://{host}/", f"http://{host}/", host)
    lease = Lease(token=1, worker="w", entry=entry, leased_at=NOW + given, until=NOW + 300, delay=delay)
    answer = Answer(at=NOW + answered, seconds=answered - started)
    return Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=answer)


@pytest.mark.parametrize(
    ("second", "count"),
    [
        (sent(1.3, 1.3, 1.4), 0),
        (sent(1.0, 1.2, 1.4), 1),  # the turn came in time, but the first request had left late
        (sent(0.6, 0.6, 0.7), 1),
        (sent(0.6, 0.6, 0.7, delay=0.3), 0),  # the host was sped up meanwhile
        (sent(0.6, 0.6, 0.7, host="b"), 0),
        (sent(0.6, 0.6, 0.7, delay=0.0), 0),
        (sent(0.2, 1.5, 1.6), 1),  # turns of requests that are under way at once
    ],
)
def test_a_request_that_leaves_sooner_than_its_host_allows_is_counted(second: Settlement, count: int) -> None:
    watch = PolitenessWatch()
    watch.look([sent(0.0, 0.3, 0.5)])
    watch.look([second])
    assert watch.count == count
    together = PolitenessWatch()
    together.look([sent(0.0, 0.3, 0.5), second])
    assert together.count == count


def test_a_request_is_compared_with_the_one_right_before_it() -> None:
    watch = PolitenessWatch()
    watch.look([sent(0.0, 0.0, 0.1), sent(1.1, 1.1, 1.2), sent(1.6, 1.6, 1.7)])
    assert watch.count == 1


def test_only_so_many_hosts_are_remembered_and_those_are_that_were_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HOSTS", 2)
    watch = PolitenessWatch()
    for host in ("a", "b", "c", "d"):
        watch.look([sent(0.0, 0.0, 0.1, host=host)])
    watch.look([sent(0.5, 0.5, 0.6, host="a")])
    assert watch.count == 1
    for host in ("e", "f", "g", "h"):
        watch.look([sent(0.0, 0.0, 0.1, host=host)])
    watch.look([sent(0.7, 0.7, 0.8, host="b")])
    assert watch.count == 1
