"""Why a URL is recorded without being queued: the outcome it ends with at once, and the reason."""

from gossamer.records.entry import Verdict
from gossamer.records.host import HostPolicy
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

End = tuple[Outcome, Reason]


def end_by_verdict(verdict: Verdict) -> End:
    """Return how a URL ends that a filter refused."""
    return verdict.outcome, verdict.reason


def end_by_host(policy: HostPolicy, waiting: int, max_waiting: int) -> End | None:
    """Return how a URL ends that its host has no place for; None: it may wait for its turn."""
    if policy.blocked:
        return Outcome.OUT_OF_SCOPE, because(Rule.POLICY_BLOCKED)
    if waiting >= max_waiting:
        return Outcome.TRAP, because(Rule.FRONTIER_MAX_WAITING, waiting=waiting)
    return None
