"""Proxies and a server with logins, as Debian packages them: tinyproxy (HTTP), microsocks (SOCKS5), and nginx behind a password
or a client certificate. On free loopback ports, in the foreground, stopped by their process; what they write tells who came.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme
from packaged import WORKER, free_ports, wait_until_it_listens

TINYPROXY = """
Port {port}
Listen 127.0.0.1
Timeout 60
LogFile "{log}"
LogLevel Connect
MaxClients 50
{login}
"""

NGINX = """
daemon off;
{user}
worker_processes 1;
pid {run}/nginx.pid;
error_log {run}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {run}/access.log;
  client_body_temp_path {run}/body;
  proxy_temp_path {run}/proxy;
  fastcgi_temp_path {run}/fastcgi;
  uwsgi_temp_path {run}/uwsgi;
  scgi_temp_path {run}/scgi;
  default_type text/html;
  root {run}/www;
  ssl_certificate {run}/server.pem;
  ssl_certificate_key {run}/server.pem;
  server {{
    listen 127.0.0.1:{port} ssl;
    auth_basic "members";
    auth_basic_user_file {run}/users;
  }}
  server {{
    listen 127.0.0.1:{certified} ssl;
    ssl_client_certificate {run}/authority.pem;
    ssl_verify_client on;
  }}
}}
"""


@dataclass(frozen=True)
class Relay:
    """A running proxy."""

    port: int
    log: Path

    def connected_to(self, place: str) -> int:
        """Count how often it says that it connected there."""
        return self.log.read_text().count(place)


@dataclass(frozen=True)
class GuardedNginx:
    """A running nginx with two pages, over https alone; `port` asks for a password, `certified` for a certificate."""

    port: int
    certified: int
    run: Path

    @property
    def authority(self) -> Path:
        """The certificate to trust."""
        return self.run / "authority.pem"

    @property
    def certificate(self) -> Path:
        """A client certificate and its key."""
        return self.run / "client.pem"


@contextmanager
def tinyproxy_running(directory: Path, login: str = "") -> Iterator[Relay]:
    """Run tinyproxy; `login`: a user and a password with a space between, which it asks for."""
    port, log = free_ports()[0], directory / "tinyproxy.log"
    settings = TINYPROXY.format(port=port, log=log, login=f"BasicAuth {login}" if login else "")
    (directory / "tinyproxy.conf").write_text(settings)
    with _running(["/usr/bin/tinyproxy", "-d", "-c", str(directory / "tinyproxy.conf")], directory / "tinyproxy.out", port):
        yield Relay(port, log)


@contextmanager
def microsocks_running(directory: Path, *words: str) -> Iterator[Relay]:
    """Run microsocks."""
    port, log = free_ports()[0], directory / "microsocks.log"
    with _running(["/usr/bin/microsocks", "-i", "127.0.0.1", "-p", str(port), *words], log, port):
        yield Relay(port, log)


@contextmanager
def guarded_nginx_running(user: str, password: str) -> Iterator[GuardedNginx]:
    """Run nginx behind a password, and behind a client certificate."""
    with tempfile.TemporaryDirectory(prefix="gossamer-guarded-") as name:
        run = Path(name)
        run.chmod(0o755)
        authority = trustme.CA()
        authority.cert_pem.write_to_path(run / "authority.pem")
        authority.issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(run / "server.pem")
        authority.issue_cert("ann@example.org").private_key_and_cert_chain_pem.write_to_path(run / "client.pem")
        (run / "users").write_text(f"{user}:{{PLAIN}}{password}\n")
        (run / "www").mkdir()
        (run / "www" / "index.html").write_text('<title>first</title><a href="/second.html">on</a>')
        (run / "www" / "second.html").write_text("<title>second</title>the end")
        port, certified, _ = free_ports()
        user_line = f"user {WORKER};" if os.geteuid() == 0 else ""
        (run / "nginx.conf").write_text(NGINX.format(run=run, port=port, certified=certified, user=user_line))
        words = ["/usr/sbin/nginx", "-e", f"{run}/error.log", "-c", f"{run}/nginx.conf"]
        with _running(words, run / "nginx.out", port):
            yield GuardedNginx(port, certified, run)


@contextmanager
def _running(words: list[str], log: Path, port: int) -> Iterator[None]:
    with log.open("w") as output:
        server = subprocess.Popen(words, stdout=output, stderr=output, text=True)
    try:
        wait_until_it_listens(server, port)
        yield
    finally:
        server.terminate()
        server.wait(10)
