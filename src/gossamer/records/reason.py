"""Why something ended, waits or was refused: the rule that says so, and what it says in numbers and examples.

The rules of ours are a closed list (`rules.py`); a plugin's have names of their own and are told in its words. Code asks for
the rule and its facts. The sentence is made here and nowhere else, for people: no code reads it back, and a test looks for code
that does (docs/decisions/0026).

Most pages have no reason at all: that is None, and costs nothing.
"""

import re
from string import Formatter
from typing import Any

from msgspec import Struct

from gossamer.records.rules import Rule

Fact = str | int | float | bool | list[str] | dict[str, int]

_RULES = {rule.value: rule for rule in Rule}
_NAMES: dict[str, str] = {rule: rule.value for rule in Rule}  # as plain texts, which every store takes


class Reason(Struct, frozen=True, array_like=True):
    """A rule, and what it says: its facts by name. `because` makes one."""

    rule: str
    facts: dict[str, Fact] = {}

    @property
    def text(self) -> str:
        """What the rule says, in words."""
        return rendered(self.rule, self.facts)

    @property
    def is_by_knob(self) -> bool:
        """Whether somebody can steer the rule; else it is the name of what happened."""
        return is_knob(self.rule)

    def __hash__(self) -> int:
        """Records are keys of tables here; facts may hold what cannot be hashed, so that their names have to do."""
        return hash((self.rule, *self.facts))

    def __str__(self) -> str:
        """Return what people are told: the sentence, with the rule's name where that says what to change."""
        return told(self.rule, self.text)


def because(rule: Rule | str, **facts: Fact | None) -> Reason:
    """Return the reason by a rule of ours, or by a plugin's, which says it in words: `because("my.rule", text="...")`.

    A fact that is None is not there.
    """
    name = _NAMES.get(rule, rule)
    if all([type(fact) is int or (type(fact) is str and fact.isascii()) for fact in facts.values()]):  # nearly always
        return Reason(name, facts)  # type: ignore[arg-type]
    return Reason(name, {key: _encodable(fact) for key, fact in facts.items() if fact is not None})


def is_knob(rule: str) -> bool:
    """Tell whether somebody can steer a rule, as every plugin's; else it is the name of what happened, or of nothing."""
    known = _RULES.get(rule)
    return bool(rule) if known is None else known.is_knob


def told(rule: str, text: str) -> str:
    """Return what people are told of a rule that says this."""
    if not is_knob(rule):
        return text
    return f"{rule}: {text}" if text else rule


def rendered(rule: str, facts: dict[str, Any]) -> str:
    """Return the sentence of a rule with these facts; an empty text: it has none to say."""
    known = _RULES.get(rule)
    if known is None:
        return str(facts.get("text", ""))
    for sentence in known.sentences:
        whole = _OPTIONAL.sub(lambda piece: piece[1] if _names_in(piece[1]) <= facts.keys() else "", sentence)
        if _names_in(whole) <= facts.keys():
            return _WRITER.vformat(whole, (), facts)
    return ""


class _Writer(Formatter):
    """Writes facts: of a list its items with commas between them, of counts by name "3 copy, 2 empty"."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "r" and isinstance(value, list):
            return ", ".join(map(repr, value))
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, dict):
            return ", ".join(f"{count} {name}" for name, count in sorted(value.items()))
        return str(super().format_field(value, format_spec))


_WRITER = _Writer()
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def _names_in(sentence: str) -> set[str]:
    """Return the facts that a sentence tells."""
    return {name for _, name, _, _ in _WRITER.parse(sentence) if name}


def _encodable(fact: Fact) -> Fact:
    """Replace what UTF-8 cannot write, half a surrogate pair in what some page calls its title, by question marks."""
    if isinstance(fact, str):
        return fact if fact.isascii() else fact.encode("utf-8", "replace").decode()
    if isinstance(fact, list):
        return [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in fact]
    return fact
