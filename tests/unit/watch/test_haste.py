"""Requests that leave too soon are counted, and only those."""

import pytest

from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.watch import haste as module
from gossamer.watch.haste import Haste

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
    haste = Haste()
    haste.look([sent(0.0, 0.3, 0.5)])
    haste.look([second])
    assert haste.count == count
    together = Haste()
    together.look([sent(0.0, 0.3, 0.5), second])
    assert together.count == count


def test_a_request_is_compared_with_the_one_right_before_it() -> None:
    haste = Haste()
    haste.look([sent(0.0, 0.0, 0.1), sent(1.1, 1.1, 1.2), sent(1.6, 1.6, 1.7)])
    assert haste.count == 1


def test_only_so_many_hosts_are_remembered_and_those_are_that_were_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HOSTS", 2)
    haste = Haste()
    for host in ("a", "b", "c", "d"):
        haste.look([sent(0.0, 0.0, 0.1, host=host)])
    haste.look([sent(0.5, 0.5, 0.6, host="a")])
    assert haste.count == 1
    for host in ("e", "f", "g", "h"):
        haste.look([sent(0.0, 0.0, 0.1, host=host)])
    haste.look([sent(0.7, 0.7, 0.8, host="b")])
    assert haste.count == 1
