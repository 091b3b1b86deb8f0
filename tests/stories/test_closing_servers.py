"""Servers that close a kept connection as the next request leaves: no page is lost for it, and no host blamed."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crawling import run_gossamer

PAGES = 12


@contextmanager
def closing_server(asked: list[str]) -> Iterator[int]:
    """Serve pages, one on each connection: at a second request it is closed without a word, whatever was promised."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection:
            for number in range(2):
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(4096)
                    if not piece:
                        return
                    head += piece
                path = head.split()[1].decode()
                asked.append(path)
                if number:
                    return
                links = "".join(f'<a href="/{link}">{link}</a>' for link in range(PAGES)) if path == "/" else ""
                body = f"<title>{path}</title>{path} {links}".encode()
                status = "404 Not Found" if path == "/robots.txt" else "200 OK"
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                connection.sendall(head + body)

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def test_a_server_that_closes_every_kept_connection_as_a_request_leaves_loses_no_page(tmp_path: Path) -> None:
    asked: list[str] = []
    with closing_server(asked) as port:
        options = ["--delay", "0.02", "--allow-private", "127.0.0.0/8", "--quiet", "--json", "--set", "traps.soft_404=false"]
        result = run_gossamer("crawl", f"http://127.0.0.1:{port}/", "--dir", tmp_path / "crawl", *options, timeout=60)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["outcomes"] == {"ok": PAGES + 1} and summary["too_soon"] == 0
    assert {path: asked.count(path) for path in asked if asked.count(path) > 2} == {}  # once in vain, then on a new connection
    host = json.loads(run_gossamer("host", tmp_path / "crawl", "127.0.0.1", "--json").stdout)
    assert host["clock"]["failures"] == 0 and host["clock"]["recent"] == ""
