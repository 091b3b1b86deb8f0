"""`gossamer crawl` and `gossamer resume`: run a crawl, show it, sum it up."""

import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli import output
from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.config.sections import Settings
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.run import Again, Summary

Delay = Annotated[float | None, typer.Option(help="seconds between two requests to a host (1)", metavar="S")]
Connections = Annotated[int | None, typer.Option(help="requests to a host at once (1)", metavar="N")]
Workers = Annotated[int | None, typer.Option(help="processes that fetch and read (1)", metavar="N")]
MaxPages = Annotated[int | None, typer.Option(help="stop after N pages were kept", metavar="N")]
MaxBytes = Annotated[str | None, typer.Option(help="stop after that many bytes, such as 5GB", metavar="SIZE")]
MaxTime = Annotated[str | None, typer.Option(help="stop after that long, such as 30m", metavar="TIME")]
MaxDepth = Annotated[int | None, typer.Option(help="hops from a seed (15)", metavar="N")]
WithinScope = Annotated[str | None, typer.Option("--scope", help="keep to the seeds' host, domain, prefix, or any (host)")]
AllowPrivate = Annotated[
    list[str] | None, typer.Option(help="address range that may be contacted though not public", metavar="CIDR")
]
Resolve = Annotated[list[str] | None, typer.Option(help="HOST:ADDRESS, or *.DOMAIN:ADDRESS", metavar="HOST:ADDRESS")]
Insecure = Annotated[bool, typer.Option("--insecure", help="accept any TLS certificate")]
Contact = Annotated[str | None, typer.Option(help="URL or mail address where a webmaster reaches you")]
UserAgent = Annotated[str | None, typer.Option(help="user agent; {version} and {contact} are filled in")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="TOML file with settings (see `gossamer config`)")]
Set = Annotated[list[str] | None, typer.Option("--set", help="any setting, such as fetch.max_body=20MB", metavar="KEY=VALUE")]
Forever = Annotated[bool, typer.Option("--forever", help="visit pages again when they are due, until told to stop")]
Json = Annotated[bool, typer.Option("--json", help="print the summary as JSON")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress")]


def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL...", help="where to begin: pages or sitemaps")] = None,
    directory: Annotated[Path | None, typer.Option("--dir", help="the crawl's directory (named after the first host)")] = None,
    seeds: Annotated[str | None, typer.Option(help="file of seeds, one a line; - is standard input", metavar="FILE")] = None,
    skip_invalid: Annotated[bool, typer.Option("--skip-invalid", help="leave out seeds that are no URLs")] = False,
    delay: Delay = None,
    connections: Connections = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_depth: MaxDepth = None,
    forever: Forever = False,
    scope: WithinScope = None,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    config: ConfigFile = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Crawl from seed URLs into a directory."""
    from gossamer.clock import SystemClock
    from gossamer.config.load import load
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.run import default_directory
    from gossamer.jobs.seeds import read_seeds

    flags = flags_of(
        delay=delay,
        connections=connections,
        workers=workers,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time=max_time,
        max_depth=max_depth,
        forever=forever,
        scope=scope,
        allow_private=allow_private,
        resolve=resolve,
        insecure=insecure,
        contact=contact,
        user_agent=user_agent,
        set_=set_,
    )
    settings = load([config] if config else [], flags)
    found = read_seeds(_sources(urls or [], seeds), skip_invalid)
    for sentence in found.invalid:
        output.note(f"left out: {sentence}")
    path = directory or default_directory(found.urls[0].host)
    made = CrawlDirectory.create(path, settings, found.urls, SystemClock().now())
    _run(made, settings, json, quiet)


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    delay: Delay = None,
    connections: Connections = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_depth: MaxDepth = None,
    forever: Forever = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a crawl that was stopped, killed or spent its budget. Options given here count for this run."""
    from gossamer.jobs.directory import CrawlDirectory

    flags = flags_of(
        delay=delay,
        connections=connections,
        workers=workers,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time=max_time,
        max_depth=max_depth,
        forever=forever,
        allow_private=allow_private,
        resolve=resolve,
        insecure=insecure,
        contact=contact,
        user_agent=user_agent,
        set_=set_,
    )
    opened = CrawlDirectory.open(directory)
    _run(opened, opened.settings(flags), json, quiet)


def recrawl(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    older_than: Annotated[str, typer.Option(help="only pages last visited longer ago than this, such as 7d")] = "0",
    failed: Annotated[bool, typer.Option("--failed", help="also URLs that ended without a page")] = False,
    delay: Delay = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_time: MaxTime = None,
    forever: Forever = False,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Visit the pages of a crawl again: changed ones are kept as new versions, the others confirmed."""
    from gossamer.config.load import duration
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.run import Again

    limits: dict[str, object] = {"crawl.max_pages": "none", "crawl.max_bytes": "none", "crawl.max_seconds": "none"}
    given = flags_of(delay=delay, workers=workers, max_pages=max_pages, max_time=max_time, forever=forever, set_=set_)
    opened = CrawlDirectory.open(directory)
    _run(opened, opened.settings(limits | given), json, quiet, Again(duration(older_than, "--older-than"), failed))


FLAGS = {
    "delay": "politeness.delay",
    "connections": "politeness.connections",
    "workers": "crawl.workers",
    "max_pages": "crawl.max_pages",
    "max_bytes": "crawl.max_bytes",
    "max_time": "crawl.max_seconds",
    "max_depth": "scope.max_depth",
    "forever": "crawl.forever",
    "scope": "scope.within",
    "allow_private": "fetch.allow_private",
    "resolve": "dns.overrides",
    "insecure": "fetch.insecure",
    "contact": "crawl.contact",
    "user_agent": "crawl.user_agent",
}


def flags_of(set_: list[str] | None = None, **options: Any) -> dict[str, object]:
    """Turn options into settings by their dotted names; those not given are left out."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    flags: dict[str, object] = {FLAGS[name]: value for name, value in given.items()}
    for text in set_ or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r} is not KEY=VALUE; write it like --set fetch.max_body=20MB")
        flags[key] = value
    return flags


def _sources(urls: list[str], file: str | None) -> Iterator[tuple[str, str]]:
    from gossamer.jobs.seeds import lines_of

    for text in urls:
        yield f"seed {text!r}", text
    if file == "-":
        yield from lines_of("standard input", sys.stdin)
    elif file:
        try:
            lines = Path(file).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the seeds in {file}: {error}") from error
        yield from lines_of(file, lines)


def _run(directory: "CrawlDirectory", settings: "Settings", as_json: bool, quiet: bool, again: "Again | None" = None) -> None:
    from gossamer.cli.progress import Progress
    from gossamer.jobs.run import run_crawl

    if not quiet and not as_json:
        for text in manners(settings, directory):
            output.note(text)
    progress = Progress(quiet=quiet or as_json)
    try:
        summary = run_crawl(directory, settings, progress.watch, again)
    finally:
        progress.close()
    if as_json:
        output.json(machine_summary(summary))
    else:
        show_summary(summary)
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def manners(settings: "Settings", directory: "CrawlDirectory") -> Iterator[str]:
    """Say how the crawl will behave, before it does."""
    from gossamer.assemble import user_agent

    polite = settings.politeness
    yield f"crawling into {directory.path}, {len(directory.seeds()):,} seed(s)"
    yield f"  robots.txt: {'obeyed' if settings.robots.obey else 'IGNORED (robots.obey is off)'}"
    yield f"  pace:       {polite.delay:g} s between two requests to a host, {polite.connections} at once"
    yield f"  scope:      {_scope_words(settings)}, {settings.scope.max_depth} hops at most"
    allowed = ", ".join(settings.fetch.allow_private)
    yield "  addresses:  " + (
        f"private ones refused except {allowed}" if allowed else "only public ones; private ones are refused"
    )
    yield f"  user agent: {user_agent(settings)}"
    if not settings.crawl.contact:
        yield "  no --contact given: webmasters who cannot reach you block you; a URL or mail address goes into the user agent"


def _scope_words(settings: "Settings") -> str:
    words = {
        "host": "keeps to the seeds' hosts",
        "domain": "keeps to the seeds' domains",
        "prefix": "keeps below the seeds' paths",
        "any": "follows links to any host",
    }
    return words[settings.scope.within]


def machine_summary(summary: "Summary") -> dict[str, Any]:
    """Return the summary as plain values."""
    import msgspec

    facts: dict[str, Any] = msgspec.to_builtins(summary)
    return {**facts, "exit_code": summary.exit_code}


def show_summary(summary: "Summary") -> None:
    """Print what a run came to; the last line tells done, interrupted or waiting."""
    rate = summary.pages / summary.seconds if summary.seconds else 0.0
    cheap = summary.pages / summary.cpu_seconds if summary.cpu_seconds else 0.0
    output.line()
    output.line(f"{summary.pages:,} pages, {output.size(summary.bytes)} in {output.duration(summary.seconds)}")
    pace = f"{summary.too_soon:,} TOO SOON after another to the same host" if summary.too_soon else "none too soon"
    output.line(f"{summary.requests:,} requests ({pace}), {rate:,.1f} pages/s, {cheap:,.0f} pages per CPU-second")
    output.line()
    most = max(summary.outcomes.values(), default=1)
    rows = sorted(summary.outcomes.items(), key=lambda item: -item[1])
    output.table(
        ["outcome", "URLs", ""], [(name, f"{count:,}", "█" * max(1, round(30 * count / most))) for name, count in rows]
    )
    left = summary.frontier.waiting + summary.frontier.leased
    output.line()
    known = left + summary.frontier.done + summary.frontier.dead + summary.frontier.removed
    output.line(f"{known:,} URLs known: {summary.frontier.done:,} done, {summary.frontier.dead:,} dead, {left:,} waiting")
    learned = summary.learned
    if learned["templates"] or learned["parameters"]:
        output.line(
            f"learned: {learned['templates']:,} URL templates without new content and {learned['parameters']:,} parameters "
            f"without effect on {learned['hosts']:,} hosts; {learned['refused']:,} URLs were not fetched for it: "
            f"gossamer traps {summary.directory}"
        )
    if summary.links_cut["links"]:
        output.line(output.links_cut(summary.links_cut))
    output.line(f"look at it: gossamer pages {summary.directory}   prove it: gossamer verify {summary.directory}")
    output.line(_last_line(summary, left))


def _last_line(summary: "Summary", left: int) -> str:
    again = f"go on with: gossamer resume {summary.directory}"
    match summary.end.value:
        case "finished":
            return "done: nothing waits"
        case "budget spent":
            return f"done: the budget is spent, {left:,} URLs wait; {again}"
        case "waiting":
            until = "" if summary.next_time == inf else f" until {output.moment(summary.next_time)} UTC"
            return f"waiting: {left:,} URLs of hosts that are paused or blocked{until}; {again}"
        case _:
            return f"interrupted: {left:,} URLs wait; {again}"
