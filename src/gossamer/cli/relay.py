"""`gossamer relay`: tell a sink what happened in a crawl, beside it or after it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import AllowPrivate, Json, Quiet, Resolve, Set, flags_of
from gossamer.cli.status import sink_words

if TYPE_CHECKING:
    from gossamer.jobs.relay.cursor import SinkState


def relay(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    to: Annotated[str, typer.Option(help="who is told, such as webhook+https://example.org/events", metavar="URI")],
    follow: Annotated[bool, typer.Option("--follow", help="go on with what comes, until interrupted")] = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    set_: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell a sink every event of a crawl that it has not acknowledged yet; it is kept how far it is.

    A sink that is down is tried again until it is back.
    """
    from msgspec.structs import asdict

    from gossamer.errors import UsageError
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.relay.feed import relay as tell

    told_here = to.startswith("stdout:")
    if told_here and json:
        raise UsageError("--json and --to stdout: would both write to standard output; leave one out")
    crawl = CrawlDirectory.open(directory)
    settings = crawl.settings(flags_of(allow_private=allow_private, resolve=resolve, set_=set_))
    with output.counter("events told", quiet or json) as count:
        watch = RelayWatch(count, quiet)
        state = tell(crawl.path, settings, to, follow, watch)
    if json:
        output.json(state)
    elif not (told_here or quiet):
        output.line(f"{watch.told:,} events told; {sink_words(asdict(state))}")


class RelayWatch:
    """Shows how many events a sink has acknowledged, and each new reason why it has not."""

    def __init__(self, count: Callable[[int], None], quiet: bool) -> None:
        self._count = count
        self._quiet = quiet
        self._error = ""
        self.told = 0

    def __call__(self, state: "SinkState", told: int) -> None:
        self.told += told
        self._count(told)
        if state.error != self._error and not self._quiet:
            what = f"cannot be told and is tried again: {state.error}" if state.error else "is told again"
            output.note(f"{state.sink} {what}")
        self._error = state.error
