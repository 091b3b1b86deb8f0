"""Scope: which URLs belong to the crawl, and which rule says so."""

from typing import Any

import pytest
from msgspec.structs import replace

from gossamer.config.sections import ScopeSettings as Settings
from gossamer.errors import ConfigError
from gossamer.filters.patterns import Patterns
from gossamer.filters.scope import RULES, Scope
from gossamer.filters.verdict import first_refusal
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Entry, LinkKind, Verdict
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.url.parse import parse

SEED = "https://www.example.org/docs/start.html"


def scope(*seeds: str, **knobs: Any) -> Scope:
    return Scope(Settings(**knobs), [parse(seed) for seed in seeds or (SEED,)])


def candidate(url: str, **facts: Any) -> Candidate:
    return Candidate(parse(url), **{"kind": LinkKind.ANCHOR, **facts})


def refused_by(found: Scope, url: str, **facts: Any) -> str:
    """Return the rule that refuses, after checking that `judge` and `trace` agree."""
    asked = candidate(url, **facts)
    verdict, trace = found.judge(asked), found.trace(asked)
    assert [entry.rule for entry in trace] == [f"scope.{rule}" for rule in RULES]
    assert (first_refusal(trace) or Verdict(True, because(Rule.SCOPE))) == verdict
    assert verdict.allowed or verdict.text
    return "" if verdict.allowed else verdict.rule.removeprefix("scope.")


CASES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "https://www.example.org/x", ""),
    ({}, "http://www.example.org/x", ""),
    ({}, "http://www.example.org:80/x", ""),
    ({}, "https://www.example.org:443/x", ""),
    ({}, "http://www.example.org:8080/x", "within"),
    ({"within": "domain"}, "http://www.example.org:8080/x", ""),
    ({"allow_hosts": ("www.example.org:8080",)}, "http://www.example.org:8080/x", ""),
    ({"allow_hosts": ("www.example.org:8080",)}, "http://www.example.org:9090/x", "within"),
    ({"allow_hosts": ("*.example.org:8080",)}, "http://a.example.org:8080/x", ""),
    ({"allow_hosts": ("*.example.org:8080",)}, "http://a.example.org/x", "within"),
    ({"allow_hosts": ("[::1]:8080",)}, "http://[::1]:8080/", ""),
    ({"allow_hosts": ("[::1]:8080",)}, "http://[::1]/", "within"),
    ({"allow_hosts": ("other.example",)}, "http://other.example:8080/x", ""),
    ({"block_hosts": ("www.example.org:443",)}, "https://www.example.org/x", "block_hosts"),
    ({"block_hosts": ("www.example.org:443",)}, "http://www.example.org/x", ""),
    ({}, "https://example.org/x", "within"),
    ({}, "https://www.example.org.evil.example/", "within"),
    ({}, "ftp://www.example.org/x", "schemes"),
    ({"schemes": ("http", "https", "ftp")}, "ftp://www.example.org/x", "schemes"),  # nothing fetches it
    ({"schemes": ("https",)}, "http://www.example.org/x", "schemes"),
    ({}, "file:///etc/passwd", "schemes"),
    ({"within": "domain"}, "http://a.b.example.org/x", ""),
    ({"within": "domain"}, "http://example.com/x", "within"),
    ({"within": "prefix"}, "https://www.example.org/docs/a/b", ""),
    ({"within": "prefix"}, "http://www.example.org/docs/a/b", ""),
    ({"within": "prefix"}, "https://www.example.org/other", "within"),
    ({"within": "prefix"}, "https://www.example.org/docs2", "within"),
    ({"within": "prefix"}, "https://www.example.org:444/docs/", "within"),
    ({"within": "any"}, "https://anywhere.example/", ""),
    ({"within": "any"}, "file:///etc/passwd", "schemes"),
    ({"allow_hosts": ("static.example.net",)}, "https://static.example.net/x", ""),
    ({"allow_hosts": ("*.example.net",)}, "https://a.b.example.net/x", ""),
    ({"allow_hosts": ("*.example.net",)}, "https://example.net/x", "within"),
    ({"block_hosts": ("www.example.org",)}, "https://www.example.org/x", "block_hosts"),
    ({"within": "any", "block_hosts": ("*.ads.example",)}, "https://x.ads.example/", "block_hosts"),
    ({"within": "any", "block_hosts": ("*.ads.example",)}, "https://ads.example/", ""),
    ({"allow_prefixes": ("https://www.example.org/docs/",)}, "https://www.example.org/docs/x", ""),
    ({"allow_prefixes": ("https://www.example.org/docs/",)}, "https://www.example.org/x", "allow_prefixes"),
    ({"block_prefixes": ("https://WWW.example.org/docs",)}, "https://www.example.org/docs/x", "block_prefixes"),
    ({"within": "any", "allow_prefixes": ("http://a.example",)}, "http://a.example.evil.example/", "allow_prefixes"),
    ({"allow": (r"\.html$", "/docs/")}, "https://www.example.org/a.html", ""),
    ({"allow": (r"\.html$", "/docs/")}, "https://www.example.org/a.php", "allow"),
    ({"block": (r"[?&]sort=",)}, "https://www.example.org/?a&sort=up", "block"),
    ({"block": (r"[?&]sort=",)}, "https://www.example.org/sort", ""),
    ({"block_extensions": ("zip", ".TAR.gz")}, "https://www.example.org/a/b.ZIP?c", "block_extensions"),
    ({"block_extensions": ("zip", ".TAR.gz")}, "https://www.example.org/b.tar.gz", "block_extensions"),
    ({"block_extensions": ("zip", ".TAR.gz")}, "https://www.example.org/zip", ""),
    ({"block_extensions": ("zip", ".TAR.gz")}, "https://www.example.org/a.zip/b", ""),
]


@pytest.mark.parametrize(("knobs", "url", "rule"), CASES)
def test_a_url_is_in_scope_or_refused_by_the_rule_that_is_named(knobs: dict[str, Any], url: str, rule: str) -> None:
    assert refused_by(scope(**knobs), url) == rule


def test_a_seed_needs_not_look_like_what_is_to_be_found() -> None:
    assert refused_by(scope(allow=("/docs/",)), "https://www.example.org/", kind=LinkKind.SEED) == ""
    assert refused_by(scope(block=("org",)), "https://www.example.org/", kind=LinkKind.SEED) == "block"


def test_a_seed_with_a_port_leads_to_no_other_port() -> None:
    found = scope("http://localhost:8000/")
    assert refused_by(found, "http://localhost:8000/a") == ""
    assert refused_by(found, "http://localhost:9000/") == "within"
    assert refused_by(found, "http://localhost/") == "within"
    assert found.judge(candidate("http://localhost/")).text == "localhost:80 is not one of the seeds' hosts"
    assert found.judge(candidate("http://other/")).text == "other is not one of the seeds' hosts"


def test_every_rule_has_a_knob_of_its_name() -> None:
    assert set(RULES) <= set(Settings.model_fields)


def test_every_seed_widens_the_scope() -> None:
    found = scope("https://a.example/", "http://b.example/x", schemes=())
    assert refused_by(found, "https://a.example/y") == ""
    assert refused_by(found, "http://b.example/y") == ""
    assert refused_by(found, "gopher://b.example/y") == "schemes"


def test_a_scheme_that_nothing_fetches_is_unsupported_and_another_one_out_of_scope() -> None:
    assert scope().judge(candidate("gopher://www.example.org/")).outcome is Outcome.UNSUPPORTED
    assert scope().judge(candidate("mailto:a@example.org")).outcome is Outcome.UNSUPPORTED
    assert scope().judge(candidate("ftp://www.example.org/")).outcome is Outcome.UNSUPPORTED
    assert scope(schemes=("https",)).judge(candidate("http://www.example.org/")).outcome is Outcome.OUT_OF_SCOPE
    plugged = Scope(Settings(), [parse("https://www.example.org/")], ("https", "gopher"))
    assert plugged.judge(candidate("gopher://www.example.org/")).outcome is Outcome.OUT_OF_SCOPE


def test_the_deepest_page_is_max_depth_hops_away() -> None:
    assert refused_by(scope(max_depth=2), "https://www.example.org/", depth=2) == ""
    assert refused_by(scope(max_depth=2), "https://www.example.org/", depth=3) == "max_depth"
    assert refused_by(scope(max_depth=0), "https://www.example.org/") == ""


def test_hops_beyond_the_site_are_counted_and_limited() -> None:
    found = scope(off_site_hops=2)
    assert found.off_site_of(candidate(SEED, off_site=5)) == 0
    assert found.off_site_of(candidate("https://b.example/", off_site=0)) == 1
    assert found.off_site_of(candidate("https://c.example/", off_site=1)) == 2
    assert refused_by(found, "https://c.example/", off_site=1) == ""
    assert refused_by(found, "https://d.example/", off_site=2) == "within"
    assert refused_by(found, SEED, off_site=2) == ""


@pytest.mark.parametrize("within", ["host", "domain", "prefix", "any"])
def test_a_crawl_of_local_files_keeps_to_its_directory(within: str) -> None:
    found = scope("file:///home/me/site/index.html", "https://www.example.org/", within=within, off_site_hops=3)
    assert refused_by(found, "file:///home/me/site/a/b.html") == ""
    assert refused_by(found, "file:///etc/passwd") == "within"
    assert refused_by(found, "file:///home/me/site/../secret") == "within"


def test_lists_can_be_changed_while_the_old_scope_stays() -> None:
    plain = scope(within="any")
    block = Patterns.parse(["bad.example"], "block.txt")
    listed = plain.with_lists(Patterns.parse(["*.example"], "allow.txt"), block)
    assert refused_by(listed, "http://good.example/") == ""
    assert refused_by(listed, "http://bad.example/") == "block_file"
    assert refused_by(listed, "http://good.test/") == "allow_file"
    assert "bad.example" in listed.judge(candidate("http://bad.example/")).text
    assert refused_by(plain, "http://bad.example/") == ""
    assert refused_by(listed.with_lists(None, None), "http://bad.example/") == ""
    assert refused_by(listed.with_lists(Patterns.parse([], "allow.txt"), None), "http://good.example/") == "allow_file"


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("allow", "("),
        ("block", "*"),
        ("allow_prefixes", "no url"),
        ("block_prefixes", "/x"),
        ("allow_hosts", "a/b"),
        ("block_hosts", "*"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused_by_its_knob(knob: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"^scope.{knob}: "):
        scope(**{knob: (value,)})


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"within": "any", "block_hosts": ("*.example.org",)},
        {"within": "prefix"},
        {"off_site_hops": 1},
        {"schemes": ("http", "file"), "within": "any"},
    ],
)
def test_what_was_said_of_a_site_before_changes_no_verdict(knobs: dict[str, Any]) -> None:
    files = ("file:///a/b", "file:///c/d")
    asked = [
        candidate(url, off_site=off_site)
        for url in (SEED, "https://www.example.org/x", "http://www.example.org/docs/x", "https://b.example/", *files)
        for off_site in (0, 1, 2)
    ]
    seeds = (SEED, files[0])
    fresh = [scope(*seeds, **knobs).judge(one) for one in asked]
    one_scope = scope(*seeds, **knobs)
    assert [one_scope.judge(one) for one in (*asked, *reversed(asked))] == [*fresh, *reversed(fresh)]


def test_a_link_that_leads_out_is_checked_by_a_rule_of_its_own_and_only_what_is_blocked_is_not() -> None:
    found = scope(check_external=True, max_depth=0, allow=("/never/",), block=("/secret/",), block_hosts=("bad.example",))
    for url, rule in {
        "https://b.example/x": "scope.check_external",
        "https://b.example/secret/x": "scope.block",
        "https://bad.example/x": "scope.block_hosts",
        "ftp://b.example/x": "scope.schemes",
        "https://www.example.org/x": "scope.max_depth",
    }.items():
        asked = candidate(url, depth=3)
        verdict = found.judge(asked)
        assert (verdict.rule, verdict.allowed) == (rule, rule == "scope.check_external")
        assert verdict.allowed or first_refusal(found.trace(asked)) == verdict
    assert found.judge(candidate("https://c.example/", off_site=1)).rule == "scope.within", "named by a page that is not ours"
    assert found.judge(candidate("https://b.example/", kind=LinkKind.ASCENT)).rule == "scope.within", "nobody links there"


def test_what_was_admitted_to_be_checked_is_never_crawled_unless_its_site_is_ours() -> None:
    entry = Entry("https://b.example/x", "https://b.example/x", "b.example", off_site=1)
    for found in (scope(check_external=True), scope()):
        assert found.is_checked(entry) and not found.is_checked(replace(entry, off_site=0))
        found.extend([parse("https://b.example/")])
        assert not found.is_checked(entry)
    assert not scope(off_site_hops=1).is_checked(entry)
