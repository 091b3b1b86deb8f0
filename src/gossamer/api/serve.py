"""Listen: from a place and an address to a server that answers, until it is told to end."""

import asyncio
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex

import uvicorn
import uvloop

from gossamer.api.app import make_app
from gossamer.api.connection import connections
from gossamer.api.desk import Rules
from gossamer.api.guard import LOOPBACK, Guard
from gossamer.api.home import Home
from gossamer.api.log import ServeLog
from gossamer.api.porter import Porter
from gossamer.api.repeats import Repeats
from gossamer.api.streams import Streams
from gossamer.clock import SystemClock
from gossamer.config.sections import ServeSettings
from gossamer.errors import CrawlReadOnly, UsageError
from gossamer.jobs.tokens import TokenFile

HEAD = 64 * 1024  # bytes of a request's head
LEAVING = 1  # seconds that requests under way have to end when the server does


def serve_home(
    place: Path, bind: str, port: int, settings: ServeSettings, let: frozenset[str], ready: Callable[[str, str], None]
) -> None:
    """Serve a home until SIGINT or SIGTERM; `ready` is told the URL and the token once it answers."""
    if not place.is_dir():
        raise UsageError(f"{place} is no directory; name a crawl, or a directory of crawls")
    listening = _listen(bind, port)
    address, number, *_ = listening.getsockname()
    shown = f"[{address}]" if ":" in address else address
    clock = SystemClock()
    with closing(listening), ServeLog(place, clock, sys.stderr.isatty()) as log, closing(_repeats(place)) as repeats:
        porter, streams = Porter(TokenFile(place), clock), Streams(settings.streams)
        app = make_app(Home(place), Rules(porter, repeats, settings, f"gossamer-{number}"), streams, let, settings.jobs)
        server = _Server(
            uvicorn.Config(
                Guard(app, (*LOOPBACK, shown, *settings.hosts), settings.origins, log),
                lifespan="on",
                http=connections(settings.connections, settings.head_timeout),
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                h11_max_incomplete_event_size=HEAD,
                timeout_graceful_shutdown=LEAVING,
            ),
            streams,
            lambda: ready(f"http://{shown}:{number}/", porter.start),
        )
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(server.serve(sockets=[listening]))


class _Server(uvicorn.Server):
    """Says when it answers; ends at once when it is told to, and so do its streams."""

    def __init__(self, config: uvicorn.Config, streams: Streams, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._streams = streams
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take a signal as the wish to end: it is no failure, and not raised once more behind the end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _repeats(place: Path) -> Repeats:
    try:
        return Repeats(place, token_hex(8))
    except (OSError, sqlite3.Error) as error:
        raise CrawlReadOnly(f"{place} cannot be written: {error}; check its permissions") from None


def _listen(bind: str, port: int) -> socket.socket:
    try:
        return socket.create_server((bind, port), family=socket.AF_INET6 if ":" in bind else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {bind} port {port}: {(error.strerror or str(error)).lower()}; choose another --port"
        ) from None
