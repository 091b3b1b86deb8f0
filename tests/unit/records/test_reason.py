"""A reason: a rule and its facts travel, people are told a sentence, and no code reads that back."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import msgspec
import pytest

import gossamer
from gossamer.jobs.plain import plain
from gossamer.records.entry import Verdict
from gossamer.records.host import HostClock
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.reason import Reason, because, rendered, told
from gossamer.records.rules import Rule

PACKAGE = Path(gossamer.__file__).parent
NEAR = because(Rule.DEDUPE_NEAR, bits=3, same_as="http://a.test/")
PAGE = Page(url="http://a.test/b", key="b", host="a.test", outcome=Outcome.NEAR_DUPLICATE, reason=NEAR)

# What a text has that somebody does who looks for something in it.
LOOKING = ("startswith", "endswith", "partition", "rpartition", "split", "rsplit", "find", "rfind", "index", "count")
CHANGING = ("replace", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "lower", "upper", "casefold")
READING = frozenset((*LOOKING, *CHANGING))
SEARCHING = frozenset(("match", "fullmatch", "search", "findall", "finditer", "sub", "split"))
PROSE = frozenset(("reason", "block_reason"))
OTHERS = frozenset({"fetchers/secure.py"})  # where `reason` is what OpenSSL calls an error


# --- what a reason is ------------------------------------------------------------------------------------------------


def test_a_rule_with_a_knob_is_told_by_name_and_what_happened_is_not() -> None:
    assert str(NEAR) == "dedupe.near: its text differs by 3 bits of 64 from that of http://a.test/"
    assert NEAR.text == "its text differs by 3 bits of 64 from that of http://a.test/"
    assert str(because(Rule.HTTP_STATUS, status=404)) == "status 404"
    assert [NEAR.is_by_knob, because(Rule.HTTP_STATUS, status=404).is_by_knob] == [True, False]
    assert told("", "") == "" and told("scope.within", "") == "scope.within"


def test_what_stands_in_brackets_is_told_if_its_facts_are_there() -> None:
    assert because(Rule.HTTP_STATUS, status=503, tries=4).text == "status 503 after 4 tries"
    assert because(Rule.HTTP_STATUS, status=503, tries=None) == because(Rule.HTTP_STATUS, status=503)
    barren = {"twin": 1, "copy": 2}
    told_of = because(Rule.TRAPS_TEMPLATE, template="/{n}", fresh=1, fetched=4, barren=barren, one_in=4)
    assert told_of.text == "/{n} brought 1 new in 4 fetches (2 copy, 1 twin); one in 4 is tried"


def test_facts_are_written_as_people_write_them_whatever_they_hold() -> None:
    texts = because(Rule.RECRAWL_KEEP, spared=1200, texts=["{x}", "[y]"]).text
    assert texts.endswith("of a page: 1,200 visits found nothing else changed, the last '{x}', '[y]'")
    assert because(Rule.SCOPE_BLOCK, expression="/[{]/").text == "/[{]/ is found in it"


def test_a_plugins_rule_is_told_in_its_own_words() -> None:
    mine = because("my.rule", text="not for us")
    assert (str(mine), mine.text, mine.is_by_knob) == ("my.rule: not for us", "not for us", True)
    assert str(because("my.rule")) == "my.rule"


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    reason = because(Rule.TRAPS_SOFT_404, title="a\ud800b", length=1, probe="p", probe_length=1)
    assert reason.facts["title"] == "a?b"
    msgspec.msgpack.encode([reason, because(Rule.RECRAWL_KEEP, texts=["\udfff", "ä"])])


@pytest.mark.parametrize("reason", [NEAR, because("my.rule"), because(Rule.TRAPS_TEMPLATE, barren={"copy": 2}, texts=["ä"])])
def test_a_reason_comes_back_from_wherever_it_was_packed(reason: Reason) -> None:
    for coding in (msgspec.msgpack, msgspec.json):
        assert coding.decode(coding.encode(reason), type=Reason) == reason


def test_json_has_the_rule_what_it_says_and_the_facts() -> None:
    given = plain(PAGE)
    assert (given["rule"], given["reason"], given["facts"]) == (
        "dedupe.near",
        NEAR.text,
        {"bits": 3, "same_as": "http://a.test/"},
    )
    none = plain(msgspec.structs.replace(PAGE, reason=None))
    assert (none["rule"], none["reason"], none["facts"]) == ("", "", {}) and none.keys() == given.keys()
    clock = plain(HostClock(block_reason=because(Rule.BREAKER_FAILURES, failures=5)))
    assert (clock["block_rule"], clock["block_reason"]) == ("breaker.failures", "5 failures in a row")
    assert clock["block_facts"] == {"failures": 5}


def test_a_verdict_that_has_nothing_to_say_says_nothing() -> None:
    assert Verdict(True, because(Rule.ROBOTS_META)).text == ""
    assert Verdict(False, because(Rule.ROBOTS_META)).text == "found only behind nofollow"


# --- the closed list -------------------------------------------------------------------------------------------------


def test_every_rule_is_explained_in_one_line() -> None:
    assert all(rule.about and "\n" not in rule.about and not rule.about.endswith(".") for rule in Rule)
    assert [rule.name for rule in Rule] == [rule.value.upper().replace(".", "_") for rule in Rule]


def test_every_rule_is_given_as_a_reason_somewhere_and_every_sentence_told() -> None:
    """Where code says `because(Rule.X, a=..., b=...)`, the sentence is known: the first one whose facts are all there."""
    said: dict[str, set[str]] = defaultdict(set)
    for rule, facts in _reasons_given():
        found = _sentence(rule, facts)
        assert found is not None or not facts, f"{rule} has no sentence for {sorted(facts)}"
        said[rule].add(found or "")
    assert set(Rule) - said.keys() == set()
    untold = {rule: [one for one in rule.sentences if one not in said[rule]] for rule in Rule}
    assert {rule: sentences for rule, sentences in untold.items() if sentences} == {}


def test_a_sentence_that_comes_first_needs_something_that_later_ones_lack() -> None:
    for rule in Rule:
        needs = [_facts_in(re.sub(r"\[[^\]]*\]", "", sentence)) for sentence in rule.sentences]
        assert not [later for place, later in enumerate(needs) if any(earlier <= later for earlier in needs[:place])], rule
        for sentence, facts in zip(rule.sentences, needs, strict=True):
            assert rendered(rule, dict.fromkeys(facts, 1)), sentence


def _reasons_given() -> Iterator[tuple[Rule, frozenset[str]]]:
    """Give rule and names of the facts of every reason that code makes; one of several rules is all of them."""
    for path, tree in _modules():
        for function in ast.walk(tree):
            is_scope = isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)
            if not is_scope or "testing" in path.parts:
                continue
            nodes = list(_within(function))
            named = [node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_name(node.value, "Rule")]
            for call in nodes:
                if isinstance(call, ast.Call) and _is_name(call.func, "because"):
                    facts = frozenset(word.arg for word in call.keywords if word.arg is not None)
                    rule = call.args[0]
                    for name in [rule.attr] if isinstance(rule, ast.Attribute) else named if isinstance(rule, ast.Name) else []:
                        yield Rule[name], facts


def _within(function: ast.AST) -> Iterator[ast.AST]:
    """Walk over a function, or a module without its functions."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _within(child)


def _sentence(rule: Rule, facts: frozenset[str]) -> str | None:
    return next((one for one in rule.sentences if _facts_in(re.sub(r"\[[^\]]*\]", "", one)) <= facts), None)


def _facts_in(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


# --- nobody reads prose ----------------------------------------------------------------------------------------------


def test_no_code_reads_the_text_of_a_reason() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path, tree in _modules()
        if str(path.relative_to(PACKAGE)) not in OTHERS
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and reads_prose(node)
    ]
    assert found == []


def test_no_statement_of_sql_looks_into_a_reason() -> None:
    looks = re.compile(r"\b(?:reason|facts)\b\s*(?:LIKE|GLOB|REGEXP|MATCH|->)|json_extract", re.IGNORECASE)
    texts = [path.read_text(encoding="utf-8") for kind in ("*.py", "*.sql") for path in PACKAGE.rglob(kind)]
    assert texts and [looks.search(text) for text in texts if looks.search(text)] == []


@pytest.mark.parametrize(
    "code",
    [
        'page.reason.text.startswith("traps.template:")',
        'str(known.reason).partition(": ")',
        'facts["reason"].split()',
        '"unreachable" not in facts["reason"]',
        '"documents.deadline" in page.reason.text',
        'f"{verdict.reason}".removeprefix("x")',
        "clock.block_reason.text[:5]",
        'verdict.reason.text == "status 404"',
        're.search("[0-9]+", reason)',
        "_NUMBER.findall(page.reason.text)",
        'verdict.text.endswith("this one too")',
        'refused.text in ("a", "b")',
    ],
)
def test_what_reads_the_text_of_a_reason_is_found_out(code: str) -> None:
    assert any(reads_prose(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.expr))


@pytest.mark.parametrize(
    "code",
    [
        'page.reason.rule == "traps.template"',
        'reason.facts["template"]',
        "page.reason.rule in MERGING",
        'f"because {page.reason}"',
        'reason.rule.startswith("traps.")',
        'facts["reason"] or kept',
        "name in self.reasons",
    ],
)
def test_what_asks_for_rule_and_facts_or_tells_them_is_fine(code: str) -> None:
    assert not any(reads_prose(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.expr))


def reads_prose(node: ast.expr) -> bool:
    """Tell whether an expression looks for something in what a reason says."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=arguments):
            return (method in READING and _is_prose(value)) or (method in SEARCHING and any(map(_is_prose, arguments)))
        case ast.Compare(left=left, ops=operators, comparators=others):
            is_compared = any(isinstance(one, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for one in operators)
            return is_compared and (any(map(_is_prose, others)) or (_is_prose(left) and any(map(_is_text, others))))
        case ast.Subscript(value=value, slice=place):
            return _is_prose(value) and not isinstance(place, ast.Constant)
        case _:
            return False


def _is_prose(node: ast.expr) -> bool:
    """Tell whether an expression is what a reason says, as far as its names tell."""
    match node:
        case ast.Name(id=name):
            return name in PROSE
        case ast.Attribute(value=value, attr="text"):
            return _is_prose(value) or any(_is_name(value, name) for name in ("verdict", "refused", "refusal"))
        case ast.Attribute(attr=name):
            return name in PROSE
        case ast.Subscript(slice=ast.Constant(value=name)):
            return name in PROSE
        case ast.Call(func=ast.Name(id="str"), args=[value]):
            return _is_prose(value)
        case ast.JoinedStr(values=values):
            return any(isinstance(value, ast.FormattedValue) and _is_prose(value.value) for value in values)
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    """Tell whether an expression is a text, or some."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_text, node.elts))
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))
