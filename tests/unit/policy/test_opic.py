"""OPIC: credit flows along links, and not a unit is lost."""

from heapq import heapify, heappop, heappush
from random import Random

import pytest
from bench.opic import crawled, generated, pagerank, spearman
from hypothesis import given
from hypothesis import strategies as st

from gossamer.policy.opic import TOTAL, Bank, credit_of, enter, importance, leave, pay, spread


class Crawl:
    """Pages with balances, as a frontier keeps them."""

    def __init__(self) -> None:
        self.bank = Bank()
        self.balances: dict[int, int] = {}
        self.paid: dict[int, int] = {}

    def enter(self, page: int) -> None:
        self.balances[page], self.bank = enter(self.bank)
        self.paid[page] = 0

    def fetch(self, page: int, links: list[int]) -> None:
        self.paid[page] += credit_of(self.balances[page], self.bank)
        self.balances[page], share, self.bank = pay(self.balances[page], len(links), self.bank)
        for link in links:
            self.balances[link] += share

    def leave(self, page: int) -> None:
        self.bank = leave(self.balances.pop(page), self.bank)

    def credits(self) -> dict[int, int]:
        return {page: credit_of(balance, self.bank) for page, balance in self.balances.items()}

    def total(self) -> int:
        return sum(self.credits().values()) + self.bank.lambda_credit


class Sweeping:
    """The same by brute force: every page has an account, and lambda visits them all."""

    def __init__(self) -> None:
        self.credit: dict[int, int] = {}
        self.lambda_credit = TOTAL

    def enter(self, page: int) -> None:
        self.credit[page] = 0

    def fetch(self, page: int, links: list[int]) -> None:
        whole, self.credit[page] = self.credit[page], 0
        share = (whole - whole // 10) // len(links) if links else 0
        for link in links:
            self.credit[link] += share
        self.lambda_credit += whole - share * len(links)

    def spread(self) -> None:
        if self.credit:
            share = self.lambda_credit // len(self.credit)
            for page in self.credit:
                self.credit[page] += share
            self.lambda_credit -= share * len(self.credit)

    def leave(self, page: int) -> None:
        self.lambda_credit += self.credit.pop(page)


STEPS = st.lists(st.tuples(st.sampled_from(["enter", "fetch", "fetch", "spread", "leave"]), st.integers(0, 10**6)), max_size=60)


@given(STEPS)
def test_lazy_credit_is_what_a_sweep_over_all_pages_would_give(steps: list[tuple[str, int]]) -> None:
    lazy, sweeping = Crawl(), Sweeping()
    for number, (step, choice) in enumerate(steps):
        pages = sorted(sweeping.credit)
        if step == "enter":
            lazy.enter(number)
            sweeping.enter(number)
        elif step == "spread":
            lazy.bank = spread(lazy.bank)
            sweeping.spread()
        elif pages:
            page = pages[choice % len(pages)]
            if step == "leave":
                lazy.leave(page)
                sweeping.leave(page)
            else:
                links = [pages[(choice // 7 + offset * 3) % len(pages)] for offset in range(choice % 5)]
                lazy.fetch(page, links)
                sweeping.fetch(page, links)
        assert lazy.credits() == sweeping.credit
        assert lazy.bank.lambda_credit == sweeping.lambda_credit
        by_balance = sorted(lazy.balances, key=lambda page: (lazy.balances[page], page))
        assert by_balance == sorted(sweeping.credit, key=lambda page: (sweeping.credit[page], page))
        assert lazy.total() == TOTAL


def test_a_million_operations_conserve_credit_to_the_unit() -> None:
    chance = Random(11)
    crawl = Crawl()
    for page in range(10):
        crawl.enter(page)
    operations = 10
    while operations < 1_000_000:
        pages = len(crawl.balances)
        if pages < 2000 and chance.random() < 0.02:
            crawl.enter(pages)
            operations += 1
        page = int(chance.random() * len(crawl.balances))
        links = [int(chance.random() * len(crawl.balances)) for _ in range(int(chance.random() * 30))]
        crawl.fetch(page, links)
        crawl.bank = spread(crawl.bank)
        operations += len(links) + 2
        if page == 0:
            assert crawl.total() == TOTAL
    assert crawl.total() == TOTAL
    assert min(crawl.credits().values()) >= 0


def test_seeds_share_the_credit() -> None:
    crawl = Crawl()
    for page in range(4):
        crawl.enter(page)
    crawl.bank = spread(crawl.bank)
    assert set(crawl.credits().values()) == {TOTAL // 4}
    crawl.enter(4)
    assert crawl.credits()[4] == 0


def test_a_page_pays_a_tenth_to_lambda_and_the_rest_to_its_links() -> None:
    crawl = Crawl()
    for page in range(3):
        crawl.enter(page)
    crawl.bank = spread(crawl.bank)
    before = crawl.credits()
    crawl.fetch(0, [1, 2])
    tax = before[0] // 10
    share = (before[0] - tax) // 2
    assert crawl.credits() == {0: 0, 1: before[1] + share, 2: before[2] + share}
    crawl.fetch(1, [])
    assert crawl.credits()[1] == 0
    assert crawl.total() == TOTAL


def test_without_pages_lambda_keeps_what_it_has() -> None:
    assert spread(Bank()) == Bank()


def test_a_trap_starves() -> None:
    """Fifty honest pages link each other, and one of them a chain without end that soon has most of all pages."""
    crawl, honest, fetches = Crawl(), 50, 3000
    chance = Random(3)
    links = {page: [chance.randrange(honest) for _ in range(5)] for page in range(honest)}
    links[0][0] = honest
    for page in range(honest + 1):
        crawl.enter(page)
    crawl.bank = spread(crawl.bank)
    waiting = [(-balance, page) for page, balance in crawl.balances.items()]
    heapify(waiting)
    fetched_honest = 0
    for _ in range(fetches):
        while -waiting[0][0] != crawl.balances[waiting[0][1]]:
            heappop(waiting)
        page = waiting[0][1]
        if page not in links:
            crawl.enter(page + 1)
            links[page] = [page + 1]
        crawl.fetch(page, links[page])
        fetched_honest += page < honest
        crawl.bank = spread(crawl.bank)
        for touched in (page, *links[page]):
            heappush(waiting, (-crawl.balances[touched], touched))
    worth = [importance(crawl.paid[page], balance, crawl.bank) for page, balance in sorted(crawl.balances.items())]
    assert len(worth) > 4 * honest
    assert fetched_honest > fetches / 2
    assert sum(worth[honest:]) / len(worth[honest:]) < sum(worth[:honest]) / honest / 2
    assert max(worth[honest:]) < sum(worth[:honest]) / honest


def test_importance_is_shared_among_pages_and_lambda() -> None:
    crawl = Crawl()
    for page in range(20):
        crawl.enter(page)
    crawl.bank = spread(crawl.bank)
    for page in range(20):
        crawl.fetch(page, [(page + 1) % 20, 0])
    shares = [importance(crawl.paid[page], crawl.balances[page], crawl.bank) for page in range(20)]
    assert sum(shares) == pytest.approx(20 * (1 - crawl.bank.lambda_credit / (crawl.bank.paid + TOTAL)))
    assert shares[0] == max(shares)


def test_what_pages_were_paid_ranks_them_like_pagerank() -> None:
    graph = generated(2000, seed=5)
    assert spearman(crawled(graph, rounds=4), pagerank(graph)) > 0.8
