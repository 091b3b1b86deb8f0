"""The comparison itself, on a small web: the promises of the policies, and that the same seed is the same crawl."""

from xml.etree.ElementTree import fromstring

import pytest

from gossamer.errors import UsageError
from gossamer.jobs.simulate.compare import POLICIES, compare
from gossamer.jobs.simulate.measure import Result
from gossamer.jobs.simulate.plot import svg
from gossamer.jobs.simulate.web import Plan

PLAN = Plan(pages=2000, hosts=20, days=30)


@pytest.fixture(scope="module")
def compared() -> tuple[dict[str, Result], str]:
    lines: list[str] = []
    results = {result.policy: result for result in compare(PLAN, log=lines.append)}
    return results, "".join(lines)


def test_the_optimal_policy_beats_the_others_and_comes_near_the_one_that_knows(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    assert results["optimal"].freshness > 1.1 * results["adaptive"].freshness
    assert results["optimal"].freshness > 1.1 * results["fixed"].freshness
    assert results["optimal"].freshness > 0.93 * results["known"].freshness


def test_every_policy_has_the_same_budget_and_uses_it(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    allowed = PLAN.seconds * PLAN.budget
    assert all(0.9 * allowed < result.requests <= allowed for result in results.values())
    assert list(results) == list(POLICIES)


def test_new_pages_are_found_and_important_ones_seen_soon(compared: tuple[dict[str, Result], str]) -> None:
    results, _ = compared
    assert all(result.found > 0.97 and result.within_a_day > 0.95 for result in results.values())


def test_the_same_seed_gives_the_same_log_byte_for_byte(compared: tuple[dict[str, Result], str]) -> None:
    results, log = compared
    lines: list[str] = []
    again = list(compare(PLAN, ("optimal",), lines.append))
    assert "".join(lines) == "".join(line for line in log.splitlines(keepends=True) if line.startswith("optimal "))
    assert again == [results["optimal"]]
    assert log.count("\n") == sum(result.requests for result in results.values())


def test_a_crawl_that_begins_with_the_seeds_finds_nearly_everything() -> None:
    [result] = compare(Plan(pages=1000, hosts=10, days=30, known=0.0), ("optimal",))
    assert result.found > 0.97
    assert result.curve[0] < 0.4 < result.curve[-1]


def test_the_picture_has_a_line_for_each_policy(compared: tuple[dict[str, Result], str]) -> None:
    picture = fromstring(svg(PLAN, list(compared[0].values())))
    assert len(picture.findall("{*}polyline")) == len(POLICIES)
    words = " ".join(text.text or "" for text in picture.findall("{*}text"))
    assert all(policy in words for policy in ("fixed", "adaptive", "optimal", "optimal, rates known"))


@pytest.mark.parametrize(
    ("plan", "policies"),
    [
        (Plan(pages=10, hosts=11), POLICIES),
        (Plan(pages=10, hosts=0), POLICIES),
        (Plan(days=0), POLICIES),
        (Plan(cycle=-1), POLICIES),
        (Plan(seed=-1), POLICIES),
        (PLAN, ("best",)),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(plan: Plan, policies: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        next(compare(plan, policies))
