"""Keep a stopped crawl open for questions: stores are opened once, and everybody is answered from them.

A keeper ends when nobody has asked for a while, or when it is asked to yield because somebody wants to run the crawl, prune it
or hold it otherwise. It changes nothing by itself.
"""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import uvloop

from gossamer.assemble import open_stores
from gossamer.clock import SystemClock
from gossamer.jobs.answering import Switchboard, serve_control
from gossamer.jobs.directory import KEEPER, CrawlDirectory
from gossamer.jobs.operate import state_of
from gossamer.jobs.pulse import Pulses, still_pulse

PROGRAM = (sys.executable, "-P", "-c", "from gossamer.jobs.keep import main; main()")  # and the crawl's directory
IDLE = 60.0  # seconds without a question after which a keeper ends


def keep(directory: CrawlDirectory, ready: Callable[[], None], idle: float = IDLE) -> None:
    """Answer questions about a stopped crawl; `ready` is called when it can be asked."""
    with directory.lock(KEEPER, ousting=False), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_keep(directory, ready, idle))


async def _keep(directory: CrawlDirectory, ready: Callable[[], None], idle: float) -> None:
    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock()) as stores:
        pulses = Pulses(await still_pulse(stores, await state_of(stores)))
        async with serve_control(directory, stores, pulses, let_go=over.set) as board:
            ready()
            await _until_idle(board, over, idle)


async def _until_idle(board: Switchboard, over: asyncio.Event, idle: float) -> None:
    """Wait until it is told to end, or nobody has asked for so long."""
    asked = -1
    while asked != board.asked:
        asked = board.asked
        try:
            async with asyncio.timeout(idle):
                await over.wait()
                return
        except TimeoutError:
            continue


def main() -> None:
    """Keep the crawl whose directory is the first argument; say a word when it can be asked."""

    def ready() -> None:
        sys.stdout.write("ready\n")
        sys.stdout.flush()

    keep(CrawlDirectory.open(Path(sys.argv[1])), ready)
