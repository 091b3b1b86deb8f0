"""Priority: which URL is sooner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.sections import CrawlSettings, Score
from gossamer.policy.priority import Order, by_hosts, by_rank, due_again, linked, parts, rank
from gossamer.records.entry import Entry, LinkKind, Priority

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
        assert CrawlSettings(order=order).order == order


def test_a_sitemap_says_how_much_its_urls_matter() -> None:
    scores = [rank(LinkKind.SITEMAP, 1, 0, "priority", said=said)[0] for said in (0.0, 0.4, None, 0.9, 1.0)]
    assert scores == sorted(set(scores)), "what the sitemap says changes nothing"
    assert scores[2] == rank(LinkKind.SITEMAP, 1, 0, "priority", said=0.5)[0], "who says nothing says 0.5"
    assert scores[0] >= rank(LinkKind.ANCHOR, 1, 0, "priority")[0]
    assert rank(LinkKind.SITEMAP, 3, 0, "priority", said=0.2)[1] is Priority.MEDIUM


def test_what_a_feed_lists_is_before_what_only_a_page_links() -> None:
    assert rank(LinkKind.FEED, 2, 0, "priority")[0] > rank(LinkKind.ANCHOR, 2, 0, "priority")[0]


@given(st.floats(min_value=0, max_value=1e9), st.integers(min_value=0, max_value=64))
def test_links_give_a_score_between_nothing_and_one(page_rank: float, hosts: int) -> None:
    assert 0 <= linked(page_rank, hosts, Score())[0] <= 1


def test_more_links_and_more_hosts_are_worth_more() -> None:
    ranks = [by_rank(rank) for rank in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 100.0)]
    assert ranks == sorted(ranks) and ranks[0] == 0 and ranks[-1] == 1
    hosts = [by_hosts(count) for count in (0, 1, 2, 8, 64)]
    assert hosts == pytest.approx([0, 0, 1 / 6, 0.5, 1])
    assert linked(1.0, 1, Score())[1] is Priority.HIGH and linked(0.9, 1, Score())[1] is Priority.MEDIUM


def test_a_much_linked_url_is_before_one_just_found_and_a_hardly_linked_one_is_not() -> None:
    found = rank(LinkKind.ANCHOR, 2, 0, "priority")[0]
    assert linked(2.0, 1, Score())[0] > found > linked(0.5, 1, Score())[0]


def test_weights_decide_what_counts() -> None:
    near, listed = ((LinkKind.ANCHOR, 1, 0, "priority"), (LinkKind.SITEMAP, 9, 0, "priority"))
    for weights, first, last in (
        (Score(importance=1, discovery=0), near, listed),
        (Score(importance=0, discovery=1), listed, near),
    ):
        assert rank(*first, weights)[0] > rank(*last, weights)[0]
    assert linked(9.0, 1, Score(importance=0))[0] == 0 < linked(9.0, 2, Score(importance=0))[0]


def test_a_page_that_is_due_again_is_worth_what_the_visit_is() -> None:
    assert [due_again(worth, Score()) for worth in (0.2, 1.0, 7.0)] == [0.2, 1.0, 1.0], "the optimal policy's order is changed"
    assert due_again(0.5, Score(freshness=0.5)) == 0.25


def test_the_parts_of_a_score_add_up_to_it() -> None:
    score, level = rank(LinkKind.SITEMAP, 1, 0, "priority", said=0.8)
    entry = Entry("u", "u", "h", 1, LinkKind.SITEMAP, score=score, priority=level)
    assert parts(entry, score, False, Score()) == pytest.approx({"importance": 0.35, "discovery": 0.24, "links": 0.0})
    assert sum(parts(entry, 0.9, False, Score()).values()) == pytest.approx(0.9)
    assert parts(entry, 0.4, True, Score()) == {"freshness": 0.4}
