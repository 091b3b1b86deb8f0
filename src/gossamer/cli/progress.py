"""Live progress of a crawl: a small picture on a terminal, a plain line every few seconds otherwise."""

import asyncio
import sys
from collections import deque
from typing import TYPE_CHECKING

from gossamer.cli import output
from gossamer.worker.events import Event, Paused, Resumed, SeedArrived, Stopping, Trouble

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gossamer.assemble import Crawl

GOOD = ("ok", "duplicate", "near_duplicate", "not_modified", "redirected")
BARS = " ▁▂▃▄▅▆▇█"
SECOND = 1.0
PLAIN_EVERY = 5


class Progress:
    """Watches one crawl. Call `watch` from inside its loop, `close` when it is over."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = None
        self._timer: asyncio.TimerHandle | None = None
        self._rates: deque[float] = deque(maxlen=40)
        self._seconds = 0
        self._pages = 0
        self._message = ""

    def watch(self, crawl: "Crawl") -> None:
        """Begin to show."""
        crawl.events.subscribe(self._say)
        if self._quiet:
            return
        for url in crawl.stores.arrivals.urls:
            output.note(f"  a seed led to {output.clean(url)}: its site belongs to the crawl")
        self._crawl = crawl
        self._began = crawl.stores.clock.now()
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)  # type: ignore[assignment]
            self._live.start()  # type: ignore[attr-defined]
        self._tick()

    def close(self) -> None:
        """Stop showing."""
        if self._timer is not None:
            self._timer.cancel()
        if self._live is not None:
            self._live.stop()

    def _say(self, event: Event) -> None:
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

    def _tick(self) -> None:
        pages = self._crawl.tally.pages
        if self._seconds:
            self._rates.append((pages - self._pages) / SECOND)
        self._pages = pages
        if self._live is not None:
            self._live.update(self._picture(), refresh=True)
        elif self._seconds and self._seconds % PLAIN_EVERY == 0:
            output.note(self._plain())
        self._seconds += 1
        self._timer = asyncio.get_running_loop().call_later(SECOND, self._tick)

    def _rate(self) -> float:
        recent = list(self._rates)[-5:]
        return sum(recent) / len(recent) if recent else 0.0

    def _facts(self) -> list[tuple[str, str]]:
        tally, frontier = self._crawl.tally, self._crawl.stores.frontier.statistics()
        return [
            ("pages", f"{tally.pages:,}"),
            ("pages/s", f"{self._rate():,.1f}"),
            ("received", output.size(tally.bytes)),
            ("waiting", f"{frontier.waiting:,}"),
            ("under way", f"{self._crawl.pool.under_way:,}"),
            ("hosts", f"{frontier.hosts:,}"),
        ]

    def _troubles(self) -> str:
        bad = [(count, name) for name, count in self._crawl.tally.outcomes.items() if name not in GOOD]
        return ", ".join(f"{name} {count:,}" for count, name in sorted(bad, reverse=True))

    def _plain(self) -> str:
        facts = "  ".join(f"{name} {value}" for name, value in self._facts())
        troubles = self._troubles()
        return f"{output.duration(self._seconds):>9}  {facts}" + (f"  [{troubles}]" if troubles else "")

    def _picture(self) -> "RenderableType":
        from rich.columns import Columns
        from rich.console import Group, RenderableType
        from rich.panel import Panel
        from rich.text import Text

        highest = max(self._rates, default=0.0) or 1.0
        bars = "".join(BARS[round(rate / highest * (len(BARS) - 1))] for rate in self._rates)
        facts = [Text.assemble((value, "bold cyan"), f" {name}") for name, value in self._facts()]
        lines: list[RenderableType] = [Columns(facts, padding=(0, 3)), Text(bars, style="green")]
        troubles = self._troubles()
        if troubles:
            lines.append(Text(troubles, style="yellow"))
        if self._message:
            lines.append(Text(output.clean(self._message), style="magenta"))
        return Panel(Group(*lines), title=f"crawling {output.clean(self._crawl.stores.directory.name)}", title_align="left")
