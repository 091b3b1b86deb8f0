"""Listen: from a place and an address to a server that answers, until it is told to end."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
import uvloop

from gossamer.api.app import make_app
from gossamer.api.guard import LOOPBACK, new_token
from gossamer.api.home import Home
from gossamer.api.notify import READY, STOPPING, notify
from gossamer.errors import UsageError

HEAD = 64 * 1024  # bytes of a request's head
CONNECTIONS = 200


def serve_home(place: Path, bind: str, port: int, ready: Callable[[str, str], None]) -> None:
    """Serve a home until SIGINT or SIGTERM; `ready` is told the URL and the token once it answers."""
    if not place.is_dir():
        raise UsageError(f"{place} is no directory; name a crawl, or a directory of crawls")
    listening = _listen(bind, port)
    address, number, *_ = listening.getsockname()
    shown = f"[{address}]" if ":" in address else address
    token = new_token()
    app = make_app(Home(place), token, [*LOOPBACK, shown])
    config = uvicorn.Config(
        app, lifespan="on", log_config=None, access_log=False, server_header=False, h11_max_incomplete_event_size=HEAD,
        limit_concurrency=CONNECTIONS, timeout_graceful_shutdown=2,
    )  # fmt: skip
    server = _Server(config, lambda: ready(f"http://{shown}:{number}/", token))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(server.serve(sockets=[listening]))


class _Server(uvicorn.Server):
    """Says when it answers, to whoever started it and to systemd."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
            notify(READY)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify(STOPPING)
        await super().shutdown(sockets)


def _listen(bind: str, port: int) -> socket.socket:
    try:
        return socket.create_server((bind, port), family=socket.AF_INET6 if ":" in bind else socket.AF_INET)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {bind} port {port}: {(error.strerror or str(error)).lower()}; choose another --port"
        ) from None
