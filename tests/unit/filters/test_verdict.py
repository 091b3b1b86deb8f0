"""Verdicts: several answers become one."""

from gossamer.filters.verdict import first_refusal
from gossamer.records.entry import Verdict
from gossamer.records.reason import because
from gossamer.records.rules import Rule

YES = Verdict(True, because(Rule.SCOPE_WITHIN))
NO = Verdict(False, because(Rule.SCOPE_BLOCK, expression="first"))
NEVER = Verdict(False, because(Rule.SCOPE_MAX_DEPTH, depth=2, limit=1))


def test_the_first_refusal_decides() -> None:
    assert first_refusal([YES, NO, NEVER]) is NO


def test_without_a_refusal_there_is_none() -> None:
    assert first_refusal([YES, YES]) is None
    assert first_refusal([]) is None
