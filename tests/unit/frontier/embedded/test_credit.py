"""The credit of pages in the embedded frontier: balances in rows, the bank in the counters."""

from pathlib import Path

import pytest

from gossamer.frontier.embedded.credit import Credit
from gossamer.frontier.layout.rows import Meta
from gossamer.frontier.layout.store import Store
from gossamer.frontier.order import MINT
from gossamer.policy.opic import Bank


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "store", 1 << 20)
    yield opened
    opened.close()


def test_what_a_batch_changes_counts_before_it_is_written_and_after(store: Store) -> None:
    meta, batch = Meta(), store.batch()
    credit = Credit(store, meta, Bank(lambda_credit=0))
    assert credit.enter(batch, 1, is_seed=True) < credit.enter(batch, 2, is_seed=False) == 0
    credit.pay(batch, 1, [2, 3])
    before = credit.of([1, 2, 3])
    assert credit.hand_out(batch) == [(2, 0.0, -float(MINT * 9 // 20))]
    gift = (MINT - MINT * 9 // 20) // 2
    assert before == [0, 0, None] and credit.of([1, 2, 3]) == [gift, gift + MINT * 9 // 20, None]
    store.write(batch)
    credit.written()
    assert meta.bank is not None and meta.minted == MINT
    assert Credit(store, meta, meta.bank).of([1, 2, 3]) == [gift, gift + MINT * 9 // 20, None]


def test_who_leaves_leaves_everything_and_only_once(store: Store) -> None:
    meta, batch = Meta(), store.batch()
    credit = Credit(store, meta, Bank(lambda_credit=0))
    credit.enter(batch, 1, is_seed=True)
    for _ in range(2):
        credit.leave(batch, 1)
        assert meta.bank == Bank(pages=0, given=0, lambda_credit=MINT) and credit.of([1]) == [None]
    store.write(batch)
    credit.written()
    assert credit.of([1]) == [None]


def test_what_was_ever_paid_does_not_outgrow_the_counters(store: Store) -> None:
    meta, batch = Meta(), store.batch()
    credit = Credit(store, meta, Bank(lambda_credit=0))
    credit.enter(batch, 1, is_seed=True)
    for _ in range(10):
        credit.pay(batch, 1, [1])
        credit.hand_out(batch)
    assert meta.bank is not None and meta.bank.paid == 0 and credit.of([1]) == [MINT]
