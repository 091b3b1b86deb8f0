"""How a URL can end, and what it counts as then."""

from gossamer.records.outcome import Outcome
from gossamer.records.standing import NOT_FOR_US
from gossamer.visit.settle import FINISHED
from reference.source import words
from reference.table import code, table

WAITING = {Outcome.DEFERRED, Outcome.CANCELLED}


def outcomes() -> str:
    """Write a table of all outcomes."""
    meaning = words("records", "Outcome")
    return table(["outcome", "what happened", "counts as"], [(code(one), meaning[one], _kind(one)) for one in Outcome])


def _kind(outcome: Outcome) -> str:
    if outcome in FINISHED:
        return "done"
    return "not for us" if outcome in NOT_FOR_US else "waiting" if outcome in WAITING else "failed"
