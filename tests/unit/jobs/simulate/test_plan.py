"""The plan of a simulation: from a file and the command line, and refused when it makes no sense."""

from pathlib import Path

import pytest

from gossamer.errors import UsageError
from gossamer.jobs.simulate.plan import WebPlan, check, read_plan


def test_a_file_says_what_the_web_is_like_and_the_command_line_counts_more(tmp_path: Path) -> None:
    file = tmp_path / "web.toml"
    file.write_text('pages = 5000\nrates = "bell"\nslowest = 90\npareto = 2.5\n')
    assert read_plan(file, {"seed": 7}) == WebPlan(pages=5000, hosts=50, rates="bell", slowest=90, pareto=2.5, seed=7)
    assert read_plan(file, {"pages": 60, "hosts": 6}).hosts == 6
    assert read_plan(None, {}) == WebPlan()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("pages = 0", "pages"),
        ("page = 5", "page"),
        ("known = 1.5", "known"),
        ("days = inf", "days"),
        ("cycle = nan", "cycle"),
        ("seed = -1", "seed"),
        ('links = "many"', "links"),
        ('rates = "odd"', "rates"),
        ("fastest = 10\nslowest = 5", "fastest"),
        ("pages = 10\nhosts = 11", "hosts"),
        ("pages = ", "web.toml"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "web.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=word) as refusal:
        read_plan(file, {})
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        read_plan(tmp_path / "nowhere.toml", {})


def test_a_plan_made_by_hand_is_checked_too() -> None:
    check(WebPlan())
    for plan in (
        WebPlan(pages=10, hosts=11),
        WebPlan(hosts=0),
        WebPlan(days=0),
        WebPlan(cycle=-1),
        WebPlan(seed=-1),
        WebPlan(slow=2),
    ):
        with pytest.raises(UsageError):
            check(plan)
