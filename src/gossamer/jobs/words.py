"""What the chronicle is told beside visits: an operator's words, and runs that begin and end.

A word is told after what it changed and before who gave it is answered: a change that was acknowledged is told.
"""

import os
import pwd
import socket
import struct
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gossamer.assemble import Stores, open_chronicle
from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.jobs.chronicle import SILENCE
from gossamer.records.line import BegunLine, ChronicleLine, EndedLine, WordLine
from gossamer.registry import choose, located

_PEER = struct.Struct("3i")  # process, user, group


def user(number: int | None = None) -> str:
    """Return the name of a user of this machine, of this process if nobody is meant."""
    number = os.getuid() if number is None else number
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def peer(connection: Any) -> str:
    """Return the name of the user at the other end of a Unix socket, as the kernel knows it."""
    _, number, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return user(number)


async def tell_word(stores: Stores, who: str, what: str, arguments: dict[str, Any], before: Any, after: Any) -> None:
    """Tell the chronicle what an operator has changed."""
    host = str(arguments.get("host") or arguments.get("name") or "")
    now = stores.clock.now()
    word = WordLine(host=host, who=who, what=what, arguments=arguments, before=before, after=after)
    await _tell(stores, word, now)


async def tell_begun(stores: Stores, seeds: int) -> None:
    """Tell the chronicle that a run begins."""
    settings, now = stores.settings, stores.clock.now()
    begun = BegunLine(
        who=user(),
        gossamer=version("gossamer"),
        settings=digest_of(settings),
        workers=settings.crawl.workers,
        seeds=seeds,
    )
    await _tell(stores, begun, now)


async def tell_ended(stores: Stores, end: str, pages: int, requests: int) -> None:
    """Tell the chronicle that a run is over."""
    now = stores.clock.now()
    await _tell(stores, EndedLine(end=end, pages=pages, requests=requests), now)


async def tell_silence(directory: Path, settings: Settings, clock: Clock) -> None:
    """Tell a chronicle that goes on later that this run is not told, because `chronicle.level` is off."""
    on = settings.model_copy(update={"chronicle": settings.chronicle.model_copy(update={"level": "visits"})})
    location = located(on.storage.chronicle, directory, "storage.chronicle")
    if await choose("chronicle", location.scheme).exists(location):
        async with open_chronicle(directory, on, writing=True) as chronicle:
            chronicle.settle(await chronicle.add([WordLine(who=user(), what=SILENCE)], clock.now(), {}))


async def _tell(stores: Stores, line: ChronicleLine, now: float) -> None:
    async with stores.commit_pause:
        stores.chronicle.settle(await stores.chronicle.add([line], now, {}))


def digest_of(settings: Settings) -> str:
    """Return what tells two configurations apart."""
    return f"sha256:{sha256(settings.model_dump_json().encode()).hexdigest()}"
