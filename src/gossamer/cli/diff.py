"""`gossamer diff`: what changed between two crawls, or between two dates of one."""

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.errors import UsageError
from gossamer.jobs.command import command

if TYPE_CHECKING:
    from gossamer.jobs.diff.changes import ChangeTable, Kind, PageChange
    from gossamer.jobs.diff.states import Side
    from gossamer.jobs.directory import CrawlDirectory

HEADINGS = {
    "added": "Added",
    "gone": "Gone",
    "moved": "Moved",
    "changed": "Changed",
    "near": "Changed a little: nearly the same text",
}
WORDS = {kind: kind for kind in HEADINGS} | {"near": "changed a little"}
SHOWN = 20  # changes of a kind, unless told otherwise


def diff(
    directory: Annotated[Path, typer.Argument(metavar="A", help="the crawl before")],
    other: Annotated[Path | None, typer.Argument(metavar="[B]", help="the crawl after; none: two dates of A")] = None,
    since: Annotated[str, typer.Option("--from", metavar="DATE", help="compare the crawl as it was at a date")] = "",
    until: Annotated[str, typer.Option("--to", metavar="DATE", help="with how it was at another (now)")] = "",
    url: Annotated[str, typer.Option(metavar="URL", help="instead, how the text of one page changed, line by line")] = "",
    only: Annotated[str, typer.Option(metavar="KIND", help="only added, gone, moved, changed or near")] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, help="how many of each kind; 0 is all (20, and all in JSON)")
    ] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="exit with 1 if anything changed")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON lines")] = False,
) -> None:
    """Tell which pages were added, are gone, moved (redirected, or the same content elsewhere) or changed.

    Pages are compared by the digests of their content; of those with other bytes, nearly the same text is told apart.
    """
    from gossamer.config.choice import remedy
    from gossamer.jobs.diff.changes import KINDS, changes_between

    if only and only not in KINDS:
        raise UsageError(f"there is no change {only!r}; {remedy(only, KINDS)}")
    before, after = _sides(directory, other, since, until)
    if url:
        _show_text(url, (before.directory, since), (after.directory, until), json, exit_code)
        return
    with output.counter("pages compared", quiet=json) as tick, changes_between(before, after, tick) as changes:
        counts = {kind: count for kind, count in changes.counts().items() if only in ("", kind)}
        most = (limit if limit is not None else 0 if json else SHOWN) or None
        if json:
            for kind in counts:
                for change in changes.of(kind, most):
                    output.json(change)
        else:
            given = {"--from": since, "--to": until}
            dates = [word for option, date in given.items() if date for word in (option, date)]
            _show(changes, counts, most, [str(directory), *([str(other)] if other is not None else []), *dates])
    if other is not None and not json:
        _tell_waiting(after.directory)
    if exit_code and any(counts.values()):
        raise typer.Exit(1)


def _sides(directory: Path, other: Path | None, since: str, until: str) -> "tuple[Side, Side]":
    """Return what is compared: two crawls, or one at two dates."""
    from gossamer.jobs.diff.states import Side
    from gossamer.jobs.directory import CrawlDirectory

    before = CrawlDirectory.open(directory)
    if other is not None:
        if since or until:
            raise UsageError("two crawls are compared as they are; give --from and --to with a single one")
        return Side(before), Side(CrawlDirectory.open(other))
    if not since:
        raise UsageError("name a second crawl to compare with, or a date with --from, and maybe another with --to")
    start, end = _date(since, "--from"), _date(until, "--to") if until else inf
    if start >= end:
        raise UsageError(f"--from {since!r} is not before --to {until!r}; give the earlier date with --from")
    return Side(before, start), Side(before, end)


def _date(text: str, option: str) -> float:
    from gossamer.jobs.dates import EXAMPLES, end_of

    found = end_of(text)
    if found is None:
        raise UsageError(f"{option} {text!r} is no date; write {EXAMPLES}")
    return found


def _show(changes: "ChangeTable", counts: "dict[Kind, int]", most: int | None, words: list[str]) -> None:
    output.line(", ".join(f"{count:,} {WORDS[kind]}" for kind, count in counts.items()))
    for kind, count in counts.items():
        if not count:
            continue
        output.line()
        output.heading(HEADINGS[kind])
        for change in changes.of(kind, most):
            output.fitted(f"  {_told(change)}")
        if most is not None and count > most:
            output.line(f"  and {count - most:,} more: {command('diff', *words, '--only', kind, '-n', 0)}")


def _told(change: "PageChange") -> str:
    """Say in one line how a page changed."""
    if change.target:
        return f"{change.url}  ->  {change.target}  ({change.how})"
    aside = change.now or (f"before: {change.was}" if change.was else "")
    if change.bits is not None:
        aside = f"{change.bits} bits of 64"
    return f"{change.url}{f'  ({aside})' if aside else ''}"


def _show_text(
    url: str, before: "tuple[CrawlDirectory, str]", after: "tuple[CrawlDirectory, str]", as_json: bool, exit_code: bool
) -> None:
    """Print how the text of a page changed, as `diff -u` does."""
    from gossamer.jobs.diff.text import MOST_LINES, text_diff

    found = text_diff(url, before, after)
    if as_json:
        output.json(found)
    for line in () if as_json else found.lines:
        output.line(line)
    if found.is_cut:
        output.note(f"only the first {MOST_LINES:,} lines were compared")
    if exit_code and found.lines:
        raise typer.Exit(1)


def _tell_waiting(directory: "CrawlDirectory") -> None:
    """Say that a crawl is not at its end: what it has not visited yet is told as gone."""
    from gossamer.jobs.control import ask

    frontier = ask(directory, "status")["frontier"]
    if waiting := frontier["waiting"] + frontier["leased"]:
        output.note(
            f"{directory.path} is not at its end: {waiting:,} URLs wait, and are told as gone if they were there before"
        )
