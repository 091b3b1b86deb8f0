"""Rows on disk."""

import pytest

from gossamer.errors import StoreError
from gossamer.frontier.layout.rows import UrlRow, decode_host, decode_page, decode_url, encode, url_row
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import because
from gossamer.records.rules import Rule


def test_a_url_comes_back_as_it_was() -> None:
    row = UrlRow(2**63, State.DEAD, 2, True, 1, 2, 3, Outcome.TRAP, because(Rule.TRAPS_MAX_LENGTH, length=9), 2.5, 3.5)
    assert decode_url(encode(row)) == url_row(encode(row), 2**63, 0) == row


def test_a_url_without_a_row_waits_as_it_was_found() -> None:
    assert url_row(None, 2**64 - 1, 2) == UrlRow(2**64 - 1, State.WAITING, 2)


def test_a_damaged_row_is_a_store_error() -> None:
    for decode in (decode_url, decode_host, decode_page):
        with pytest.raises(StoreError, match="damaged"):
            decode(b"\x93\x01")
