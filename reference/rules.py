"""Every rule that decides about a URL."""

from gossamer.records.rules import Rule
from reference.table import code, table


def rules() -> str:
    """Write a table of all rules."""
    return table(["rule", "what it is about"], [(code(rule.value), rule.about) for rule in Rule])
