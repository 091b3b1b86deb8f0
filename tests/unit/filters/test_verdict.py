"""Verdicts: several answers become one."""

from gossamer.filters.verdict import first_refusal
from gossamer.records.entry import Verdict

YES = Verdict(True, "scope.within")
NO = Verdict(False, "scope.block", "first")
NEVER = Verdict(False, "scope.max_depth", "second")


def test_the_first_refusal_decides() -> None:
    assert first_refusal([YES, NO, NEVER]) is NO


def test_without_a_refusal_there_is_none() -> None:
    assert first_refusal([YES, YES]) is None
    assert first_refusal([]) is None
