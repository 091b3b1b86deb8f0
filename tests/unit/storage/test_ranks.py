"""The table of ranks: looked up by fingerprint, replaced whole."""

from pathlib import Path

import numpy as np
import pytest

from gossamer.errors import StoreError
from gossamer.storage.ranks import NAME, PageRanks, write_ranks

HIGH = (1 << 64) - 1


def test_a_rank_is_found_by_its_fingerprint_and_others_have_none(tmp_path: Path) -> None:
    write_ranks(tmp_path, np.array([3, 7, HIGH], np.uint64), np.array([0.5, 2.0, 0.25]))
    ranks = PageRanks.read_at(tmp_path)
    assert len(ranks) == 3
    assert ranks.of([HIGH, 4, 3, 7, 0, HIGH - 1]) == [0.25, 0.0, 0.5, 2.0, 0.0, 0.0]
    assert ranks.of([]) == []


def test_without_a_table_nothing_has_a_rank(tmp_path: Path) -> None:
    assert PageRanks.read_at(tmp_path).of([1, 2]) == [0.0, 0.0]


def test_a_table_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    write_ranks(tmp_path, np.array([1], np.uint64), np.array([1.0]))
    before = PageRanks.read_at(tmp_path)
    write_ranks(tmp_path, np.array([1, 2], np.uint64), np.array([0.5, 1.5]))
    assert before.of([1, 2]) == [1.0, 0.0]
    assert PageRanks.read_at(tmp_path).of([1, 2]) == [0.5, 1.5]


@pytest.mark.parametrize("content", [b"x", b"GRK2" + bytes(19), b"GRK2" + bytes(20), b"GRK2" + bytes(20) + b"more"])
def test_a_file_that_is_no_table_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(StoreError, match="no table of ranks"):
        PageRanks.read_at(tmp_path)
