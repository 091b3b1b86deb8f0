"""PageRank, beside a plain computation that follows its definition."""

import numpy as np
import pytest

from gossamer.policy.pagerank import DAMPING, pagerank


def dense(edges: list[tuple[int, int]], count: int) -> list[float]:
    """Solve for the ranks by elimination: column by column the reader's ways out of a page."""
    out: dict[int, set[int]] = {page: set() for page in range(count)}
    for source, target in edges:
        if source != target:
            out[source].add(target)
    ways = np.zeros((count, count))
    for page, targets in out.items():
        ways[:, page] = 1 / count
        if targets:
            ways[:, page] = [(target in targets) / len(targets) for target in range(count)]
    ranks: list[float] = np.linalg.solve(np.eye(count) - DAMPING * ways, np.full(count, (1 - DAMPING) / count)).tolist()
    return ranks


def ranks_of(edges: list[tuple[int, int]], count: int) -> list[float]:
    sources, targets = (np.array(column, np.int64) for column in (zip(*edges, strict=True) if edges else ((), ())))
    ranks: list[float] = pagerank(sources, targets, count).tolist()
    return ranks


@pytest.mark.parametrize(
    ("edges", "count"),
    [
        ([(0, 1), (1, 2), (2, 0)], 3),
        ([(0, 1), (0, 2), (1, 2)], 3),
        ([(0, 1), (0, 1), (0, 1), (0, 2)], 3),
        ([(0, 0), (0, 1), (1, 1)], 2),
        ([], 4),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], 4),
    ],
    ids=["a ring", "a page without links", "the same link again", "links to itself", "no links", "two islands"],
)
def test_ranks_are_those_of_the_definition(edges: list[tuple[int, int]], count: int) -> None:
    assert ranks_of(edges, count) == pytest.approx(dense(edges, count), abs=1e-8)


def test_ranks_of_a_random_graph_are_those_of_the_definition_and_add_up() -> None:
    chance = np.random.default_rng(5)
    edges = list(zip(chance.integers(0, 120, 600).tolist(), (120 * chance.random(600) ** 2).astype(int).tolist(), strict=True))
    ranks = ranks_of(edges, 200)
    assert ranks == pytest.approx(dense(edges, 200), abs=1e-8)
    assert sum(ranks) == pytest.approx(1)


def test_of_nothing_nothing_is_ranked() -> None:
    assert ranks_of([], 0) == []
