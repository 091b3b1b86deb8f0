"""What every test may use: the command line as a user runs it, and a synthetic web in a process of its own."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked

GOSSAMER = [sys.executable, "-m", "gossamer"]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GOSSAMER_") and "proxy" not in name.lower()}


def run_gossamer(*arguments: object, stdin: str | None = None, timeout: float = 110) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return forked.run([*map(str, arguments)], stdin, timeout, CLEAN)


def start_gossamer(*arguments: object) -> subprocess.Popen[str]:
    """Start a command; the caller stops it."""
    words = [*GOSSAMER, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN)


@dataclass(frozen=True)
class Simweb:
    """A running synthetic web and its witnesses."""

    port: int
    seeds: Path
    ledger_file: Path
    manifest: list[dict[str, Any]]
    dns_port: int | None = None
    clock_port: int | None = None

    @property
    def crawl_options(self) -> list[str]:
        """What a crawl needs to reach it."""
        return ["--seeds", str(self.seeds), "--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]

    def ledger(self) -> list[dict[str, Any]]:
        """Every request so far, in order of arrival."""
        lines = [json.loads(line) for line in self.ledger_file.read_text().splitlines()]
        return sorted(lines, key=lambda seen: seen["start"])

    def requests(self) -> int:
        """How many requests there were so far."""
        return self.ledger_file.read_bytes().count(b"\n")

    @property
    def expected(self) -> int:
        """The fewest requests a whole crawl takes."""
        return sum(bool(entry["fetch"]) for entry in self.manifest)


@dataclass(frozen=True)
class Crawled:
    """A finished crawl and its web."""

    directory: Path
    web: Simweb
    result: subprocess.CompletedProcess[str]


@contextmanager
def simweb_running(directory: Path, **options: object) -> Iterator[Simweb]:
    """Serve a synthetic web for a while."""
    ledger, manifest, seeds = directory / "ledger.jsonl", directory / "manifest.jsonl", directory / "seeds.txt"
    words = [
        sys.executable,
        "-m",
        "gossamer.simweb",
        "--ledger",
        str(ledger),
        "--manifest",
        str(manifest),
        "--seeds",
        str(seeds),
    ]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}"] if value is True else [f"--{name.replace('_', '-')}", str(value)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=CLEAN)
    try:
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline())
        entries = [json.loads(line) for line in manifest.read_text().splitlines()]
        yield Simweb(ready["port"], seeds, ledger, entries, ready["dns_port"], ready["clock_port"])
    finally:
        server.terminate()
        server.wait(10)


def outcomes_of(directory: Path, web: Simweb) -> dict[str, str | None]:
    """Ask a crawl for the outcome of every URL of the manifest."""
    stdin = "".join(f"{entry['url']}\n" for entry in web.manifest)
    result = run_gossamer("explain", directory, "-", "--json", stdin=stdin)
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    return {answer["url"]: answer["outcome"] for answer in answers}


def wrong_outcomes(web: Simweb, outcomes: dict[str, str | None]) -> list[tuple[str, str, str | None]]:
    """Return the URLs that ended otherwise than the manifest says; of a group of copies exactly one ends as ok."""
    wrong = []
    originals: Counter[str] = Counter()
    for entry in web.manifest:
        outcome = outcomes[entry["url"]]
        group = entry.get("group")
        if group and outcome == "ok":
            originals[group] += 1
        elif outcome != entry["outcome"]:
            wrong.append((entry["url"], entry["outcome"], outcome))
    groups = {entry["group"] for entry in web.manifest if entry.get("group")}
    return wrong + [(group, "exactly one original", str(originals[group])) for group in groups if originals[group] != 1]
