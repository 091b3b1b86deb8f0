"""The checker of a scorer: what any implementation of `joints.scorer.Scorer` has to promise.

    for rule in RULES:
        await rule(open_scorer)

`open_scorer` builds the same scorer each time.
"""

from collections.abc import Awaitable, Callable

from gossamer.joints.scorer import Scorer
from gossamer.testing.candidates import candidates

Opener = Callable[[], Scorer]
Rule = Callable[[Opener], Awaitable[None]]


async def every_url_has_a_score_from_0_to_1(open_scorer: Opener) -> None:
    scored = open_scorer()
    for candidate in candidates():
        score = scored.score(candidate)
        assert 0.0 <= score <= 1.0, f"the score of {candidate.url.wire[:80]} is {score}"  # and so no NaN


async def the_same_candidate_has_the_same_score_each_time(open_scorer: Opener) -> None:
    asked, another = open_scorer(), open_scorer()
    first = [asked.score(candidate) for candidate in candidates()]
    again = [asked.score(candidate) for candidate in reversed(list(candidates()))]
    assert first == again[::-1], "a score depends on what was asked before"
    assert first == [another.score(candidate) for candidate in candidates()], "two workers would order URLs differently"


RULES: tuple[Rule, ...] = (
    every_url_has_a_score_from_0_to_1,
    the_same_candidate_has_the_same_score_each_time,
)
