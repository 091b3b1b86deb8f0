"""The comparison: a peer is compared with the runs of ours beside it, and a crawl that failed with nothing."""

import pytest
from bench.table import Row
from bench.versus import middle, ratio


def row(pages: int, cpu: float, remark: str = "") -> Row:
    return {"pages": pages, "cpu_seconds": cpu, "rate": pages / cpu if pages else None, "remark": remark}


def test_a_ratio_is_to_our_runs_before_and_after() -> None:
    assert ratio([row(100, 1.0), row(100, 3.0)], row(100, 10.0)) == pytest.approx(5.0)


def test_there_is_no_ratio_to_a_crawl_that_fetched_nothing() -> None:
    assert ratio([row(100, 1.0)], row(0, 1.0)) is None
    assert ratio([row(0, 1.0)], row(100, 1.0)) is None


def test_our_own_row_is_the_middle_run_and_tells_the_range() -> None:
    chosen = middle([row(100, 1.0), row(100, 4.0), row(100, 2.0)])
    assert chosen["rate"] == 50.0
    assert chosen["remark"] == "3 runs, 25 to 100"
