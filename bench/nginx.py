"""nginx as Debian packages it, serving a generated site over TLS with its own defaults: connections are kept, as real sites do.

Its access log is the witness of what was asked for.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import trustme

from bench.site import Generated

PROGRAM = "/usr/sbin/nginx"
PATIENCE = 10.0  # seconds until it answers
SETTINGS = """
user {user};
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log;
events {{ worker_connections 768; }}
http {{
  sendfile on;
  tcp_nopush on;
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  gzip on;
  log_format asked "$uri";
  access_log {place}/access.log asked;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {place}/chain.pem;
    ssl_certificate_key {place}/key.pem;
    root {place}/site;
  }}
}}
"""


def is_at_hand() -> bool:
    """Tell whether nginx is on this machine."""
    return Path(PROGRAM).exists()


class Running:
    """A server in a process of its own."""

    def __init__(self, port: int, log: Path, pages: frozenset[str]) -> None:
        self._port = port
        self._log = log
        self._pages = pages
        self._read = 0

    def url(self, secure: bool = True) -> str:
        """Return where a crawl begins; there is nothing in the clear."""
        return f"https://127.0.0.1:{self._port}/"

    def count(self) -> dict[str, Any]:
        """Return what was asked for since the last time."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            lines = log.read().decode().splitlines()
            self._read = log.tell()
        asked = {"/" if line == "/index.html" else line for line in lines}
        return {"pages": len(asked & self._pages), "of": len(self._pages), "requests": len(lines)}


@contextmanager
def running(place: Path, pages: int, size: int, links: int) -> Iterator[Running]:
    """Serve a site from a folder for a while."""
    site = Generated(pages, size, links).site()
    for path, answer in site.answers.items():
        file = place / "site" / (path.decode().lstrip("/") or "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer.body)
    for folder in (place, *place.rglob("*")):
        folder.chmod(0o755)  # its workers are somebody else
    certificate = trustme.CA().issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(place / "key.pem"))
    for pem in certificate.cert_chain_pems:
        pem.write_to_path(str(place / "chain.pem"), append=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = place / "nginx.conf"
    user = "www-data" if os.geteuid() == 0 else "nobody"
    settings.write_text(SETTINGS.format(place=place, port=port, user=user))
    command = [PROGRAM, "-e", str(place / "error.log"), "-c", str(settings), "-g", "daemon off;"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_until_open(port)
            yield Running(port, place / "access.log", frozenset(path.decode() for path in site.pages))
        finally:
            server.terminate()
            server.wait()
    shutil.rmtree(place / "site")


def _wait_until_open(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
