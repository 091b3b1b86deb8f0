"""Lists of patterns: hosts, prefixes and regular expressions, one a line."""

import subprocess
import sys
import time

import pytest

from gossamer.errors import ConfigError
from gossamer.filters.patterns import Expressions, Hosts, Patterns
from gossamer.url.parse import parse

LIST = """\
\ufeff# what we leave alone
example.org
*.ads.example

https://docs.example/private/
  /[?&]sort=/
BÜCHER.example
[2001:db8::1]
port.example:8080
port.example:443
"""


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("http://example.org/x", "example.org"),
        ("https://example.org:8443/", "example.org"),
        ("http://www.example.org/", ""),
        ("http://example.org.evil.example/", ""),
        ("http://a.b.ads.example/", "*.ads.example"),
        ("http://ads.example/", ""),
        ("http://badads.example/", ""),
        ("https://docs.example/private/x", "https://docs.example/private/"),
        ("https://docs.example/public/", ""),
        ("http://docs.example/private/x", ""),
        ("http://any.example/?a&sort=up", "/[?&]sort=/"),
        ("http://bücher.example/", "BÜCHER.example"),
        ("http://[2001:DB8:0::1]/", "[2001:db8::1]"),
        ("http://port.example:8080/", "port.example:8080"),
        ("https://port.example/", "port.example:443"),
        ("http://port.example/", ""),
        ("mailto:a@example.org", ""),
    ],
)
def test_a_url_matches_the_line_that_names_it(url: str, line: str) -> None:
    assert Patterns.parse(LIST.splitlines(), "block.txt").match(parse(url)) == line


@pytest.mark.parametrize(
    "line",
    [
        "/(/",
        "http://",
        "http://a b/",
        "a b",
        "*.",
        "*",
        "user@example.org",
        "example.org:",
        "example.org:65536",
        "::1",
        "a.*.example",
        "http://*.example.org/",
        "example.org/dir",
        "a?b",
        "(a",
        "a|b",
        "sort=",
        "/",
        "//",
    ],
)
def test_a_bad_line_is_refused_with_its_file_and_number(line: str) -> None:
    with pytest.raises(ConfigError, match=r"^block\.txt, line 2: "):
        Patterns.parse(["example.org", line], "block.txt")


def test_a_long_list_is_looked_up_not_searched() -> None:
    lines = [f"host{number}.example" for number in range(50_000)] + [f"http://a{number}.example/x/" for number in range(50_000)]
    patterns = Patterns.parse(lines, "long.txt")
    for number in range(0, 50_000, 5):  # a search through the list would take minutes
        assert patterns.match(parse(f"http://host{number}.example/")) == f"host{number}.example"
        assert patterns.match(parse(f"http://a{number}.example/x/y")) == f"http://a{number}.example/x/"
        assert patterns.match(parse(f"http://a{number}.example/y")) == ""


def test_no_patterns_match_nothing() -> None:
    assert Patterns.parse([], "empty.txt").match(parse("http://example.org/")) == ""
    assert not Hosts([], "scope.block_hosts")


@pytest.mark.parametrize("expression", ["(a+)+$", "(?:a|a)*b", "(.*)*x", ".*a.*a.*a.*!", "(a|aa)+$", "[ab]*a[ab]{200}c"])
def test_no_expression_holds_a_crawl_up_whatever_the_url_is(expression: str) -> None:
    expressions = Expressions([expression], "scope.block")
    url = parse("http://a.test/" + "a" * 50_000 + "!?!")
    begun = time.thread_time()
    expressions.match(url)
    assert time.thread_time() - begun < 0.2


@pytest.mark.parametrize("expression", ["(?=x)y", "a(?!b)", "(?<=a)b", r"(a)\1", "(?P<n>a)(?P=n)", "a*+b", "(?>a)", r"x\Z"])
def test_an_expression_that_has_no_bound_is_refused_with_the_remedy(expression: str) -> None:
    with pytest.raises(
        ConfigError, match=r"^scope\.allow: .* is no regular expression: .*; look-around.* scope\.block, and \$ for"
    ):
        Expressions([expression], "scope.allow")


def test_expressions_are_found_in_their_order_and_many_are_as_quick_as_few() -> None:
    expressions = Expressions([r"\.pdf$", "(?i)/DIR[0-9]/", "[?&]sort=", "dir"], "scope.allow")
    assert expressions.match(parse("http://a.test/dir7/x?a&sort=1")) == "(?i)/DIR[0-9]/"
    assert expressions.match(parse("http://a.test/dir/x.pdf")) == r"\.pdf$"
    assert expressions.match(parse("http://a.test/")) == ""
    assert not Expressions([], "scope.allow") and Expressions(["x"], "scope.allow")
    many = Expressions((f"/tag{number}/[0-9]+$" for number in range(2_000)), "scope.block")
    assert many.match(parse("http://a.test/tag1999/5")) == "/tag1999/[0-9]+$"


def test_expressions_that_no_memory_holds_are_refused_not_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.filters.patterns.MOST_MEMORY", 1024 * 1024)
    with pytest.raises(ConfigError, match=r"^scope\.block: "):
        Expressions((f"(?:[a-z]{{900}}|x{number}){{1,1}}[0-9]{{900}}" for number in range(60)), "scope.block")


def test_the_engine_is_only_loaded_for_whoever_has_expressions() -> None:
    program = (
        "import sys; from gossamer.config.sections import ScopeSettings as Settings; from gossamer.filters.scope import Scope; "
        "Scope(Settings(), ()); assert 're2' not in sys.modules; Scope(Settings(block=('x',)), ()); assert 're2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
