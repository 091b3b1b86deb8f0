"""The comparison itself, on a small web: the promises of the policies, and that the same seed is the same crawl."""

from xml.etree.ElementTree import fromstring

import pytest

from gossamer.config.load import load
from gossamer.errors import UsageError
from gossamer.jobs.simulate.compare import POLICIES, Contender, compare, contenders, simulated
from gossamer.jobs.simulate.measure import Result
from gossamer.jobs.simulate.plan import WebPlan
from gossamer.jobs.simulate.plot import svg

PLAN = WebPlan(pages=1000, hosts=10, days=30)


@pytest.fixture(scope="module")
def compared() -> tuple[dict[str, Result], str]:
    lines: list[str] = []
    results = {result.policy: result for result in compare(PLAN, log=lines.append)}
    return results, "".join(lines)


@pytest.fixture(scope="module")
def ordered() -> list[Result]:
    plan = WebPlan(pages=1500, hosts=5, days=7, known=0.0, born=0.0, importance="links")
    early = load([], {"score.rank_after": 100}, {})  # it is a small web
    return list(compare(plan, contenders(("fixed",), ("breadth-first", "priority", "opic")), early))


def test_the_optimal_policy_beats_the_others_and_comes_near_the_one_that_knows(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    assert results["optimal"].freshness > 1.1 * results["adaptive"].freshness
    assert results["optimal"].freshness > 1.1 * results["fixed"].freshness
    assert results["optimal"].freshness > 0.92 * results["known"].freshness


def test_every_policy_has_the_same_budget_and_uses_it_politely(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    assert all(0.85 * PLAN.requests < result.requests <= PLAN.requests for result in results.values())
    assert all(result.hasty == 0 for result in results.values())
    assert list(results) == list(POLICIES)


def test_new_pages_are_found_and_important_ones_seen_soon(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    assert all(result.found > 0.96 and result.within_a_day > 0.95 for result in results.values())


def test_the_same_seed_gives_the_same_log_byte_for_byte(compared: tuple[dict[str, Result], str]) -> None:
    results, log = compared
    lines: list[str] = []
    again = list(compare(PLAN, contenders(("fixed",)), log=lines.append))
    assert "".join(lines) == "".join(line for line in log.splitlines(keepends=True) if line.startswith("fixed priority "))
    assert again == [results["fixed"]]
    assert log.count("\n") == sum(result.requests for result in results.values())


def test_links_lead_to_important_pages_sooner_than_breadth_first_does(ordered: list[Result]) -> None:
    breadth, priority, opic = (result.most_by for result in ordered)
    assert breadth is not None and priority is not None and opic is not None
    assert max(priority, opic) < 0.95 * breadth


def test_a_crawl_that_begins_with_the_seeds_finds_nearly_everything(ordered: list[Result]) -> None:
    assert all(result.found > 0.97 and result.fetched[0] < 0.1 and result.fetched[-1] > 0.9 for result in ordered)


def test_the_picture_has_a_line_for_each_policy_or_order(
    compared: tuple[dict[str, Result], str], ordered: list[Result]
) -> None:
    for results, names in (
        (list(compared[0].values()), ("fixed", "adaptive", "optimal", "optimal, rates known")),
        (ordered, ("breadth-first", "priority", "opic")),
        ([*compared[0].values(), *ordered], ("fixed, opic", "optimal, rates known, priority")),
    ):
        picture = fromstring(svg(PLAN, results))
        panels = picture.findall("{*}g")
        assert len(picture.findall(".//{*}polyline")) == len(results) * len(panels)
        words = " ".join(text.text or "" for text in picture.findall(".//{*}text"))
        assert all(name in words for name in names)


def test_a_simulated_crawl_has_the_settings_of_a_live_one_but_for_what_the_plan_says() -> None:
    settings = simulated(
        load([], {"politeness.delay": 7.0, "frontier.patience": 60.0}, {}), WebPlan(cycle=2.0), Contender("known", "opic")
    )
    assert (settings.politeness.delay, settings.frontier.patience) == (7.0, 60.0)
    assert (settings.recrawl.policy, settings.recrawl.interval, settings.crawl.order) == ("optimal", 2 * 86400.0, "opic")


def test_rules_about_which_pages_belong_to_a_crawl_do_not_keep_it_from_being_simulated() -> None:
    settings = load([], {"scope.allow": ("nothing",), "documents.follow": ("seed",)}, {})
    [result] = compare(WebPlan(pages=60, hosts=3, days=2, cycle=1), contenders(("fixed",)), settings)
    assert result.requests > 50


def test_names_that_nobody_has_and_plans_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="best"):
        contenders(("best",))
    with pytest.raises(UsageError, match="random"):
        contenders(("fixed",), ("random",))
    with pytest.raises(UsageError):
        next(compare(WebPlan(pages=10, hosts=11)))
    with pytest.raises(UsageError, match="delay"):
        next(compare(WebPlan(pages=100, hosts=1), settings=load([], {"politeness.delay": 1e8}, {})))
    assert contenders(("fixed", "fixed"), ("opic",)) == [Contender("fixed", "opic")]
