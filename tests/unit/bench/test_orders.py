"""Which order finds the important pages first: measured over the real frontier."""

from bench.opic import generated
from bench.orders import crawled, fetches_for, important


def test_the_richest_first_finds_the_important_pages_sooner_than_breadth_first() -> None:
    graph = generated(1500, seed=1)
    top = important(graph)
    orders = [crawled(graph, order, hosts=1) for order in ("breadth-first", "opic")]
    assert sorted(orders[0]) == sorted(orders[1]), "not the same pages"
    for percent in (50, 75, 90):
        broad, rich = (fetches_for(order, top, percent) for order in orders)
        assert rich < broad, f"{rich} fetches for {percent} % against {broad}"
