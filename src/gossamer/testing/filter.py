"""The checker of a filter: what any implementation of `joints.filter.Filter` has to promise.

    for rule in RULES:
        await rule(open_filter)

`open_filter` builds the same filter each time.
"""

from collections.abc import Awaitable, Callable

from gossamer.joints.filter import Filter
from gossamer.records.entry import Verdict
from gossamer.records.outcome import Outcome
from gossamer.testing.candidates import candidates

Opener = Callable[[], Filter]
Rule = Callable[[Opener], Awaitable[None]]

REFUSALS = frozenset({Outcome.OUT_OF_SCOPE, Outcome.TRAP, Outcome.UNSUPPORTED, Outcome.ROBOTS_DENIED})  # without a visit


async def no_url_is_too_odd_to_be_judged(open_filter: Opener) -> None:
    judged = open_filter()
    for candidate in candidates():
        assert isinstance(judged.judge(candidate), Verdict), f"{candidate.url.wire[:80]} gets no verdict"


async def the_same_candidate_gets_the_same_verdict_each_time(open_filter: Opener) -> None:
    asked, another = open_filter(), open_filter()
    first = [asked.judge(candidate) for candidate in candidates()]
    again = [asked.judge(candidate) for candidate in reversed(list(candidates()))]
    assert first == again[::-1], "a verdict depends on what was asked before: a link that is known would not be asked again"
    assert first == [another.judge(candidate) for candidate in candidates()], "two workers would judge a URL differently"


async def every_verdict_names_its_rule_and_a_refusal_says_why(open_filter: Opener) -> None:
    for verdict in map(open_filter().judge, candidates()):
        assert verdict.rule, "a verdict without a rule cannot be explained"
        assert verdict.allowed or verdict.reason, f"{verdict.rule} refuses and does not say why"


async def a_refused_url_ends_without_a_visit(open_filter: Opener) -> None:
    for verdict in map(open_filter().judge, candidates()):
        assert verdict.allowed or verdict.outcome in REFUSALS, f"{verdict.outcome} is how a visit ends, and there was none"


async def a_verdict_can_be_written_down(open_filter: Opener) -> None:
    for verdict in map(open_filter().judge, candidates()):
        f"{verdict.rule}: {verdict.reason}".encode()  # a lone surrogate raises here, and would later, when it is kept


RULES: tuple[Rule, ...] = (
    no_url_is_too_odd_to_be_judged,
    the_same_candidate_gets_the_same_verdict_each_time,
    every_verdict_names_its_rule_and_a_refusal_says_why,
    a_refused_url_ends_without_a_visit,
    a_verdict_can_be_written_down,
)
