"""Priority: which URL is sooner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.sections import Crawl
from gossamer.policy.priority import Order, rank
from gossamer.records import LinkKind, Priority

ORDERS: list[Order] = ["priority", "breadth-first", "depth-first", "opic"]
DEPTHS = st.integers(min_value=0, max_value=1000)


@given(st.sampled_from(LinkKind), DEPTHS, st.integers(min_value=0, max_value=10), st.sampled_from(ORDERS))
def test_a_score_is_between_nothing_and_one(kind: LinkKind, depth: int, redirects: int, order: Order) -> None:
    score, _ = rank(kind, depth, redirects, order)
    assert 0 <= score <= 1


@given(DEPTHS)
def test_shallow_is_before_deep_unless_depth_comes_first(depth: int) -> None:
    for order in ("priority", "breadth-first"):
        nearer, its_class = rank(LinkKind.ANCHOR, depth + 1, 0, order)
        farther, other_class = rank(LinkKind.ANCHOR, depth + 2, 0, order)
        assert nearer > farther
        assert its_class <= other_class
    assert rank(LinkKind.ANCHOR, depth + 2, 0, "depth-first") > rank(LinkKind.ANCHOR, depth + 1, 0, "depth-first")


@pytest.mark.parametrize("order", ["breadth-first", "depth-first", "opic"])
def test_a_pure_order_looks_at_the_depth_alone(order: Order) -> None:
    assert len({rank(kind, 3, redirects, order) for kind in LinkKind for redirects in (0, 2)}) == 1


def test_seeds_come_first_then_sitemaps_then_pages_then_images() -> None:
    ranks = [rank(kind, 1, 0, "priority") for kind in (LinkKind.SEED, LinkKind.SITEMAP, LinkKind.ANCHOR, LinkKind.IMAGE)]
    assert [score for score, _ in ranks] == sorted((score for score, _ in ranks), reverse=True)
    assert [found for _, found in ranks] == [Priority.HIGH, Priority.HIGH, Priority.HIGH, Priority.LOW]
    assert rank(LinkKind.SITEMAP, 9, 0, "priority")[1] is Priority.HIGH


def test_the_target_of_a_redirect_keeps_the_place_of_the_url_that_led_there() -> None:
    assert rank(LinkKind.REDIRECT, 0, 1, "priority") == rank(LinkKind.SEED, 0, 0, "priority")
    assert rank(LinkKind.REDIRECT, 3, 2, "priority") == rank(LinkKind.ANCHOR, 3, 0, "priority")


def test_every_class_is_used() -> None:
    assert [rank(LinkKind.ANCHOR, depth, 0, "priority")[1] for depth in (1, 2, 4, 5)] == [
        Priority.HIGH,
        Priority.MEDIUM,
        Priority.MEDIUM,
        Priority.LOW,
    ]


def test_every_order_that_can_be_configured_is_known() -> None:
    for order in ORDERS:
        assert Crawl(order=order).order == order
