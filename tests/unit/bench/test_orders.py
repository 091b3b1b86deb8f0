"""Which order finds the important pages first: measured over the real frontier."""

import pytest
from bench.opic import generated
from bench.orders import crawled, fetches_for, important

from gossamer.config.sections import Score


@pytest.mark.parametrize("hosts", [1, 50])
def test_opic_and_priority_find_the_important_pages_sooner_than_breadth_first(hosts: int) -> None:
    graph = generated(2000, seed=2)
    top = important(graph)
    early = Score(rank_after=200)  # a tenth of so small a web
    broad, rich, ranked = (crawled(graph, order, hosts, early) for order in ("breadth-first", "opic", "priority"))
    assert sorted(broad) == sorted(rich) == sorted(ranked), "not the same pages"
    for percent in (75, 90):
        fewest = fetches_for(broad, top, percent)
        for name, order in (("opic", rich), ("priority", ranked)):
            found = fetches_for(order, top, percent)
            assert found < fewest, f"{name}: {found} fetches for {percent} % against {fewest}"
