"""Lists of patterns: hosts, prefixes and regular expressions, one a line."""

import pytest

from gossamer.errors import ConfigError
from gossamer.filters.patterns import Hosts, Patterns
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
