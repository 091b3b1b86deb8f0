"""Rows on disk."""

from math import inf

import pytest

from gossamer.errors import StoreError
from gossamer.frontier.rows import HostRow, UrlRow, decode_host, decode_url, encode, encode_host
from gossamer.records import Entry, HostClock, HostPolicy, Outcome, Priority, State, Verdict


def test_a_url_comes_back_as_it_was() -> None:
    entry = Entry("http://a/?ä", "http://a/?ä", "a", 3, via="http://b/", refused=Verdict(False, "scope.within", "why"))
    row = UrlRow(entry, State.DEAD, Priority.LOW, 2**63, 1.5, True, 1, 2, Outcome.TRAP, "reason", 2.5, 3.5, 2**64 - 1)
    assert decode_url(encode(row)) == row


@pytest.mark.parametrize("recent", [0, 1, 2**63, 2**64 - 1, 2**64, 2**100 - 1])
def test_a_host_comes_back_with_all_hundred_bits(recent: int) -> None:
    clock = HostClock(next_time=1.5, recent=recent, recent_count=100, blocked_until=inf)
    row = HostRow(7, 1, 2, 3, 4, inf, 5, HostPolicy(max_qps=0.5, priority=Priority.HIGH), clock)
    back = decode_host(encode_host(row))
    assert back.clock == clock and back.policy == row.policy and back.number == 7


def test_a_damaged_row_is_a_store_error() -> None:
    with pytest.raises(StoreError, match="damaged"):
        decode_url(b"\x93\x01")
    with pytest.raises(StoreError, match="damaged"):
        decode_host(b"")
