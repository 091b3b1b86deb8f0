"""Start an application on a free loopback port behind nginx, whose access log is the witness of every request.

What was filled in is kept below `.witnesses/filled`, named after the code that filled it, so that it is made once; a run works
on a copy, because applications write as they are read. Nothing outlives the block that started it.
"""

import hashlib
import inspect
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic

from packaged import WORKER
from witnesses import FILLED, NGINX, Witness, missing

FRONT = """
daemon off;
{user}
worker_processes 1;
pid {run}/nginx.pid;
error_log {run}/error.log;
events {{ worker_connections 768; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  log_format asked '$status $request_uri';
  access_log {run}/access.log asked;
  client_body_temp_path {run}/body;
  proxy_temp_path {run}/proxy;
  fastcgi_temp_path {run}/fastcgi;
  uwsgi_temp_path {run}/uwsgi;
  scgi_temp_path {run}/scgi;
  server {{
    listen 127.0.0.1:{port};
    server_name _;
{block}
  }}
}}
"""
PHP_CHILDREN = 4
TRIES = 3  # to start: a port that was free may be taken by somebody else's connection meanwhile
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
Address = str | tuple[str, int]  # of a socket: a path, or a host and a port


class NotListening(AssertionError):
    """A server that was started does not answer."""


@dataclass(frozen=True)
class Content:
    """A page of an application that is content: where it stands, and words that stand only there."""

    url: str  # path and query of its canonical URL
    phrase: str
    kind: str
    also: tuple[str, ...] = ()  # other names that the application gives the same page and that are as good


@dataclass(frozen=True)
class Asked:
    """A request, as the front saw it."""

    status: int
    url: str  # path and query


@dataclass(frozen=True)
class Running:
    """An application that answers."""

    name: str
    port: int
    seed: str
    truth: list[Content]
    log: Path
    allowance: float
    place: Path  # its data

    def url(self, path: str) -> str:
        """Return the whole URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def asked(self) -> list[Asked]:
        """Return the requests since the log was emptied, in order."""
        lines = (line.split(" ", 1) for line in self.log.read_text().splitlines())
        return [Asked(int(status), url) for status, url in lines]

    def forget(self) -> None:
        """Empty the log."""
        os.truncate(self.log, 0)


@dataclass(frozen=True)
class Started:
    """What `serve` of an application may use: its data, its port, and how to start what stands behind the front."""

    place: Path  # its data, a copy that may be written to
    port: int  # of the front
    stack: ExitStack

    def behind(
        self, words: Sequence[object], environment: Mapping[str, str] | None = None, port: int = 0, socket: Path | None = None
    ) -> None:
        """Start a process, and wait until its port or its socket answers."""
        self.stack.enter_context(process(words, self.place, environment, str(socket) if socket else ("127.0.0.1", port)))

    def php(self, *settings: str, environment: Mapping[str, str] | None = None) -> str:
        """Start PHP as FastCGI; return what a location of nginx says to reach it."""
        port = free_port()
        words = ["php-cgi", "-b", f"127.0.0.1:{port}", *(word for one in settings for word in ("-d", one))]
        self.behind(words, {"PHP_FCGI_CHILDREN": str(PHP_CHILDREN), "PHP_FCGI_MAX_REQUESTS": "0", **(environment or {})}, port)
        # Debian's parameters name the host without its port, and applications write the links of their pages with it.
        host = f"fastcgi_param HTTP_HOST 127.0.0.1:{self.port};"
        return f"include /etc/nginx/fastcgi_params; {host} fastcgi_pass 127.0.0.1:{port};"


@dataclass(frozen=True)
class Application:
    """An application: what it needs, how it is filled and started, and what is asked of a crawl of it."""

    name: str
    what: str
    needs: tuple[Witness, ...]
    fill: Callable[[Path], list[Content]]  # puts everything into an empty directory; returns what is content
    serve: Callable[[Started], str]  # starts what stands behind the front; returns the inside of nginx's server block
    seed: str = "/"
    allowance: float = 2.5  # requests a content page until all content is there
    sources: tuple[str, ...] = field(default=())  # files beside its own module that fill it

    @property
    def lacking(self) -> list[str]:
        """The packages that are not there."""
        return missing((NGINX, *self.needs))


@contextmanager
def running(application: Application) -> Iterator[Running]:
    """Run an application for a while."""
    filled = _filled(application)
    truth = [Content(**{**one, "also": tuple(one["also"])}) for one in json.loads((filled / "truth.json").read_text())]
    with tempfile.TemporaryDirectory(prefix="gossamer-real-", ignore_cleanup_errors=True) as name, ExitStack() as stack:
        run = Path(name)
        run.chmod(0o755)
        place = shutil.copytree(filled / "place", run / "place", symlinks=True)
        for left in reversed(range(TRIES)):
            try:
                port = _start(application, run, stack)
                break
            except NotListening:
                stack.close()
                if not left:
                    raise
        yield Running(application.name, port, application.seed, truth, run / "access.log", application.allowance, place)


def _start(application: Application, run: Path, stack: ExitStack) -> int:
    """Start an application and its front; return the port."""
    port = free_port()
    block = application.serve(Started(run / "place", port, stack))
    stack.enter_context(_front(run, port, block))
    return port


def _filled(application: Application) -> Path:
    """Return the directory with an application's data and its truth; fill it when nobody has."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    module = inspect.getsourcefile(application.fill) or ""
    for source in (module, "prose.py", *application.sources):
        digest.update((here / source).read_bytes())
    name = application.name.replace(" ", "-")
    filled = FILLED / f"{name}-{digest.hexdigest()[:12]}"
    if not filled.exists():
        FILLED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{name}-making-", dir=FILLED) as making:
            whole = Path(making) / "whole"
            (whole / "place").mkdir(parents=True)
            truth = application.fill(whole / "place")
            (whole / "truth.json").write_text(json.dumps([asdict(one) for one in truth], indent=1))
            with suppress(OSError):  # another process was faster, and made the same
                whole.rename(filled)
    return filled


def _front(run: Path, port: int, block: str) -> AbstractContextManager[None]:
    configuration = run / "nginx.conf"
    user = f"user {WORKER};" if os.geteuid() == 0 else ""
    configuration.write_text(FRONT.format(run=run, port=port, block=block, user=user))
    (run / "access.log").touch()
    return process([NGINX.path, "-e", run / "error.log", "-c", configuration], run, None, ("127.0.0.1", port))


@contextmanager
def process(words: Sequence[object], place: Path, environment: Mapping[str, str] | None, at: Address) -> Iterator[None]:
    """Run a process and its children for a while; what it says is in a file beside its data."""
    said = place / f"{Path(str(words[0])).name}.said"
    with said.open("ab") as output:
        started = subprocess.Popen(
            [str(word) for word in words],
            cwd=place,
            env={**CLEAN, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait_until_it_listens(started, at, said)
        yield
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        try:
            started.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(10)


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait_until_it_listens(started: subprocess.Popen[bytes], at: Address, said: Path) -> None:
    end = monotonic() + 30
    family = socket.AF_UNIX if isinstance(at, str) else socket.AF_INET
    while monotonic() < end:
        if started.poll() is not None:
            raise NotListening(f"the server ended: {said.read_text(errors='replace')[-2000:]}")
        with socket.socket(family) as trying:
            try:
                trying.connect(at)
            except (ConnectionRefusedError, FileNotFoundError):
                continue
        return
    raise NotListening(f"the server does not listen: {said.read_text(errors='replace')[-2000:]}")


def run(words: Sequence[object], place: Path, environment: Mapping[str, str] | None = None, stdin: str | None = None) -> str:
    """Run a command of an application to its end; return what it said."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=place,
        env={**CLEAN, **(environment or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout
