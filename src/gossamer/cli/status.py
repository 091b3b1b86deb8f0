"""`gossamer status`: a crawl in numbers, running or not."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import output
from gossamer.jobs.command import command


def status(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory; a directory of crawls lists them")],
    json: Annotated[bool, typer.Option("--json", help="print JSON, a line for each crawl")] = False,
) -> None:
    """Show how far a crawl is, or list the crawls in a directory."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory, crawls_in

    inside = crawls_in(directory)
    if inside:
        facts = [ask(crawl, "status") for crawl in inside]
        if not json:
            output.table(["crawl", "state", "pages", "waiting", "failed", "not for us"], [_row(one) for one in facts])
        for one in facts if json else ():
            output.json(one)
        return
    one = ask(CrawlDirectory.open(directory), "status")
    if json:
        output.json(one)
        return
    output.line(f"{one['directory']}: {one['state']}")
    output.rows(_rows(one))
    output.line()
    show_outcomes(one["outcomes"])


def _rows(one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give every line about a crawl: what it is about, and what there is to say."""
    frontier = one["frontier"]
    yield "pages", f"{one['pages']:,}, {output.size(one['bytes'])}"
    if "pages_per_second" in one:
        yield "pace", f"{one['pages_per_second']:,.1f} pages/s in the last minute"
    yield "URLs", states(frontier)
    if one["bodies_cut"]:
        yield "cut", bodies_cut(one["bodies_cut"], one["directory"])
    if one["links_cut"]["links"]:
        yield "links", output.links_cut(one["links_cut"])
    if frontier["hosts"]:
        yield "hosts", f"{frontier['hosts']:,} with work: {command('hosts', one['directory'])}"
    told = one["chronicle"]
    log = command("log", one["directory"])
    yield "chronicle", f"{told['events']:,} events: {log}" if told else "none: chronicle.level is off"
    for sink in one["sinks"]:
        yield "events", sink_words(sink)
    yield "build", output.build(**one["build"])


def sink_words(sink: Mapping[str, Any]) -> str:
    """Say how far a sink is, and what its last error was."""
    lag = f"{sink['lag']:,} behind" if sink["lag"] else "told everything"
    failing = f", fails since {output.moment(sink['since'])} UTC: {sink['error']}" if sink["error"] else ""
    return f"{sink['sink']}: {lag}{failing}"


def states(frontier: Mapping[str, int]) -> str:
    """Say how many URLs are known and what became of them; links that a rule refused are no failures."""
    waiting = frontier["waiting"] + frontier["leased"]
    counts = {
        "done": frontier["done"],
        "waiting": waiting,
        "failed": frontier["failed"],
        "not for us": frontier["not_for_us"],
        "removed": frontier["removed"],
    }
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count or name != "removed")
    return f"{sum(counts.values()):,} known: {told}"


def bodies_cut(count: int, directory: str) -> str:
    """Say how many bodies are not whole, and how to see which."""
    return f"{count:,} {'body is' if count == 1 else 'bodies are'} not whole: {command('pages', directory, '--cut')}"


def show_outcomes(outcomes: Mapping[str, int]) -> None:
    """Print how URLs ended, the most frequent end first: by name, with a bar for each."""
    from gossamer.records.standing import NOT_FOR_US
    from gossamer.visit.settle import FINISHED

    most = max(outcomes.values(), default=1)
    output.table(
        ["outcome", "URLs", "", ""],
        [
            (
                name,
                f"{count:,}",
                "" if name in FINISHED else "not for us" if name in NOT_FOR_US else "failed",
                "█" * max(1, round(30 * count / most)),
            )
            for name, count in sorted(outcomes.items(), key=lambda item: -item[1])
        ],
    )


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    counts = (one["pages"], *(one["frontier"][name] for name in ("waiting", "failed", "not_for_us")))
    return one["directory"], one["state"], *(f"{count:,}" for count in counts)
