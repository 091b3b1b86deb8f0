"""How the answers of several filters become one.

An answer is `records.Verdict`: it names the rule that gave it, so that every refusal can be explained.
"""

from collections.abc import Iterable

from gossamer.records.entry import Verdict


def first_refusal(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the first verdict that refuses, or None when all allow."""
    return next((verdict for verdict in verdicts if not verdict.allowed), None)
