"""Keep a stopped crawl open for questions: stores are opened once, and everybody is answered from them.

A keeper ends when nobody has asked for a while, or when it is asked to yield because somebody wants to run the crawl, prune it
or hold it otherwise; while it still opens the stores, a signal ends it at once, which costs nothing. It changes nothing by
itself. Of a crawl that cannot be written it answers what changes nothing, from copies (`look.py`).
"""

import asyncio
import signal
import sys
from pathlib import Path

import uvloop

from gossamer.assemble import Stores, open_stores
from gossamer.clock import SystemClock
from gossamer.errors import GossamerError
from gossamer.jobs.answering import Switchboard, serve_control
from gossamer.jobs.directory import KEEPER, CrawlDirectory
from gossamer.jobs.look import held_to_look
from gossamer.jobs.operate import state_of
from gossamer.jobs.pulse import PulseFile, Pulses, still_pulse

IDLE = 60.0  # seconds without a question after which a keeper ends


def keep(directory: CrawlDirectory, idle: float = IDLE) -> None:
    """Answer questions about a stopped crawl until nobody asks."""
    with held_to_look(directory, KEEPER) as copies, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_keep(directory, copies, idle))


async def _keep(directory: CrawlDirectory, copies: Path | None, idle: float) -> None:
    async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies) as stores:
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        pulses = Pulses(await still_pulse(stores, await state_of(stores)))
        changed = None if copies is not None else _Renewal(stores, pulses)
        async with serve_control(directory, stores, pulses, let_go=over.set, changed=changed) as board:
            await _until_idle(board, over, idle)


class _Renewal:
    """Makes and keeps another pulse when something has changed: the last one in the file tells how a stopped crawl stands."""

    def __init__(self, stores: Stores, pulses: Pulses) -> None:
        self._stores = stores
        self._pulses = pulses

    async def __call__(self) -> None:
        pulse = await still_pulse(self._stores, await state_of(self._stores))
        self._pulses.tell(pulse)
        file = PulseFile(self._stores.directory)
        file.keep(pulse)
        file.close()


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
    """Keep the crawl whose directory is the first argument; the second is where to listen, if that is not in there."""
    directory = CrawlDirectory(Path(sys.argv[1]))
    for moved in sys.argv[2:]:
        directory.socket = Path(moved)
    try:
        CrawlDirectory.open(directory.path)
        keep(directory)
    except GossamerError as error:
        sys.exit(str(error))
