"""nginx and Apache as Debian packages them, on a free loopback port, serving documentation as a person would put it on the web.

The configuration is the distribution's own (its modules, types, listings, negotiation); only where to listen, what to serve and
where to write are ours. Everything they write goes into a directory of their own, which strangers may read: a server that root
starts answers as www-data. They stay in the foreground and are stopped by their process.
"""

import os
import pwd
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import trustme

WORKER = "www-data"

NGINX = """
daemon off;
{user}
worker_processes 1;
pid {run}/nginx.pid;
error_log {run}/error.log;
events {{ worker_connections 768; }}
http {{
  sendfile on;
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  gzip on;
  access_log {run}/access.log;
  client_body_temp_path {run}/body;
  proxy_temp_path {run}/proxy;
  fastcgi_temp_path {run}/fastcgi;
  uwsgi_temp_path {run}/uwsgi;
  scgi_temp_path {run}/scgi;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{secure} ssl;
    ssl_certificate {run}/certificate.pem;
    ssl_certificate_key {run}/certificate.pem;
    server_name _;
    root {root};
    index index.html index.htm;
    location / {{ autoindex on; try_files $uri $uri/ =404; }}
  }}
  server {{
    listen 127.0.0.1:{upgrading};
    return 301 https://$host:{secure}$request_uri;
  }}
}}
"""

APACHE = """
ServerRoot /etc/apache2
DefaultRuntimeDir {run}
PidFile {run}/apache2.pid
Mutex file:{run} default
ErrorLog {run}/error.log
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
{user}
Include mods-enabled/*.load
Include mods-enabled/*.conf
Include conf-available/charset.conf
Include mods-available/socache_shmcb.load
Include mods-available/ssl.load
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{secure}
Listen 127.0.0.1:{upgrading}
ServerName localhost
# wget2 names no port in its Host field; redirects must name the one that answers all the same.
UseCanonicalPhysicalPort On
<Directory />
  Options FollowSymLinks
  AllowOverride None
  Require all denied
</Directory>
<Directory /usr/share>
  Options Indexes FollowSymLinks MultiViews
  AllowOverride None
  Require all granted
</Directory>
<Directory {root}>
  Options Indexes FollowSymLinks MultiViews
  AllowOverride None
  Require all granted
</Directory>
DocumentRoot {root}
AddDefaultCharset utf-8
LogFormat "%h %l %u %t \\"%r\\" %>s %O" common
CustomLog {run}/access.log common
<VirtualHost 127.0.0.1:{port}>
</VirtualHost>
<VirtualHost 127.0.0.1:{secure}>
  SSLEngine on
  SSLCertificateFile {run}/certificate.pem
</VirtualHost>
<VirtualHost 127.0.0.1:{upgrading}>
  Redirect permanent / https://localhost:{secure}/
</VirtualHost>
"""


@dataclass(frozen=True)
class Served:
    """A running server."""

    name: str
    port: int
    secure: int  # the same by https
    upgrading: int  # answers everything with a redirect to https
    root: Path


@contextmanager
def nginx_running(shown: dict[str, Path]) -> Iterator[Served]:
    """Serve folders by name with nginx."""
    with _directory(shown) as run:
        user = f"user {WORKER};" if os.geteuid() == 0 else ""
        with _running("nginx", NGINX, user, run, ["/usr/sbin/nginx", "-e", f"{run}/error.log", "-c"]) as served:
            yield served


@contextmanager
def apache_running(shown: dict[str, Path]) -> Iterator[Served]:
    """Serve folders by name with Apache."""
    with _directory(shown) as run:
        user = f"User {WORKER}\nGroup {WORKER}" if os.geteuid() == 0 else ""
        with _running("apache2", APACHE, user, run, ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f"]) as served:
            yield served


@contextmanager
def _directory(shown: dict[str, Path]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gossamer-real-") as name:
        run = Path(name)
        run.chmod(0o755)
        (run / "www").mkdir()
        for link, folder in shown.items():
            (run / "www" / link).symlink_to(folder)
        if os.geteuid() == 0:
            os.chown(run, pwd.getpwnam(WORKER).pw_uid, -1)
        yield run


@contextmanager
def _running(name: str, template: str, user: str, run: Path, words: list[str]) -> Iterator[Served]:
    port, secure, upgrading = free_ports()
    trustme.CA().issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(run / "certificate.pem")
    configuration = run / "server.conf"
    ports = {"port": port, "secure": secure, "upgrading": upgrading}
    configuration.write_text(template.format(run=run, root=run / "www", user=user, **ports))
    server = subprocess.Popen([*words, str(configuration)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for one in ports.values():
            wait_until_it_listens(server, one)
        yield Served(name, **ports, root=run / "www")
    finally:
        server.terminate()
        server.wait(10)


def free_ports() -> tuple[int, int, int]:
    """Return ports that nobody listens on."""
    with socket.socket() as one, socket.socket() as two, socket.socket() as three:
        for listening in (one, two, three):
            listening.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1], three.getsockname()[1]


def wait_until_it_listens(server: subprocess.Popen[str], port: int) -> None:
    """Return when somebody listens; fail when the server has ended."""
    end = monotonic() + 20
    while monotonic() < end:
        if server.poll() is not None:
            assert server.stderr is not None
            raise AssertionError(f"the server ended: {server.stderr.read()}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except ConnectionRefusedError:
            continue
        return
    raise AssertionError("the server does not listen")
