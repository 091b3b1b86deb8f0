"""`gossamer robots`: what a robots.txt says about a URL."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import AllowPrivate, Insecure, Resolve, flags_of
from gossamer.cli.jsonl import answer_lines


def robots(
    url: Annotated[str | None, typer.Argument(metavar="URL", help="the URL that would be fetched")] = None,
    file: Annotated[Path | None, typer.Option(help="a robots.txt on disk, instead of asking the host", metavar="FILE")] = None,
    agent: Annotated[str, typer.Option(help="product token to look for")] = "gossamer",
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help='read {"robots":…, "agent":…, "url":…} a line')] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Say whether robots.txt allows a URL, and which line decides."""
    from gossamer.config.load import load
    from gossamer.errors import UsageError
    from gossamer.jobs.inspect import ask_robots, judge_robots

    if jsonl:
        answer_lines(sys.stdin.buffer, lambda ask: judge_robots(ask["robots"], ask.get("agent", "gossamer"), ask["url"]))
        return
    if url is None:
        raise UsageError("name a URL, or pass --jsonl to read questions from standard input")
    if file is not None:
        try:
            facts = judge_robots(file.read_bytes(), agent, url)
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from error
    else:
        settings = load((), flags_of(allow_private=allow_private, resolve=resolve, insecure=insecure))
        facts = ask_robots(url, agent, settings)
    if json:
        output.json(facts)
        return
    output.line("allowed" if facts["allowed"] else "disallowed")
    output.line(f"  because {facts['rule']}")
    if facts["delay"] is not None:
        output.line(f"  crawl-delay {facts['delay']:g} s")
