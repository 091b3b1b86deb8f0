"""Why a URL is recorded without being queued: the outcome it ends with at once, and a reason that names the rule."""

from gossamer.records.entry import Verdict
from gossamer.records.host import HostPolicy
from gossamer.records.outcome import Outcome

End = tuple[Outcome, str]


def end_by_verdict(verdict: Verdict) -> End:
    """Return how a URL ends that a filter refused."""
    return verdict.outcome, f"{verdict.rule}: {verdict.reason}" if verdict.reason else verdict.rule


def end_by_host(policy: HostPolicy, waiting: int, max_waiting: int) -> End | None:
    """Return how a URL ends that its host has no place for; None: it may wait for its turn."""
    if policy.blocked:
        return Outcome.OUT_OF_SCOPE, "policy.blocked: the operator blocked this host"
    if waiting >= max_waiting:
        return Outcome.TRAP, f"frontier.max_waiting: {waiting} URLs of this host wait already"
    return None
