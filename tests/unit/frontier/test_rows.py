"""Rows on disk."""

import pytest

from gossamer.errors import StoreError
from gossamer.frontier.rows import UrlRow, decode_host, decode_page, decode_url, encode, encode_short
from gossamer.records import Outcome, State


def test_a_url_comes_back_as_it_was() -> None:
    row = UrlRow(2**63, "http://a/?ä", State.DEAD, 2, True, 1, 2, 3, Outcome.TRAP, "reason", 2.5, 3.5)
    assert decode_url(encode(row)) == row


def test_a_url_that_only_waits_has_a_short_row() -> None:
    for key in ("http://a/?ä", ""):
        assert decode_url(encode_short(2**64 - 1, key, 2)) == UrlRow(2**64 - 1, key, State.WAITING, 2)


def test_a_damaged_row_is_a_store_error() -> None:
    for decode in (decode_url, decode_host, decode_page):
        with pytest.raises(StoreError, match="damaged"):
            decode(b"\x93\x01")
