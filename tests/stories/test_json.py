"""`--json` of every command: one object a line, and nothing in it is told by its position."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from consumers import consumer_running
from crawling import run_gossamer
from serving import page, site_running

from gossamer.cli.commands import COMMANDS

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--json"]
PROSE = " ".join(f"word{number}" for number in range(80))
WITHOUT = {"demo", "mcp", "serve", "shell", "simweb"}  # what they say in JSON, if anything, has tests of its own
SCRIPT = "from gossamer.script import reads\n@reads('text/html')\ndef broken(page):\n    yield 1\n"


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what every command says about a crawl in which something was learned."""
    place = tmp_path_factory.mktemp("json")
    crawl, script = place / "crawl", place / "broken.py"
    script.write_text(SCRIPT)
    same = [f"/p?view={number}" for number in range(12)]
    pages = {path: page(title="the same") for path in same} | {"/a": page(title=PROSE), "/b": page(title=f"{PROSE} more")}
    here = {"/": page("/a", "/b", "/gone", *same), **pages}
    with site_running(here) as site, consumer_running("webhook", place / "hook") as hook:
        url = site.url("/a")
        commands = {
            "crawl": [["crawl", site.url(), "--dir", crawl, "--script", script, *QUICK]],
            "init": [["init", place / "project", "--json"]],
            "recrawl": [["recrawl", crawl, "--json", "--delay", "0"]],
            "resume": [["resume", crawl, "--json"]],
            "relay": [["relay", crawl, "--to", hook.uri, "--json", "--allow-private", "127.0.0.0/8"]],
            "status": [["status", crawl, "--json"], ["status", place, "--json"]],
            "pages": [
                ["pages", crawl, "--json", *options]
                for options in ([], ["--near", url], ["--inlinks", url], ["--versions", url], ["some", "words"])
            ],
            "show": [["show", crawl, url, "--json"]],
            "problems": [["problems", crawl, "--json"]],
            "freshness": [["freshness", crawl, "--json"]],
            "graph": [["graph", crawl, "--json"]],
            "export": [
                ["export", crawl, "--to", "jsonl", place / "pages.jsonl", "--json"],
                *(["export", crawl, "--to", "jsonl", "-", *options] for options in (["--links"], ["--table", "links"])),
            ],
            "report": [["report", crawl, "--json"]],
            "diff": [["diff", crawl, "--from", "2020-01-01", "--json"], ["diff", crawl, crawl, "--url", url, "--json"]],
            "index": [["index", crawl, "--json"]],
            "explain": [["explain", crawl, site.url(path), "--json"] for path in ("/a", "/p?view=3", "/gone", "/never")],
            "verify": [["verify", crawl, "--json"]],
            "log": [["log", crawl, "--json"]],
            "audit": [["audit", "verify", crawl, "--json"], ["audit", "head", crawl, "--json"]],
            "hosts": [["hosts", crawl, "--json"]],
            "host": [["host", crawl, "127.0.0.1", "--max-qps", "5", "--json"]],
            "traps": [["traps", crawl, "--all", "--json"]],
            "rules": [["rules", crawl, "--all", "--json"]],
            "remove": [["remove", crawl, site.url("/gone"), "--json"]],
            "pause": [["pause", crawl, "--json"], ["pause", crawl, "--off", "--json"]],
            "token": [["token", "new", place, "--name", "grafana", "--json"], ["token", "list", place, "--json"]],
            "checkpoint": [["checkpoint", crawl, place / "copy", "--json"]],
            "prune": [["prune", crawl, "-n", "1", "--json"]],
            "url": [["url", url, "--json"]],
            "robots": [["robots", url, "--json", "--allow-private", "127.0.0.0/8"]],
            "links": [["links", site.url(), "--json", "--allow-private", "127.0.0.0/8"]],
            "fetch": [["fetch", url, "--json", "--allow-private", "127.0.0.0/8"]],
            "estimate": [["estimate", "--pages", "1m", "--json"]],
            "simulate": [["simulate", "--pages", "200", "--days", "2", "--policy", "fixed", "--json"]],
            "config": [["config", "--json"], ["config", crawl, "--json"]],
        }
        return {name: [_said(*words) for words in several] for name, several in commands.items()}


def _said(*words: object) -> str:
    result = run_gossamer(*words)
    assert result.returncode == 0, (words, result.stderr)
    return result.stdout


def _positional(value: Any, path: str) -> Iterator[str]:
    """Name the arrays whose items mean something by where they stand: arrays of arrays, and of this and that."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _positional(part, f"{path}.{name}")
    elif isinstance(value, list):
        kinds = {float if isinstance(part, int | float) else type(part) for part in value}
        if len(kinds) > 1 or list in kinds:
            yield f"{path}: {value}"
        for part in value:
            yield from _positional(part, f"{path}[]")


def test_every_command_is_looked_at(said: dict[str, list[str]]) -> None:
    assert set(said) | WITHOUT == set(COMMANDS)


def test_every_line_is_an_object_without_positions(said: dict[str, list[str]]) -> None:
    wrong = []
    for name, answers in said.items():
        for answer in answers:
            assert answer or name == "pages", name  # pages that nobody has
            for line in answer.splitlines():
                value = json.loads(line)
                wrong += [f"{name}: {line}"] if not isinstance(value, dict) else list(_positional(value, name))
    assert wrong == []


def test_places_headers_and_pairs_have_names(said: dict[str, list[str]], tmp_path: Path) -> None:
    shown = json.loads(said["show"][0])
    assert {"file", "offset", "length"} <= set(shown["page"]["place"]) & set(shown["version"]["place"])
    assert {"name": "content-type", "value": "text/html"} in shown["headers"]
    assert {"name": "content-type", "value": "text/html"} in json.loads(said["fetch"][0])["headers"]
    kept = [json.loads(line) for line in said["pages"][0].splitlines()]
    assert any(isinstance(one["freshness"], dict) for one in kept) and any("file" in (one["place"] or {}) for one in kept)
    rules = {rule["kind"]: rule for rule in map(json.loads, said["rules"][0].splitlines())}
    assert set(rules["parameter"]["examples"][0]) == {"url", "same_as"}
