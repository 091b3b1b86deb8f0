"""`gossamer crawl`, `gossamer resume` and `gossamer recrawl`: run a crawl, show it, sum it up.

It is long because of its options: each is declared once, and three commands list theirs.
"""

import sys
from collections.abc import Collection, Iterator
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli import ending, output
from gossamer.cli.status import bodies_cut, show_outcomes, sink_words, states
from gossamer.errors import UsageError
from gossamer.jobs.command import command

if TYPE_CHECKING:
    from gossamer.assemble import Crawl
    from gossamer.config.sections import Settings
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.revisit import Again
    from gossamer.jobs.run import Summary
    from gossamer.jobs.typed import TypedRequests

Delay = Annotated[
    str | None, typer.Option(help="time between two requests to a host, such as 100ms or 0.5; 1 by default", metavar="TIME")
]
Connections = Annotated[int | None, typer.Option(help="requests to a host at once (1)", metavar="N")]
Workers = Annotated[int | None, typer.Option(help="processes that fetch and read (1)", metavar="N")]
MaxPages = Annotated[int | None, typer.Option(help="stop after N pages were kept", metavar="N")]
MaxBytes = Annotated[str | None, typer.Option(help="stop after that many bytes, such as 5GB", metavar="SIZE")]
MaxTime = Annotated[str | None, typer.Option(help="stop after that long, such as 30m or 1h30m", metavar="TIME")]
MaxBody = Annotated[
    str | None, typer.Option(help="bytes of one body, of a page (10MiB) or anything else (100MiB); more is cut", metavar="SIZE")
]
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
EventsTo = Annotated[
    list[str] | None,
    typer.Option(
        "--events", help="sink that is told every event, such as redis://localhost/?stream=NAME; repeat", metavar="URI"
    ),
]
Script = Annotated[
    list[Path] | None, typer.Option(help="Python file whose readers find items on pages; repeat", metavar="FILE")
]
CheckExternal = Annotated[
    bool, typer.Option("--check-external", help="ask once for each link to another site, to tell dead ones; follow none")
]
Forever = Annotated[bool, typer.Option("--forever", help="visit pages again when they are due, until told to stop")]
Header = Annotated[
    list[str] | None,
    typer.Option(help="header field for the seeds' hosts, such as 'Accept-Language: de'; @FILE has secret ones; repeat"),
]
User = Annotated[
    str | None, typer.Option(help="log in at the seeds' hosts; NAME with --password-file", metavar="NAME:PASSWORD")
]
PasswordFile = Annotated[Path | None, typer.Option(help="file with the password for --user", metavar="FILE")]
Cookies = Annotated[
    Path | None, typer.Option(help="cookies.txt of a browser or curl to begin with; implies --cookie-jar", metavar="FILE")
]
CookieJar = Annotated[bool, typer.Option("--cookie-jar", help="keep the cookies of the seeds' hosts, and bring them back")]
ThroughProxy = Annotated[
    str | None, typer.Option("--proxy", help="http://, socks5:// or socks5h://HOST:PORT, for all requests", metavar="URL")
]
Json = Annotated[bool, typer.Option("--json", help="print the summary as JSON")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress")]


def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL...", help="where to begin: pages or sitemaps")] = None,
    directory: Annotated[Path | None, typer.Option("--dir", help="the crawl's directory (named after the first host)")] = None,
    seeds: Annotated[str | None, typer.Option(help="file of seeds, one a line; - is standard input", metavar="FILE")] = None,
    skip_invalid: Annotated[bool, typer.Option("--skip-invalid", help="leave out seeds that are no URLs")] = False,
    include: Annotated[
        list[str] | None, typer.Option(help="follow only URLs in which REGEX is found, or another one; repeat", metavar="REGEX")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="follow no URL in which REGEX is found; repeat", metavar="REGEX")
    ] = None,
    delay: Delay = None,
    connections: Connections = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_body: MaxBody = None,
    max_depth: MaxDepth = None,
    forever: Forever = False,
    events: EventsTo = None,
    scope: WithinScope = None,
    check_external: CheckExternal = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    script: Script = None,
    header: Header = None,
    user: User = None,
    password_file: PasswordFile = None,
    cookies: Cookies = None,
    cookie_jar: CookieJar = False,
    proxy: ThroughProxy = None,
    config: ConfigFile = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Crawl from seed URLs into a directory.

    Exit codes: 0 done; 2 the command makes no sense; 3 the directory cannot be used; 4 a store failed, such as a full disk;
    6 all that is left waits for hosts that are paused or blocked; 7 the end, and nothing was kept; 130 interrupted.
    """
    from gossamer.clock import SystemClock
    from gossamer.config.load import load
    from gossamer.jobs.addresses import refused_seeds
    from gossamer.jobs.begin import begin
    from gossamer.jobs.extensions import with_whole_paths
    from gossamer.jobs.run import default_directory
    from gossamer.jobs.seeds import read_seeds
    from gossamer.jobs.typed import typed_rules

    flags = flags_of(
        delay=delay,
        connections=connections,
        workers=workers,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time=max_time,
        max_body=max_body,
        max_depth=max_depth,
        forever=forever,
        events=events,
        include=include,
        exclude=exclude,
        scope=scope,
        check_external=check_external,
        allow_private=allow_private,
        resolve=resolve,
        insecure=insecure,
        contact=contact,
        user_agent=user_agent,
        script=script,
        set_=set_,
    )
    settings = with_whole_paths(load([config] if config else [], flags))
    found = read_seeds(_sources(urls or [], seeds), skip_invalid)
    path = directory or default_directory(found.urls[0])
    typed = typed_requests(header, user, password_file, cookies, cookie_jar, proxy)
    rules, secrets = typed_rules(typed, found, path)
    settings = settings.model_copy(update={"requests": rules + settings.requests})
    _tell_left_out(found.invalid)
    with begin(path, settings, found.urls, SystemClock().now(), secrets) as made:
        _tell_refused(refused_seeds(found.urls, settings))
        _run(made, settings, json, quiet)


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    delay: Delay = None,
    connections: Connections = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_body: MaxBody = None,
    max_depth: MaxDepth = None,
    check_external: CheckExternal = False,
    forever: Forever = False,
    events: EventsTo = None,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    script: Script = None,
    proxy: ThroughProxy = None,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="also ask again for what ended without a page: failed hosts, robots.txt and URLs"),
    ] = False,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a crawl that was stopped, killed or spent its budget. Options given here count for this run.

    Without a budget of its own, a run goes on with what is left of the crawl's, or spends that once more.
    """
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.revisit import Again
    from gossamer.jobs.typed import through_proxy

    flags = flags_of(
        delay=delay,
        connections=connections,
        workers=workers,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time=max_time,
        max_body=max_body,
        max_depth=max_depth,
        check_external=check_external,
        forever=forever,
        events=events,
        allow_private=allow_private,
        resolve=resolve,
        insecure=insecure,
        contact=contact,
        user_agent=user_agent,
        script=script,
        set_=set_,
    )
    opened = CrawlDirectory.open(directory)
    settings = through_proxy(opened.settings(flags), proxy)
    _run(opened, settings, json, quiet, Again(kept=False, failed=True) if retry_failed else None, flags)


def recrawl(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    older_than: Annotated[str, typer.Option(help="only pages last visited longer ago than this, such as 7d")] = "0",
    failed: Annotated[bool, typer.Option("--failed", help="also URLs that ended without a page")] = False,
    delay: Delay = None,
    connections: Connections = None,
    workers: Workers = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    forever: Forever = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    script: Script = None,
    proxy: ThroughProxy = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Visit the pages of a crawl again: changed ones are kept as new versions, the others confirmed."""
    from gossamer.config.load import duration
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.revisit import Again
    from gossamer.jobs.typed import through_proxy

    limits: dict[str, object] = {"crawl.max_pages": "none", "crawl.max_bytes": "none", "crawl.max_seconds": "none"}
    flags = limits | flags_of(
        delay=delay,
        connections=connections,
        workers=workers,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time=max_time,
        forever=forever,
        allow_private=allow_private,
        resolve=resolve,
        insecure=insecure,
        contact=contact,
        user_agent=user_agent,
        script=script,
        set_=set_,
    )
    again = Again(older_than=duration(older_than, "--older-than"), failed=failed)
    opened = CrawlDirectory.open(directory)
    _run(opened, through_proxy(opened.settings(flags), proxy), json, quiet, again, flags)


TOLD = 10  # seeds, one by one
FLAGS = {
    "delay": "politeness.delay",
    "connections": "politeness.connections",
    "workers": "crawl.workers",
    "max_pages": "crawl.max_pages",
    "max_bytes": "crawl.max_bytes",
    "max_time": "crawl.max_seconds",
    "max_body": "fetch.max_body",
    "max_depth": "scope.max_depth",
    "forever": "crawl.forever",
    "events": "events.to",
    "include": "scope.allow",
    "exclude": "scope.block",
    "scope": "scope.within",
    "check_external": "scope.check_external",
    "allow_private": "fetch.allow_private",
    "resolve": "dns.overrides",
    "insecure": "fetch.insecure",
    "contact": "crawl.contact",
    "user_agent": "crawl.user_agent",
    "script": "documents.scripts",
}


def flags_of(set_: list[str] | None = None, **options: Any) -> dict[str, object]:
    """Turn options into settings by their dotted names; those not given are left out."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    flags: dict[str, object] = {FLAGS[name]: value for name, value in given.items()}
    if "script" in given:
        flags["documents.scripts"] = [str(path.resolve()) for path in given["script"]]
    if "max_body" in given:
        flags["fetch.max_file"] = given["max_body"]  # one limit for all: a page is no longer than a file
    for text in set_ or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r} is not KEY=VALUE; write it like --set fetch.max_body=20MB")
        flags[key] = value
    return flags


def typed_requests(
    header: list[str] | None,
    user: str | None,
    password_file: Path | None,
    cookies: Path | None,
    cookie_jar: bool,
    proxy: str | None,
) -> "TypedRequests":
    """Put together what was typed about requests."""
    from gossamer.jobs.typed import TypedRequests

    return TypedRequests(
        headers=tuple(header or ()),
        user=user or "",
        password_file=str(password_file or ""),
        cookies=str(cookies or ""),
        cookie_jar=cookie_jar,
        proxy=proxy or "",
    )


def _tell_left_out(invalid: tuple[str, ...]) -> None:
    """Say which seeds were left out: how many, and the first of them."""
    if not invalid:
        return
    output.note(f"left out {len(invalid):,} seed(s) that are no URLs:")
    for sentence in invalid[:TOLD]:
        output.note(f"  {sentence}")
    if len(invalid) > TOLD:
        output.note(f"  ... and {len(invalid) - TOLD:,} more")


def _sources(urls: list[str], file: str | None) -> Iterator[tuple[str, str | bytes]]:
    from gossamer.jobs.seeds import lines_of
    from gossamer.url.parse import shown

    for text in urls:
        yield f"seed {shown(text)}", text
    if file == "-":
        yield from lines_of("standard input", sys.stdin.buffer)
    elif file:
        try:
            lines = Path(file).read_bytes().splitlines()
        except OSError as error:
            raise UsageError(f"cannot read the seeds in {file}: {(error.strerror or str(error)).lower()}") from error
        yield from lines_of(file, lines)


def _tell_refused(sentences: list[str]) -> None:
    """Say which seeds will come to nothing: how many, and the first of them."""
    if sentences:
        output.note(f"{len(sentences):,} seed(s) lead to addresses that are not contacted:")
    for sentence in sentences[:TOLD]:
        output.note(f"  {sentence}")
    if len(sentences) > TOLD:
        output.note(f"  ... and {len(sentences) - TOLD:,} more")


def _run(
    directory: "CrawlDirectory",
    settings: "Settings",
    as_json: bool,
    quiet: bool,
    again: "Again | None" = None,
    given: Collection[str] = (),
) -> None:
    from gossamer.cli.progress import Progress
    from gossamer.jobs.run import run_crawl

    silent = quiet or as_json
    told_here = any(uri.startswith("stdout:") for uri in settings.events.to)
    if told_here and as_json:
        raise UsageError("--json and --events stdout: would both write to standard output; leave one out")
    progress = Progress(quiet=silent)

    def watch(crawl: "Crawl") -> None:
        for limit in () if silent else crawl.pool.allowance():
            output.note(f"  budget:     {ending.allowance(limit)}")
        progress.watch(crawl)

    if not silent:
        for text in manners(settings, directory):
            output.note(text)
    try:
        summary = run_crawl(directory, settings, watch, again, given)
    finally:
        progress.close()
    if as_json:
        output.json(machine_summary(summary))
    else:
        with redirect_stdout(sys.stderr) if told_here else nullcontext():
            show_summary(summary)
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def manners(settings: "Settings", directory: "CrawlDirectory") -> Iterator[str]:
    """Say how the crawl will behave, before it does."""
    from gossamer.assemble import user_agent
    from gossamer.compiled import compiled_and_pure
    from gossamer.credentials import trusted_proxies
    from gossamer.jobs.extensions import told_of
    from gossamer.jobs.relay.uris import sink_uris

    polite = settings.politeness
    yield f"crawling into {directory.path}, {len(directory.seeds()):,} seed(s)"
    yield f"  robots.txt: {'obeyed' if settings.robots.obey else 'IGNORED (robots.obey is off)'}"
    yield f"  pace:       {polite.delay:g} s between two requests to a host, {polite.connections} at once"
    yield f"  scope:      {_scope_words(settings)}, {settings.scope.max_depth} hops at most"
    if settings.scope.check_external:
        yield "  elsewhere:  links to other sites are asked for once, and not followed"
    allowed = ", ".join(settings.fetch.allow_private)
    yield "  addresses:  " + (
        f"private ones refused except {allowed}" if allowed else "only public ones; private ones are refused"
    )
    for uri in sink_uris(settings, settings.events.to):
        yield f"  events:     told to {uri.shown}"
    yield f"  user agent: {user_agent(settings)}"
    for what, told in told_of(settings, directory.scripts()):
        yield f"  {what + ':':11} {told}"
    if settings.requests:
        yield f"  requests:   {len(settings.requests):,} rule(s) for some hosts; `gossamer config {directory.path}` lists them"
    for proxy in trusted_proxies(settings):
        yield f"  proxy:      {proxy} FINDS ADDRESSES ITSELF: what it can reach, private or not, is contacted"
    compiled, pure = compiled_and_pure()
    if pure:
        yield f"  build:      {output.build(compiled, pure)}; with a C compiler, install gossamer again"
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
    left = summary.frontier.waiting + summary.frontier.leased
    output.line()
    show_outcomes(summary.outcomes)
    output.line()
    output.rows(_summary_rows(summary, left))
    for text in ending.troubles(summary):
        output.line(text)
    output.line(ending.last_line(summary, left))


def _summary_rows(summary: "Summary", left: int) -> Iterator[tuple[str, str]]:
    """Give every line of the summary: what it is about, and what there is to say."""
    from msgspec.structs import asdict

    rate = summary.pages / summary.seconds if summary.seconds else 0.0
    cheap = summary.pages / summary.cpu_seconds if summary.cpu_seconds else 0.0
    too_soon = f"{summary.too_soon:,} TOO SOON after another to the same host" if summary.too_soon else "none too soon"
    frontier, learned, directory = summary.frontier, summary.learned, summary.directory
    yield "pages", f"{summary.pages:,}, {output.size(summary.bytes)} in {output.duration(summary.seconds)}"
    if summary.items or summary.problems:
        missed = f"; readers had {summary.problems:,} problem(s)" if summary.problems else ""
        yield "items", f"{summary.items:,} found by readers{missed}"
    if summary.problems:
        yield "", command("problems", directory)
    yield "requests", f"{summary.requests:,}, {too_soon}; {rate:,.1f} pages/s, {cheap:,.0f} pages per CPU-second"
    yield "URLs", states(asdict(frontier))
    if learned["templates"] or learned["parameters"]:
        what = (
            f"{learned['templates']:,} URL templates without new content, {learned['parameters']:,} parameters without effect"
        )
        yield "learned", f"{what} on {learned['hosts']:,} hosts; {learned['refused']:,} URLs were not fetched for it"
        yield "", command("traps", directory)
    if summary.bodies_cut:
        yield "cut", bodies_cut(summary.bodies_cut, directory)
    if summary.links_cut["links"]:
        yield "links", output.links_cut(summary.links_cut)
    for sink in summary.sinks:
        yield "events", sink_words(asdict(sink))
        if sink.lag:
            yield "", command("relay", directory, "--to", sink.sink)
    yield "look at it", command("pages", directory)
    yield "prove it", command("verify", directory)
