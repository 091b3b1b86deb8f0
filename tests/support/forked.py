"""Runs the command line in forks of a process that has it imported: of a short command nine tenths would be imports.

Each run is a process of its own with its own arguments, directory, streams and end, as a user's is; only imports are shared.
What a cold start is like is seen by all tests that start a command beside them (`crawling.start_gossamer`).

    python tests/support/forked.py PATH    # serve runs at a Unix socket, until whoever started it closes its standard input
"""

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_STREAMS = 3
_MOST = 4 * 1024 * 1024  # bytes of arguments
_THREADED = "numpy"  # its threads would not survive a fork
_LEFT_OUT = (  # not part of a crawl, or imports the other one
    "gossamer.__main__",
    "gossamer.simweb",
    "gossamer.testing",
    "gossamer.jobs.findings",
    "gossamer.jobs.report",
    "gossamer.jobs.graph",
    "gossamer.jobs.simulate",
    "gossamer.policy.pagerank",
    "gossamer.storage.edgesearch",
    "gossamer.storage.edgetable",
)


# --- in the test -----------------------------------------------------------------------------------------------------


def run(arguments: list[str], stdin: str | None, timeout: float, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; raise TimeoutExpired and kill it if that does not come in time."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line,
    ):
        given.write((stdin or "").encode())
        given.seek(0)
        line.connect(server(tuple(env.items())))
        request = json.dumps({"arguments": arguments, "directory": os.getcwd()}).encode()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST)
        socket.send_fds(line, [request], [given.fileno(), output.fileno(), errors.fileno()])
        process = int(line.recv(64))
        line.settimeout(timeout)
        try:
            code = int(line.recv(64))
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(arguments, timeout) from None
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, output.read().decode(), errors.read().decode())


@cache
def server(env: tuple[tuple[str, str], ...]) -> str:
    """Start the process that is forked; it ends with this one, whose end of the pipe is its standard input."""
    place = Path(tempfile.mkdtemp(prefix="forked-")) / "socket"
    words = [sys.executable, __file__, str(place)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env))
    assert process.stdin is not None and process.stdout is not None
    atexit.register(process.wait)
    atexit.register(process.stdin.close)
    assert process.stdout.readline() == b"ready\n"
    return str(place)


# --- in the process that is forked -----------------------------------------------------------------------------------


def serve(place: str) -> None:
    """Fork for each connection; return in the child, when its streams and arguments are those that were asked for."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(place)
    listener.listen(64)
    wakeup, alarm = socket.socketpair()
    wakeup.setblocking(False)
    alarm.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm.fileno())
    children: dict[int, socket.socket] = {}
    print("ready", flush=True)  # noqa: T201 - whoever started it reads this
    while True:
        ready, _, _ = select.select([listener, wakeup, 0], [], [])
        if 0 in ready:
            os._exit(0)
        if wakeup in ready:
            wakeup.recv(4096)
            _tell_ends(children)
        if listener in ready:
            line, _ = listener.accept()
            request, streams, _, _ = socket.recv_fds(line, _MOST, _STREAMS)
            process = os.fork()
            if not process:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for ours in (listener, wakeup, alarm, line, *children.values()):
                    ours.close()
                _become(json.loads(request), streams)
                return
            for stream in streams:
                os.close(stream)
            children[process] = line
            line.send(b"%d" % process)


def _tell_ends(children: dict[int, socket.socket]) -> None:
    """Tell whoever waits how each process ended."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with children.pop(ended[0]) as line, contextlib.suppress(OSError):  # nobody waits any more
                line.send(b"%d" % os.waitstatus_to_exitcode(ended[1]))


def _become(request: dict[str, object], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(str(request["directory"]))
    os.environ.update(request.get("environment", {}))  # type: ignore[call-overload]
    sys.argv = ["gossamer", *request["arguments"]]  # type: ignore[misc]


def _import_all() -> None:
    """Import what commands import, but for what starts threads."""
    import gossamer

    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # as the command line does
    for module in pkgutil.walk_packages(gossamer.__path__, "gossamer."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    assert _THREADED not in sys.modules


if __name__ == "__main__":
    _import_all()
    serve(sys.argv[1])
    from gossamer.cli.main import run as run_command_line

    run_command_line()
