"""Ask a crawl something, whether it runs or not.

A stopped crawl is opened, asked and closed; one that cannot be written may be asked what changes nothing. A crawl that somebody
holds, a run or a keeper (`keep.py`), answers over a Unix socket in its directory (`wire.py`, `answering.py`). Who may write the
directory may steer the crawl.
"""

import asyncio
import socket
from pathlib import Path
from typing import Any

from gossamer.assemble import open_stores
from gossamer.children import receive
from gossamer.clock import SystemClock
from gossamer.errors import CrawlInUse, GossamerError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.look import held_to_look
from gossamer.jobs.operate import LOOKING, carry_out
from gossamer.jobs.sockets import short
from gossamer.jobs.wire import Question, raised, reply_of, sent
from gossamer.jobs.words import user

TIMEOUT = 30.0  # seconds that a crawl has to answer


def ask(directory: CrawlDirectory, operation: str, **arguments: Any) -> Any:
    """Run an operation on a crawl and return its answer."""
    holding = held_to_look(directory) if operation in LOOKING else directory.lock(ousting=False)
    try:
        with holding as copies:
            return asyncio.run(_ask_stopped(directory, copies, operation, arguments))
    except CrawlInUse as in_use:
        return _ask_running(directory, operation, arguments, in_use)


async def _ask_stopped(directory: CrawlDirectory, copies: Path | None, operation: str, arguments: dict[str, Any]) -> Any:
    async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies) as stores:
        return await carry_out(stores, operation, arguments, user())


def _ask_running(directory: CrawlDirectory, operation: str, arguments: dict[str, Any], in_use: CrawlInUse) -> Any:
    try:
        with short(directory.socket) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            connection.connect(address)
            connection.sendall(sent(Question(1, operation, arguments)))
            reply = reply_of(receive(connection))
    except OSError:
        raise in_use from None
    except EOFError:
        raise GossamerError("the crawl ended while it was asked; ask again") from None
    if reply.problem is not None:
        raise raised(reply.problem)
    return reply.answer
