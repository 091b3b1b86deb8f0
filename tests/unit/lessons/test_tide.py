"""A host that sinks waits for others, and only as long as there are any."""

from gossamer.lessons.tide import LONGEST, REMEMBERED, Tide
from gossamer.policy import growth
from gossamer.records.evidence import Growth, Ruling

NOW = 1_700_000_000.0


def at_a_pace(tide: Tide, pages: int, sunk: list[str]) -> float:
    """Let others bring so many pages a second for five seconds."""
    for tick in range(50):
        hosts = [f"h{number}" for number in range(pages // 10)]
        tide.note(hosts, sunk if tick == 49 else [], NOW + tick / 10)
    return NOW + 4.9


def test_a_wait_is_as_long_as_others_take_for_so_many_pages_and_shared_by_all_that_sink() -> None:
    one, three = Tide(), Tide()
    now = at_a_pace(one, 100, ["a"])
    assert 0.25 < one.wait_of_a_host(30, now) < 0.35
    at_a_pace(three, 100, ["a", "b", "c"])
    assert 0.8 < three.wait_of_a_host(30, now) < 1.0
    assert three.wait_of_a_host(3000, now) == LONGEST


def test_where_nobody_else_brings_anything_nobody_waits() -> None:
    tide = Tide()
    assert tide.wait_of_a_host(30, NOW) == tide.wait_in_line("a", 30, NOW) == 0.0
    now = at_a_pace(tide, 100, ["a"])
    assert tide.wait_of_a_host(30, now) and not tide.wait_of_a_host(30, now + 0.5), "they are done, and it still waits"


def test_where_most_hosts_yield_only_themselves_none_waits_for_it() -> None:
    tide = Tide()
    now = at_a_pace(tide, 100, [f"sunk{number}" for number in range(9)])
    assert tide.wait_of_a_host(30, now), "nine of nineteen"
    now = at_a_pace(tide, 100, [f"sunk{number}" for number in range(11)])
    assert not tide.wait_of_a_host(30, now), "eleven of twenty-one"


def test_a_host_that_was_not_visited_for_a_minute_counts_no_more() -> None:
    tide = Tide()
    at_a_pace(tide, 100, [f"sunk{number}" for number in range(11)])
    tide.note([], ["late"], NOW + REMEMBERED + 1)
    tide.note(["other", "another"], [], NOW + REMEMBERED + 6)
    assert tide.wait_of_a_host(1, NOW + REMEMBERED + 6), "two that do not sink, and one that does"
    assert not tide.wait_of_a_host(1, NOW + 2 * REMEMBERED + 6), "nobody was visited lately"


def test_urls_that_are_put_off_stand_in_line() -> None:
    tide = Tide()
    now = at_a_pace(tide, 100, [])
    first, second, other = (tide.wait_in_line(host, 30, now) for host in ("a", "a", "b"))
    assert second > 1.5 * first and other == first


def test_a_host_sinks_when_it_has_more_of_itself_than_links_with_others_and_an_operator_may_lift_it() -> None:
    assert growth.depth(Growth(own=30, outside=1)) == 1.0 and growth.depth(Growth(own=60, outside=1)) == 2.0
    assert growth.depth(Growth(own=3000, outside=300)) < 1, "an honest giant has links with others"
    assert growth.depth(Growth(own=3000, ruling=Ruling.ALLOW)) == 0.0
    assert growth.is_held(Growth(own=60, held=1)) and not growth.is_held(Growth(own=60))


def test_sitemaps_have_a_budget_that_grows_with_the_other_urls_of_their_host() -> None:
    assert not growth.too_many_sitemaps(Growth(fetched=9, sitemaps=9))
    assert "10 sitemaps were fetched, and 0 other URLs" in str(growth.too_many_sitemaps(Growth(fetched=10, sitemaps=10)))
    assert not growth.too_many_sitemaps(Growth(fetched=510, sitemaps=54))
    assert growth.too_many_sitemaps(Growth(fetched=510, sitemaps=70))
    assert not growth.too_many_sitemaps(Growth(fetched=10, sitemaps=10, ruling=Ruling.ALLOW))
