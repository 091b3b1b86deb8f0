"""`gossamer hosts`, `host` and `remove`: an operator's hand on a crawl, running or not. What is decided here is durable."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import output
from gossamer.errors import UsageError
from gossamer.jobs.command import command

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
DEFAULT = "default"


def hosts(
    directory: Directory,
    limit: Annotated[int, typer.Option("--limit", "-n", help="how many")] = 50,
    json: Json = False,
) -> None:
    """List the hosts with most waiting URLs."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    found = ask(CrawlDirectory.open(directory), "busiest", limit=limit)
    if json:
        for one in found:
            output.json(one)
        return
    output.table(
        ["host", "waiting", "leased", "delay", "next", "remarks"],
        [
            (
                one["host"],
                f"{one['waiting']:,}",
                f"{one['leased']}",
                f"{one['delay']:g}",
                output.moment(one["clock"]["next_time"]),
                _remarks(one),
            )
            for one in found
        ],
    )


def host(
    directory: Directory,
    name: Annotated[str, typer.Argument(metavar="HOST", help="the host's name")],
    max_qps: Annotated[str | None, typer.Option(help="requests per second", metavar="N|default")] = None,
    max_connections: Annotated[str | None, typer.Option(help="requests at once", metavar="N|default")] = None,
    crawl_depth: Annotated[str | None, typer.Option(help="hops from a seed", metavar="N|default")] = None,
    priority: Annotated[str | None, typer.Option(help="high, medium, low or default")] = None,
    interval: Annotated[str | None, typer.Option(help="time between two visits of a page", metavar="TIME|default")] = None,
    user_agent: Annotated[str | None, typer.Option(help="user agent for this host, or default")] = None,
    insecure: Annotated[bool | None, typer.Option("--insecure/--secure", help="accept any certificate of this host")] = None,
    pause: Annotated[bool | None, typer.Option("--pause/--resume", help="give it no turn; it keeps its queue")] = None,
    block: Annotated[bool | None, typer.Option("--block/--unblock", help="never visit it; new URLs are refused")] = None,
    drop: Annotated[bool, typer.Option("--drop", help="remove its waiting URLs")] = False,
    json: Json = False,
) -> None:
    """Show a host, or change its policy."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    crawl = CrawlDirectory.open(directory)
    changes: dict[str, Any] = {
        "max_qps": _number("--max-qps", max_qps, float),
        "max_connections": _number("--max-connections", max_connections, int),
        "crawl_depth": _number("--crawl-depth", crawl_depth, int),
        "priority": priority,
        "interval": _interval(interval),
        "user_agent": user_agent,
        "insecure": insecure,
        "paused": pause,
        "blocked": block,
    }
    given = {name: None if value == DEFAULT else value for name, value in changes.items() if value is not None}
    if given:
        ask(crawl, "set_policy", name=name, changes=given)
    if block is False:
        ask(crawl, "unblock", name=name)
    if drop:
        output.note(f"{ask(crawl, 'drop', name=name):,} waiting URLs of {name} removed")
    found = ask(crawl, "host", name=name)
    if found is None:
        raise UsageError(f"{name} is no host of this crawl; `{command('hosts', directory)}` lists them")
    if json:
        output.json(found)
        return
    pace = f"{found['delay']:g} s between requests"
    output.line(f"{name}: {found['waiting']:,} waiting, {found['leased']} leased, {pace}, {_remarks(found)}")
    for key, value in found["policy"].items():
        output.line(f"  {key:16} {'-' if value is None else value}")


def remove(
    directory: Directory, url: Annotated[str, typer.Argument(metavar="URL", help="the URL")], json: Json = False
) -> None:
    """Take a URL out of the frontier for good."""
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.url.parse import without_login

    url = without_login(url)
    removed = ask(CrawlDirectory.open(directory), "remove", url=url)
    if json:
        output.json({"url": url, "removed": removed})
    elif removed:
        output.line(f"removed: {url}")
    if not removed:
        raise UsageError(f"{url} is not known to this crawl, so there is nothing to remove")


def _number(option: str, text: str | None, kind: type[int] | type[float]) -> int | float | str | None:
    if text is None or text == DEFAULT:
        return text
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if value <= 0 and not (option == "--crawl-depth" and text == "0"):
        raise UsageError(f"{option} {text!r} is no number above 0; write a number, or default")
    return value


def _interval(text: str | None) -> float | str | None:
    if text is None or text == DEFAULT:
        return text
    from gossamer.config.load import duration

    seconds = duration(text, "--interval")
    if not seconds:
        raise UsageError(f"--interval {text!r} is no time; write one like 6h, or default")
    return seconds


def _remarks(one: dict[str, Any]) -> str:
    policy, clock = one["policy"], one["clock"]
    words = [word for word in ("paused", "blocked") if policy[word]]
    if clock["block_rule"]:
        words.append(f"{output.told(clock, 'block_')} until {output.moment(clock['blocked_until'])}")
    return ", ".join(words) or "-"
