"""Traps: URLs that no honest site has."""

import pytest

from gossamer.config.sections import Traps
from gossamer.policy.traps import judge, trace
from gossamer.records.outcome import Outcome
from gossamer.url.parse import parse

SITE = "http://a.example"
LIMITS = Traps(max_length=100, max_segments=6, max_repeats=3)


def refused_by(url: str, limits: Traps = LIMITS) -> str:
    parsed = parse(url)
    verdict, verdicts = judge(parsed, limits), trace(parsed, limits)
    assert [entry.rule for entry in verdicts] == ["traps.max_length", "traps.max_segments", "traps.max_repeats"]
    refusals = [entry for entry in verdicts if not entry.allowed]
    assert verdict.allowed is not bool(refusals)
    if verdict.allowed:
        return ""
    assert verdict == refusals[0]
    assert verdict.outcome is Outcome.TRAP
    return verdict.rule.removeprefix("traps.")


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        (SITE, ""),
        (f"{SITE}/{'x' * 83}", ""),
        (f"{SITE}/{'x' * 84}", "max_length"),
        (f"{SITE}/?{'x' * 84}", "max_length"),
        (f"{SITE}/#{'x' * 200}", ""),
        (f"{SITE}/1/2/3/4/5/6", ""),
        (f"{SITE}/1/2/3/4/5/6/", ""),
        (f"{SITE}/1/2/3/4/5/6/7", "max_segments"),
        (f"{SITE}/a/b/a/b/a", ""),
        (f"{SITE}/a/a/b/a/a", "max_repeats"),
        (f"{SITE}/a/b/a/b/a/c", ""),
        (f"{SITE}/a/a/a/b/b/b", ""),
        (f"{SITE}/a/////b", "max_repeats"),
        (f"{SITE}/?/a/a/a/a/a/a/a/a/a", ""),
        ("mailto:a@b.example", ""),
    ],
)
def test_a_url_is_honest_or_refused_by_the_limit_it_breaks(url: str, rule: str) -> None:
    assert refused_by(url) == rule


def test_the_length_is_that_of_the_wire_url() -> None:
    assert refused_by(f"{SITE}/{'é' * 10}") == ""
    assert refused_by(f"{SITE}/{'é' * 20}") == "max_length"


def test_the_limits_that_ship_let_a_usual_url_pass() -> None:
    assert refused_by("https://www.example.org/2026/11/15/a-title-of-some-length/comments/page/2?order=new", Traps()) == ""
    assert refused_by("https://www.example.org" + "/calendar/next" * 4, Traps()) == "max_repeats"
