"""The pages that hosts stand in."""

from math import inf
from pathlib import Path

import pytest

from gossamer.frontier.layout import journal as module
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.journal import Journal, last_meta, row_of
from gossamer.frontier.layout.rows import HostRow, Meta, clock_of, decode_host, encode
from gossamer.frontier.layout.store import Store
from gossamer.records.entry import Priority
from gossamer.records.host import HostClock, HostPolicy


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "store", 1 << 20)
    yield opened
    opened.close()


class Book:
    """A journal and the hosts that are written into it."""

    def __init__(self, store: Store) -> None:
        self.store, self.meta = store, Meta()
        self.journal = Journal(store, self.meta)
        self.hosts = {name: Host(name, number) for number, name in enumerate("abcdef", 1)}

    def write(self, names: str, gone: str = "") -> None:
        for name in names:
            self.hosts[name].later += 1
        for name in gone:
            self.hosts[name].page = 0
        batch = self.store.batch()
        self.journal.write(batch, {self.hosts[name] for name in names}, list(gone), len(self.hosts))
        self.store.write(batch)


def replayed(store: Store) -> dict[str, int]:
    def revive(row: HostRow) -> Host:
        host = Host(row.name, row.number)
        host.later = row.later
        return host

    return {host.name: host.later for host in Journal(store, last_meta(store)).replay(revive)}


def pages(store: Store) -> int:
    return sum(1 for _ in store.pages_backwards())


def test_the_last_page_about_a_host_is_the_true_one(store: Store) -> None:
    book = Book(store)
    for names in ("abc", "ab", "a", "d"):
        book.write(names)
    assert replayed(store) == {"a": 3, "b": 2, "c": 1, "d": 1} and pages(store) == 4


def test_a_host_that_went_stays_away_until_it_is_written_again(store: Store) -> None:
    book = Book(store)
    book.write("ab")
    book.write("", gone="a")
    assert replayed(store) == {"b": 1}
    book.write("a")
    assert replayed(store) == {"a": 2, "b": 1}


def test_old_pages_go_and_what_was_true_in_them_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLACK", 0)
    book = Book(store)
    book.write("abcdef")
    book.write("", gone="f")
    for _ in range(50):
        book.write("a")
    assert replayed(store) == {"a": 51, "b": 1, "c": 1, "d": 1, "e": 1} and pages(store) <= 14


def test_pages_of_an_earlier_opening_go_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLACK", 0)
    book = Book(store)
    for _ in range(5):
        book.write("a")
    book.journal = Journal(store, book.meta)
    (book.hosts["a"],) = book.journal.replay(lambda row: Host(row.name, row.number))
    for _ in range(20):
        book.write("a")
    assert pages(store) <= 14


def test_a_new_store_has_new_counters_and_an_old_one_those_of_its_last_page(store: Store) -> None:
    assert last_meta(store) == Meta()
    book = Book(store)
    book.meta.done = 5
    book.write("a")
    assert last_meta(store) == book.meta and book.meta.page == book.meta.oldest == 1


@pytest.mark.parametrize("recent", [0, 1, 2**63, 2**64 - 1, 2**64, 2**100 - 1])
def test_a_host_comes_back_with_all_hundred_bits(recent: int) -> None:
    clock = HostClock(next_time=1.5, recent=recent, recent_count=100, blocked_until=inf)
    host = Host("a", 7, HostPolicy(max_qps=0.5, priority=Priority.HIGH), clock)
    fields = bytes(range(17)), b"\6" + bytes(16) + b"\5" + bytes(16), (0, 1, 2, 0, 0, 0, 1 << 40), 3, 4.5
    host.line, host.out, host.more, host.later, host.first_due = fields
    row = decode_host(encode(row_of(host, 9)))
    assert clock_of(row) == clock and row.policy == host.policy and (row.name, row.number, row.opening) == ("a", 7, 9)
    assert (row.line, row.leased, row.more, row.later, row.first_due) == fields
