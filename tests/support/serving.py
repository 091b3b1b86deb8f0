"""A small real web server for stories: routes in a dictionary, every request written down. Threads, loopback, a free port."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]
Route = Answer | Callable[["Asked"], Answer]


@dataclass(frozen=True)
class Asked:
    """One request, as the server saw it."""

    at: float
    path: str
    headers: dict[str, str]


@dataclass
class Site:
    """A running server."""

    port: int
    routes: dict[str, Route]
    scheme: str = "http"
    asked: list[Asked] = field(default_factory=list)
    sent: list[tuple[str, bytes, bytes]] = field(default_factory=list)  # path, head and body of every answer
    connections: int = 0  # accepted
    seen: threading.Condition = field(default_factory=threading.Condition)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """Return the URL of a path."""
        return f"{self.scheme}://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """The paths asked for, robots.txt and probes for soft 404s left out."""
        return [one.path for one in self.asked if one.path != "/robots.txt" and "/gossamer-probe-" not in one.path]

    @property
    def probes(self) -> list[str]:
        """The probes for soft 404s."""
        return [one.path for one in self.asked if "/gossamer-probe-" in one.path]

    def wait_for(self, path: str) -> None:
        """Return when a path has been asked for."""
        with self.seen:
            assert self.seen.wait_for(lambda: any(one.path == path for one in self.asked), timeout=30), (
                f"{path} was never asked for"
            )


def page(*links: str, title: str = "a page") -> Answer:
    """Return an HTML page with links."""
    anchors = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
    return 200, {"content-type": "text/html"}, f"<title>{title}</title>{title}\n{anchors}".encode()


@contextmanager
def closed_port() -> Iterator[int]:
    """A port of this machine that nobody listens on, held so that nobody takes it meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@contextmanager
def site_running(routes: dict[str, Route], context: ssl.SSLContext | None = None, address: str = "127.0.0.1") -> Iterator[Site]:
    """Serve some routes for a while; anything else is a 404, robots.txt included."""
    site = Site(0, routes, "https" if context else "http")

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for the client's word

        def setup(self) -> None:
            with site.seen:
                site.connections += 1
            super().setup()

        def do_GET(self) -> None:
            asked = Asked(time.monotonic(), self.path, {name.lower(): value for name, value in self.headers.items()})
            with site.seen:
                site.asked.append(asked)
                site.seen.notify_all()
            route = site.routes.get(self.path, (404, {}, b"not found"))
            status, headers, body = route(asked) if callable(route) else route
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            site.sent.append((self.path, b"".join((*self._headers_buffer, b"\r\n")), body))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer((address, 0), Answering)
    server.daemon_threads = True
    site.port = server.server_address[1]
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
