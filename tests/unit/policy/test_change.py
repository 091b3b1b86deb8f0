"""Change: what visits at irregular times say of how often a page changes."""

from itertools import pairwise
from math import exp, log
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.dedupe.simhash import likeness_of
from gossamer.policy.change import GRID, NEAR, RATES, begun, is_changed, observed, prior, probabilities, rate
from gossamer.records.freshness import Freshness

DAY = 86400.0
NOW = 1_700_000_000.0
SPANS = st.lists(st.tuples(st.floats(60, 90 * DAY), st.booleans()), max_size=30)


def visited(freshness: Freshness, visits: list[tuple[float, bool]], now: float = NOW) -> Freshness:
    for seconds, changed in visits:
        now += seconds
        freshness = observed(freshness, seconds, changed, None, now)
    return freshness


def test_the_grid_goes_from_a_quarter_of_an_hour_to_three_years() -> None:
    assert 1 / RATES[-1] == pytest.approx(900)
    assert 1 / RATES[0] == pytest.approx(3 * 365 * DAY)
    assert len({round(log(after / before), 9) for before, after in pairwise(RATES)}) == 1


@given(SPANS)
def test_what_is_believed_is_what_bayes_says(visits: list[tuple[float, bool]]) -> None:
    exact = [exp(one) for one in prior("text/html")]
    for seconds, changed in visits:
        for index, each in enumerate(RATES):
            quiet = exp(-each * seconds)
            exact[index] *= 1 - quiet if changed else quiet
        best = max(exact)
        exact = [max(one / best, exp(-16)) for one in exact]
    exact = [one / sum(exact) for one in exact]
    assert probabilities(visited(begun("text/html", NOW), visits)) == pytest.approx(exact, abs=0.02)


@given(SPANS)
def test_a_record_stays_small_and_survives_being_written(visits: list[tuple[float, bool]]) -> None:
    freshness = visited(begun("text/html", NOW), visits)
    packed = msgspec.msgpack.encode(freshness)
    assert len(packed) < 110
    assert msgspec.msgpack.decode(packed, type=Freshness) == freshness
    assert len(freshness.posterior) == 2 * GRID


@pytest.mark.parametrize("days", [0.1, 1.0, 10.0, 100.0])
def test_visits_at_irregular_times_find_the_rate(days: float) -> None:
    chance = Random(7)
    estimates = []
    for _ in range(30):
        visits = [
            (gap := chance.expovariate(1 / (days * DAY)), chance.random() < 1 - exp(-gap / (days * DAY))) for _ in range(60)
        ]
        estimates.append(log(rate(visited(begun("text/html", NOW), visits)) * days * DAY))
    assert abs(sum(estimates) / len(estimates)) < 0.15
    assert max(map(abs, estimates)) < 1.0


def test_a_date_that_can_be_true_says_more_than_that_the_page_changed() -> None:
    before = begun("text/html", NOW)
    now = NOW + 30 * DAY
    lately = observed(before, 30 * DAY, True, now - 3600, now)
    long_ago = observed(before, 30 * DAY, True, now - 25 * DAY, now)
    unknown = observed(before, 30 * DAY, True, None, now)
    assert rate(lately) > rate(unknown) > rate(long_ago)
    assert (lately.changed_at, unknown.changed_at) == (now - 3600, now)


@pytest.mark.parametrize("modified_at", [NOW + 30 * DAY, NOW + 30 * DAY - 1, NOW + 99 * DAY, NOW - DAY, 0.0, -5.0])
def test_a_date_that_cannot_be_true_or_was_made_for_us_says_nothing(modified_at: float) -> None:
    before = begun("text/html", NOW)
    now = NOW + 30 * DAY
    assert observed(before, 30 * DAY, True, modified_at, now) == observed(before, 30 * DAY, True, None, now)


def test_a_date_of_a_page_that_did_not_change_says_nothing_more() -> None:
    before = begun("text/html", NOW)
    assert observed(before, DAY, False, NOW + DAY / 2, NOW + DAY) == observed(before, DAY, False, None, NOW + DAY)


def test_a_page_that_is_old_when_first_seen_is_taken_to_change_seldom() -> None:
    old, unknown, young = (begun("text/html", NOW, at) for at in (NOW - 900 * DAY, None, NOW - 3600))
    assert rate(old) < rate(unknown) < rate(young)
    assert old.changed_at == NOW - 900 * DAY


def test_feeds_change_sooner_than_pages_and_pages_sooner_than_papers_and_pictures() -> None:
    feed, page, paper, image = (
        rate(begun(mime, NOW)) for mime in ("application/rss+xml", "text/html", "application/pdf", "image/png")
    )
    assert feed > page > paper == image


def test_a_sitemaps_word_is_a_hint_that_observations_overrule() -> None:
    hourly, none, never = (begun("text/html", NOW, hinted=seconds) for seconds in (3600.0, None, 1e300))
    assert rate(hourly) > rate(none) > rate(never)
    assert begun("text/html", NOW, hinted=0.0) == begun("text/html", NOW, hinted=-1.0) == none
    assert rate(visited(hourly, [(30 * DAY, False)] * 3)) < rate(none)


def test_a_page_that_changes_its_habits_is_believed_after_a_while() -> None:
    slow = visited(begun("text/html", NOW), [(30 * DAY, False)] * 500)
    assert rate(slow) < 1 / (300 * DAY)
    assert rate(visited(slow, [(DAY, True)] * 12)) > 1 / (3 * DAY)


def test_visits_and_changes_are_counted_and_a_visit_at_once_says_nothing() -> None:
    freshness = visited(begun("text/html", NOW), [(DAY, True), (DAY, False), (DAY, True)])
    assert (freshness.visits, freshness.changes, freshness.first_seen) == (4, 2, NOW)
    assert freshness.changed_at == NOW + 3 * DAY
    again = observed(freshness, 0.0, True, None, NOW)
    assert (again.visits, again.posterior) == (5, freshness.posterior)


def test_a_record_without_a_belief_is_that_of_any_page() -> None:
    assert rate(Freshness()) == pytest.approx(rate(begun("text/html", NOW)), rel=1e-3)


def test_a_new_time_in_the_footer_is_no_change_but_other_words_or_links_are() -> None:
    text, footer, other = 0xFFFF_0000_FFFF_0000, 0xFFFF_0000_FFFF_0007, 0xFFFF_0000_FFFF_000F
    assert not is_changed((text, footer), ("a", "b"), (1, 1), (500, 900))
    assert is_changed((text, other), ("a", "b"), (1, 1), (500, 503))
    assert is_changed((text, text), ("a", "b"), (1, 2), (500, 500))
    assert not is_changed((text, other), ("a", "a"), (1, 2), (500, 900))


@pytest.mark.parametrize("words", [60, 150, 300])
@pytest.mark.parametrize("footer", ["page made at {:02}:{:02}:{:02}", "{:02}{:02}{:02} visitors"])
def test_a_short_text_of_the_same_length_may_have_another_time_in_it(words: int, footer: str) -> None:
    moved = 0
    for seed in range(50):
        chance = Random(seed)
        text = " ".join(f"word{chance.getrandbits(12)}" for _ in range(words))
        pages = [f"{text} {footer.format(*chance.choices(range(10, 24), k=3))}" for _ in range(2)]
        before, after = (likeness_of(page).simhash for page in pages)
        moved += (before ^ after).bit_count() > NEAR
        assert not is_changed((before, after), ("a", "b"), (1, 1), (len(pages[0]), len(pages[1])))
    assert moved, "SimHash alone would do"


def test_without_a_text_to_compare_the_bytes_decide() -> None:
    assert is_changed((None, None), ("a", "b"), (None, None), (5, 5))
    assert is_changed((None, 5), ("a", "b"), (1, 1), (5, 5))
    assert not is_changed((5, 5), ("a", "b"), (None, 1), (5, 50))
    assert not is_changed((None, None), ("a", "a"), (None, None), (5, 5))
