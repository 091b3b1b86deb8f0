"""What would help a URL that was not fetched: a command a person can type, or nothing where nothing would."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from gossamer.config.sections import Settings
from gossamer.jobs.remedy import remedies

DIRECTORY = Path("my crawl")


def facts(state: str = "dead", outcome: str | None = None, rule: str = "", **others: Any) -> dict[str, Any]:
    """Return what `explain` knows of a URL; with an outcome of its own it was leased."""
    return {
        "wire": "http://www.a.example/1",
        "host": "www.a.example",
        "state": state,
        "outcome": outcome,
        "rule": rule,
        "reason": "because",
        "facts": {},
        "found": {"via": "http://a.example/", "kind": "image", "depth": 17},
        "robots": {"verdict": "allowed"},
        "host_status": {"policy": {"paused": False, "blocked": False}, "clock": {"block_rule": ""}},
        "page": {} if outcome else None,
        "evidence": {"decided_by": "/cal/{n}", "cosmetic": ["sid"]},
        **others,
    }


def commands(**given: Any) -> list[list[str]]:
    return [shlex.split(one.command)[1:] for one in remedies(facts(**given), Settings(), DIRECTORY)]


@pytest.mark.parametrize(
    ("rule", "option"),
    [
        ("scope.within", ["--scope", "domain"]),
        ("scope.max_depth", ["--max-depth", "17"]),
        ("scope.block", ["--set", "scope.block="]),
        ("robots.meta", ["--set", "robots.meta=false"]),
        ("traps.max_repeats", ["--set", "traps.max_repeats=6"]),
        ("fetch.max_redirects", ["--set", "fetch.max_redirects=20"]),
        ("dedupe.near", ["--set", "dedupe.near=off"]),
    ],
)
def test_a_refused_link_is_judged_anew_by_the_same_crawl_with_another_setting(rule: str, option: list[str]) -> None:
    papers = ["--seeds", "my crawl/seeds.txt", "--config", "my crawl/gossamer.toml", "--dir", "my crawl.again"]
    assert commands(rule=rule) == [["crawl", *papers, *option]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"outcome": "gone"}, ["resume", "my crawl", "--retry-failed"]),
        ({"outcome": "address_refused"}, ["resume", "my crawl", "--retry-failed", "--allow-private", "127.0.0.0/8"]),
        ({"outcome": "tls_failed"}, ["host", "my crawl", "www.a.example", "--insecure"]),
        (
            {"outcome": "trap", "rule": "traps.template"},
            ["traps", "my crawl", "--host", "www.a.example", "--allow", "/cal/{n}"],
        ),
        (
            {"outcome": "duplicate", "rule": "traps.parameter"},
            ["rules", "my crawl", "--host", "www.a.example", "--keep", "sid"],
        ),
        (
            {"outcome": "out_of_scope", "rule": "policy.crawl_depth"},
            ["host", "my crawl", "www.a.example", "--crawl-depth", "17"],
        ),
        ({"rule": "policy.blocked"}, ["host", "my crawl", "www.a.example", "--unblock"]),
        ({"state": "waiting"}, ["resume", "my crawl"]),
        ({"state": "unknown", "found": None}, ["crawl", "http://www.a.example/1"]),
    ],
)
def test_what_failed_waits_or_was_held_back_has_its_command(given: dict[str, Any], words: list[str]) -> None:
    assert commands(**given)[0] == words


def test_an_address_that_was_refused_is_the_one_to_allow() -> None:
    told = commands(outcome="address_refused", facts={"address": "10.1.2.3"})
    assert told[0][-1] == "10.1.2.3"
    assert commands(outcome="address_refused", host="[::1]")[0][-1] == "::1"
    assert commands(outcome="address_refused", host="localhost")[0][-1] == "127.0.0.0/8"


def test_a_host_that_is_held_back_is_released() -> None:
    paused = {"policy": {"paused": True, "blocked": False}, "clock": {"block_rule": ""}}
    blocked = {"policy": {"paused": False, "blocked": False}, "clock": {"block_rule": "politeness.throttled"}}
    assert commands(state="waiting", host_status=paused)[0][-1] == "--resume"
    assert commands(state="waiting", host_status=blocked)[0][-1] == "--unblock"


def test_where_nothing_helps_nothing_is_said() -> None:
    assert commands(rule="scope.schemes", wire="mailto:x@example.org") == commands(state="removed") == []
    assert commands(rule="a.plugin") == []
