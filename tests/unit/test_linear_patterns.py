"""No pattern of the program takes more than linear time, whatever it is given."""

import random
import re
from typing import Any

import pytest
from patterns import ASKED, ROOT, above_linear, in_modules, in_sources, sources

from gossamer.document import head
from gossamer.policy import directives
from gossamer.processors import page
from gossamer.storage.archive import check

EXCUSED = {  # patterns that are only known at run time
    "dedupe/vectors.py": "a class of characters made from a table, one or more of it: nothing to go back to",
    "simweb/mazes/sessions.py": "a maze's own attribute, asked about paths of its own pages",
    "simweb/robots.py": "a rule of simweb's own robots.txt, judged where no crawl waits",
}
FORMER = {  # what stood in the program, and held it up for seconds
    "folded header lines": (re.compile(rb"(?:[ \t]*\r?\n[ \t]+)+"), "finditer"),
    "meta refresh": (
        re.compile(
            r"\s*(?:[0-9]+|(?=\.))[0-9.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
            re.IGNORECASE | re.DOTALL,
        ),
        "match",
    ),
    "X-Robots-Tag": (re.compile(r"[\w-]+\s*:[^,;]*"), "finditer"),
    "charset of a meta element": (re.compile(rb"<meta[\s/][^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", re.I), "search"),
    "comments": (re.compile(rb"<!--.*?-->", re.DOTALL), "finditer"),
    "sessions in a query": (re.compile(r"(.*)sid=[0-9a-z]{32}(?:&|$)"), "finditer"),
    "sessions before .aspx": (re.compile(r"(.*/)\((?:[a-z0-9]{24}|(?:[a-z]\([a-z0-9]{24}\))+)\)/(?=[^?]+\.aspx)"), "finditer"),
    "cfid and cftoken": (re.compile(r"\A(.*)cfid=[^&]+&cftoken=[^&]+(?:&|$)"), "search"),
    "chunk sizes": (re.compile(rb"\s*([0-9A-Fa-f]+)[^\n]*\n"), "match"),
}
MENDED = [
    ("folded header lines", head._FOLD, " ~\t~\r~\n~\r\n~a~:"),
    ("meta refresh", page._REFRESH, "0~1~.~;~,~ ~\n~url~=~'~\"~x"),
    ("X-Robots-Tag", directives.VALUED, "a~b~-~ ~:~,~;~none"),
    ("chunk sizes", check._CHUNK_SIZE, "a~0~ ~\n~\r~;~x"),
]
TEXTBOOK = {
    r"(a+)+$": "fullmatch",
    r"(?:a|a)*b": "match",
    r"(?:a|b|ab)*c": "match",
    r"(\w+\s?)*$": "match",
    r"\s+$": "search",
    r"x*y": "search",
    r".*a.*a": "fullmatch",
    r"<b>.*?</b>": "finditer",
    r"^(([a-z])+.)+[A-Z]([a-z])+$": "search",
}
QUICK = {r"[a-z]+\Z": ["match"], r"(?:ab)*c": ["match", "fullmatch"], r"(?<!\w)\w++\s*+:": ASKED, r"\d{1,9}:\w*+": ASKED}


def test_every_pattern_that_modules_hold_takes_linear_time() -> None:
    slow, count = {}, 0
    for found in in_modules():
        count += 1
        if how := above_linear(found.pattern, sorted(found.asked)):
            slow[found.place] = how
    assert slow == {}
    assert count > 120


def test_every_pattern_in_a_function_takes_linear_time_and_none_is_made_at_run_time() -> None:
    slow, unknown = {}, set()
    for place, found in in_sources():
        if found is None:
            unknown.add(place.partition(":")[0])
        elif how := above_linear(found.pattern, sorted(found.asked)):
            slow[place] = how
    assert slow == {}
    assert unknown == EXCUSED.keys()


def test_re_is_called_by_its_name_and_no_other_engine_is() -> None:
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        assert not re.search(
            r"^\s*(?:from re import|import re as|import regex|from regex|import fnmatch|from fnmatch)", text, re.M
        )
    assert len(sources()) > 200


@pytest.mark.parametrize("name", FORMER)
def test_a_pattern_that_was_mended_would_be_found_again(name: str) -> None:
    pattern, asked = FORMER[name]
    assert above_linear(pattern, [asked])


@pytest.mark.parametrize(("name", "now", "letters"), MENDED, ids=[name for name, _, _ in MENDED])
def test_a_mended_pattern_reads_what_the_former_read(name: str, now: re.Pattern[Any], letters: str) -> None:
    former, asked = FORMER[name]
    chance = random.Random(name)
    for _ in range(3_000):
        text: Any = "".join(chance.choice(letters.split("~")) for _ in range(chance.randint(0, 12)))
        text = text if isinstance(now.pattern, str) else text.encode()
        if asked == "match":
            before, after = former.match(text), now.match(text)
            assert (before and before.groups()) == (after and after.groups()), text
        else:
            assert former.sub(text[:0], text) == now.sub(text[:0], text), text


@pytest.mark.parametrize("text", TEXTBOOK)
def test_patterns_known_to_be_slow_are_found(text: str) -> None:
    assert above_linear(re.compile(text), [TEXTBOOK[text]])


@pytest.mark.parametrize("text", QUICK)
def test_patterns_known_to_be_quick_pass(text: str) -> None:
    assert above_linear(re.compile(text), QUICK[text]) == ""
