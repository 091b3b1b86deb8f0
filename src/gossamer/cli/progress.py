"""Live progress of a crawl: a small picture on a terminal, a plain line every few seconds otherwise.

Both say how far it is, what it fetches, what it waits for and when it will be over; what is asked for that takes no longer the
larger the crawl is.
"""

import asyncio
import sys
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.cli import output
from gossamer.cli.forecast import Standing, forecast, pace_of, wait_for
from gossamer.jobs.command import command
from gossamer.records.standing import NOT_FOR_US, FrontierStatistics
from gossamer.watch.events import Event, Paused, Resumed, SeedArrived, Stopping, Trouble, VisitsEnded

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from gossamer.assemble import Crawl

GOOD = frozenset(("ok", "duplicate", "near_duplicate", "not_modified", "redirected"))
BARS = " ▁▂▃▄▅▆▇█"
FETCHES = FETCHING, FETCHED = "fetching", "fetched"
SECOND = 1.0
PLAIN_EVERY = 5
REMEMBERED = 61  # seconds of which the pace is told
RECENT = 6
BARS_SHOWN = 40
MOST_HOSTS = 200  # with work, of which the slowest is looked for every second
SLOW = 2.0  # seconds after which a fetch is said to take long


class Progress:
    """Watches one crawl. Call `watch` from inside its loop, `close` when it is over."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live: Live | None = None
        self._showing: asyncio.Task[None] | None = None
        self._history: deque[Standing] = deque(maxlen=REMEMBERED)
        self._seconds = 0
        self._standing = FrontierStatistics(
            waiting=0, leased=0, done=0, dead=0, removed=0, hosts=0
        )  # of the frontier, as it was last asked
        self._last = ""  # URL that was visited
        self._message = ""

    def watch(self, crawl: "Crawl") -> None:
        """Begin to show."""
        crawl.events.subscribe(self._say)
        if self._quiet:
            return
        for url in crawl.stores.arrivals.urls:
            output.note(f"  a seed led to {output.clean(url)}: its site belongs to the crawl")
        self._crawl = crawl
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        self._showing = asyncio.get_running_loop().create_task(self._show())

    def close(self) -> None:
        """Stop showing."""
        if self._showing is not None:
            self._showing.cancel()
        if self._live is not None:
            self._live.stop()

    def _say(self, event: Event) -> None:
        if isinstance(event, VisitsEnded):
            self._last = event.visits[-1].settlement.lease.entry.url
            return
        if isinstance(event, Paused):
            self._message = f"paused: {event.reason}"
        elif isinstance(event, Stopping):
            self._message = event.reason
        elif isinstance(event, SeedArrived):
            self._message = f"the seed {event.seed} led to {event.url}: its site belongs to the crawl"
        elif isinstance(event, Trouble):
            self._message = event.what
        elif isinstance(event, Resumed):
            self._message = "going on"
        else:
            return
        if self._live is None:
            output.note(self._message)

    async def _show(self) -> None:
        """Show where the crawl stands, every second."""
        while True:
            tally, self._standing = self._crawl.tally, await self._crawl.stores.frontier.statistics()
            now, finished = self._crawl.stores.clock.now(), sum(tally.outcomes.values())
            self._history.append(Standing(now, tally.pages, finished, self._standing.waiting))
            if self._live is not None:
                self._live.update(self._picture(await self._doings()), refresh=True)
            elif self._seconds and self._seconds % PLAIN_EVERY == 0:
                output.note(self._plain(await self._doings()))
            self._seconds += 1
            await asyncio.sleep(SECOND)

    def _rates(self) -> list[float]:
        """Return the pages of each second."""
        known = list(self._history)
        return [(after.pages - before.pages) / SECOND for before, after in pairwise(known)]

    def _facts(self) -> list[tuple[str, str]]:
        tally, frontier, recent = self._crawl.tally, self._standing, self._rates()[-RECENT + 1 :]
        return [
            ("pages", f"{tally.pages:,}"),
            ("pages/s", f"{sum(recent) / len(recent) if recent else 0.0:,.1f}"),
            ("received", output.size(tally.bytes)),
            ("waiting", f"{frontier.waiting:,}"),
            ("failed", f"{frontier.failed:,}"),
            ("not for us", f"{frontier.not_for_us:,}"),
            ("under way", f"{self._crawl.pool.under_way:,}"),
            ("hosts", f"{frontier.hosts:,}"),
        ]

    async def _doings(self) -> list[tuple[str, str]]:
        """Say what is fetched, what is waited for, and when the crawl will be over, as far as there is something to say."""
        stores, pool = self._crawl.stores, self._crawl.pool
        now, outlook, waiting = stores.clock.now(), await stores.frontier.outlook(MOST_HOSTS), self._history[-1].waiting
        soon = wait_for(outlook, now)
        if waiting and not outlook.next_host and not pool.under_way:
            soon = f"until a host is released that was paused or blocked: {command('hosts', stores.directory)}"
        if stores.settings.crawl.forever:
            end = "never by itself: it goes on until it is told to stop"
        else:
            end = forecast(waiting, pace_of(list(self._history)), outlook, *pool.budget_left())
        return [(label, text) for label, text in (*self._fetching(now), ("waiting", soon), ("done in", end)) if text]

    def _fetching(self, now: float) -> list[tuple[str, str]]:
        pool = self._crawl.pool
        oldest = pool.oldest
        if oldest is None:
            return [(FETCHED, self._last)]
        url, long, others = oldest.entry.url, now - oldest.leased_at, pool.under_way - 1
        facts = [f"for {output.duration(long)}"] if long > SLOW else []
        facts += [f"{others:,} others"] if others > 0 else []
        return [(FETCHING, f"{url} ({', '.join(facts)})" if facts else url)]

    def _failures(self) -> str:
        bad = [(count, name) for name, count in self._crawl.tally.outcomes.items() if name not in GOOD | NOT_FOR_US]
        return ", ".join(f"{name} {count:,}" for count, name in sorted(bad, reverse=True))

    def _plain(self, doings: list[tuple[str, str]]) -> str:
        facts = "  ".join(f"{name} {value}" for name, value in self._facts())
        failures = self._failures()
        said = "; ".join(f"{label} {text}" for label, text in doings)
        return f"{output.duration(self._seconds):>9}  {facts}" + (f"  [{failures}]" if failures else "") + f"  {said}"

    def _picture(self, doings: list[tuple[str, str]]) -> "RenderableType":
        from rich.columns import Columns
        from rich.console import Group, RenderableType
        from rich.panel import Panel
        from rich.text import Text

        rates = self._rates()[-BARS_SHOWN:]
        highest = max(rates, default=0.0) or 1.0
        bars = "".join(BARS[round(rate / highest * (len(BARS) - 1))] for rate in rates)
        facts = [Text.assemble((value, "bold cyan"), f" {name}") for name, value in self._facts()]
        lines: list[RenderableType] = [Columns(facts, padding=(0, 3)), Text(bars, style="green")]
        rows = [*doings, ("failed", failures)] if (failures := self._failures()) else doings
        width = (self._live.console.width if self._live else 80) - len("│ fetching   │")
        for label, text in rows:
            shown = output.clean(text) if label not in FETCHES else output.shorten(output.clean(text), width)
            lines.append(Text.assemble((f"{label:8}  ", "dim"), (shown, "yellow" if label == "failed" else "")))
        if self._message:
            lines.append(Text(output.clean(self._message), style="magenta"))
        return Panel(Group(*lines), title=f"crawling {output.clean(self._crawl.stores.directory.name)}", title_align="left")
