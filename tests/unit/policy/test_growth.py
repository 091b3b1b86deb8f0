"""Growth: what brings forth URLs faster than anybody writes is slowed and reported, once each time."""

import pytest

from gossamer.config.sections import Traps
from gossamer.policy.growth import HOUR, grown, is_modest, out_of_proportion, size_of, too_fast
from gossamer.records.evidence import Growth

SETTINGS = Traps(growth_urls=1_000, growth_ratio=100)
PAGE = "http://a.example/page"
NOW = 1_000_000 * HOUR + 10.0


def reports(found: list[tuple[int, float]]) -> list[str]:
    """Return what is said after each of some pages: URLs it brought, and when."""
    said, figures = [], Growth()
    for count, now in found:
        before, figures = figures, grown(figures, 1, count, PAGE, now)
        reason = too_fast(before, figures, SETTINGS)
        said.append(reason.text if reason is not None else "")
    return said


def test_figures_add_up_and_an_hour_begins_at_nothing() -> None:
    figures = grown(grown(Growth(), 1, 400, "a", NOW), 1, 300, "b", NOW + 60)
    assert (figures.fetched, figures.found, figures.found_in_hour, figures.page) == (2, 700, 700, "b")
    later = grown(figures, 1, 5, "c", NOW + HOUR)
    assert (later.fetched, later.found, later.found_in_hour) == (3, 705, 5)
    assert grown(later, 1, 0, "d", NOW + HOUR).page == "c", "a page without links is no example"


def test_the_limit_of_an_hour_is_reported_once_each_time_it_is_reached() -> None:
    said = reports([(400, NOW)] * 3 + [(100, NOW)] * 8)
    assert [bool(text) for text in said] == [False, False, True] + [False] * 7 + [True]
    assert said[2] == f"the host brought forth 1,200 URLs in an hour, 1,000 are usual at most; last from {PAGE}"


def test_slow_growth_is_never_reported() -> None:
    assert not any(reports([(900, NOW + HOUR * hour) for hour in range(50)]))


def test_each_hour_is_counted_by_itself() -> None:
    assert [bool(text) for text in reports([(1_500, NOW), (900, NOW + HOUR), (100, NOW + HOUR)])] == [True, False, True]


def test_a_host_is_compared_with_hosts_of_its_size() -> None:
    wild = Growth(fetched=10, found=20_000, page=PAGE)
    others = (5, 50, 500)
    reason, told = out_of_proportion(wild, others, SETTINGS, "/x/"), "5 hosts of its size have 10.0"
    assert reason is not None and str(reason) == f"traps.growth: /x/ brought forth 2,000 URLs a page, {told}; last from {PAGE}"
    assert not out_of_proportion(Growth(fetched=10, found=9_990), others, SETTINGS), "less than a hundred times as many"
    assert not out_of_proportion(wild, (4, 50, 500), SETTINGS), "too few to compare with"
    assert not out_of_proportion(Growth(fetched=7, found=70_000), others, SETTINGS), "too young to judge"
    assert not out_of_proportion(wild, (5, 0, 0), SETTINGS)


def test_hosts_without_links_are_no_measure_of_others() -> None:
    assert not out_of_proportion(Growth(fetched=10, found=990), (9, 90, 0), SETTINGS), "one URL a page is usual at least"
    assert out_of_proportion(Growth(fetched=10, found=1_000), (9, 90, 0), SETTINGS)


def test_a_size_is_a_factor_of_two() -> None:
    sizes = [size_of(Growth(fetched=fetched)) for fetched in (1, 2, 3, 4, 7, 8, 15, 16)]
    assert sizes == [1, 2, 2, 3, 3, 4, 4, 5]


@pytest.mark.parametrize("fetched", [1, 7, 8, 10, 1_000])
@pytest.mark.parametrize("a_page", [0.0, 1.0, 99.9, 100.0, 101.0])
@pytest.mark.parametrize("in_hour", [0, 999, 1_000, 5_000])
def test_what_is_modest_is_never_slowed(fetched: int, a_page: float, in_hour: int) -> None:
    growth = Growth(fetched=fetched, found=int(a_page * fetched), found_in_hour=in_hour, page=PAGE)
    others = [(hosts, 1_000, found) for hosts in (1, 5, 100) for found in (0, 10, 1_000, 100_000)]
    slowed = too_fast(Growth(), growth, SETTINGS), *(out_of_proportion(growth, each, SETTINGS) for each in others)
    assert not (is_modest(growth, SETTINGS) and any(slowed))
    assert is_modest(growth, SETTINGS) is (in_hour < 1_000 and growth.found < 100 * fetched)
