"""Every scorer keeps the promises of its joint: our own order, and the plugin that is an example."""

from collections.abc import Callable

import pytest
from examples_of import example

from gossamer.config.sections import Settings
from gossamer.joints.scorer import Scorer
from gossamer.policy.priority import rank
from gossamer.records.candidate import Candidate
from gossamer.testing.candidates import candidates
from gossamer.testing.scorer import RULES, Rule


class OurOrder:
    """What a URL is worth where no scorer is installed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def score(self, candidate: Candidate) -> float:
        order, weights = self._settings.crawl.order, self._settings.score
        return rank(candidate.kind, candidate.depth, candidate.redirects, order, weights)[0]


SCORERS: dict[str, Callable[[], Scorer]] = {
    "ours": lambda: OurOrder(Settings()),
    "plugin": lambda: example("short_paths", "ShortPaths")(Settings()),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", SCORERS)
async def test_a_scorer_keeps_its_promise(name: str, rule: Rule) -> None:
    open_scorer = SCORERS[name]
    assert isinstance(open_scorer(), Scorer)
    assert len({open_scorer().score(candidate) for candidate in candidates()}) > 1, "one score for all shows little"
    await rule(open_scorer)
