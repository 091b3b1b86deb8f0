"""Every filter keeps the promises of its joint: our own rules, and the plugin that is an example."""

from collections.abc import Callable

import pytest
from examples_of import example

from gossamer.config.load import load
from gossamer.config.sections import ScopeSettings, Settings
from gossamer.filters.patterns import Patterns
from gossamer.filters.scope import Scope
from gossamer.joints.filter import Filter
from gossamer.records.candidate import Candidate
from gossamer.records.entry import LinkKind
from gossamer.testing.candidates import candidates
from gossamer.testing.filter import RULES, Rule
from gossamer.url.parse import parse, split
from gossamer.visit.admit import LinkJudge

SEEDS = [parse("http://site.test/a/")]
STRICT = ScopeSettings(
    max_depth=2,
    allow=["/a"],
    block=["x$"],
    block_hosts=["other.test"],
    block_extensions=["html"],
    block_prefixes=["http://192"],
)


def all_our_rules() -> LinkJudge:
    settings = load((), {"traps.max_length": 200}, {})
    return LinkJudge(settings, Scope(settings.scope, SEEDS), [example("large_files", "LargeFiles")(settings)])


FILTERS: dict[str, Callable[[], Filter]] = {
    "scope": lambda: Scope(ScopeSettings(), SEEDS),
    "strict scope": lambda: Scope(STRICT, SEEDS).with_lists(None, Patterns.parse(["xn--bcher-kva.test"], "list")),
    "scope that leaves its sites": lambda: Scope(ScopeSettings(off_site_hops=2), SEEDS),
    "admission": all_our_rules,
    "plugin": lambda: example("large_files", "LargeFiles")(Settings()),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", FILTERS)
async def test_a_filter_keeps_its_promise(name: str, rule: Rule) -> None:
    open_filter = FILTERS[name]
    assert isinstance(open_filter(), Filter)
    assert len({open_filter().judge(candidate).allowed for candidate in candidates()}) == 2, "one verdict for all shows little"
    await rule(open_filter)


def test_what_is_asked_of_filters_was_found_in_every_way() -> None:
    assert {candidate.kind for candidate in candidates()} == set(LinkKind)
    assert Candidate(split("http://site.test/")) in set(candidates())
