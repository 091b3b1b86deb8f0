"""`gossamer demo`: crawl the built-in synthetic web, show what it got, and prove it. Needs no network.

On a terminal it also serves its crawl, from the moment that there is one, and stays until it is interrupted.
"""

import json as json_text
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Annotated, Any

import typer

from gossamer.cli import output
from gossamer.cli.crawl import crawl
from gossamer.cli.explain import explain
from gossamer.cli.pages import pages as list_pages
from gossamer.cli.verify import verify
from gossamer.jobs.command import command

LOOK_AGAIN = 0.1  # seconds until it is looked again whether there is a crawl


def demo(
    directory: Annotated[Path, typer.Option("--dir", help="where the crawl goes; an earlier demo there is replaced")] = Path(
        "demo.crawl"
    ),
    hosts: Annotated[int, typer.Option(help="host names of the synthetic web")] = 30,
    pages: Annotated[int, typer.Option(help="pages on all of them")] = 900,
) -> None:
    """Watch a whole crawl in under a minute: robots.txt, redirects, failures, copies, and the proof that nothing was lost."""
    if (directory / "crawl.json").exists():
        shutil.rmtree(directory)
    with _Served(directory) if sys.stdout.isatty() else nullcontext() as served:
        _crawl_and_look(directory, hosts, pages)
        output.line()
        output.line("next: gossamer crawl https://example.org/   your own machine: add --allow-private 127.0.0.0/8")
        if served is not None:
            served.stay()


def _crawl_and_look(directory: Path, hosts: int, pages: int) -> None:
    with tempfile.TemporaryDirectory(prefix="gossamer-demo-") as place, _simweb(Path(place), hosts, pages) as web:
        output.note(
            f"a synthetic web of {hosts} hosts stands on 127.0.0.1:{web['port']}; it knows how a correct crawl must end"
        )
        output.note("")
        crawl(
            directory=directory,
            seeds=str(Path(place) / "seeds.txt"),
            delay="0.1",
            resolve=web["resolve"],
            allow_private=["127.0.0.0/8"],
            contact="https://example.org/about-this-demo",
        )
        _look(directory, Path(place))


def _look(directory: Path, place: Path) -> None:
    """Show a little of everything that can be asked."""
    _heading(command("pages", directory, "-n", 8), "what it kept")
    list_pages(directory, limit=8)
    refused = _example(place / "manifest.jsonl", "robots_denied")
    _heading(command("explain", directory, refused), "why it left something out")
    explain(directory, refused)
    _heading(f"{command('verify', directory)} --ledger ...", "the proof, with the servers' own record of every request")
    verify(directory, ledger=place / "ledger.jsonl")


def _heading(command: str, what: str) -> None:
    output.line()
    output.line(f"$ {command}    ({what})")


def _example(manifest: Path, outcome: str) -> str:
    """Return a URL that must end with an outcome."""
    with manifest.open("rb") as lines:
        for line in lines:
            entry = json_text.loads(line)
            if entry["outcome"] == outcome:
                return str(entry["url"])
    return "http://h0000.sim/"


@contextmanager
def _simweb(place: Path, hosts: int, pages: int) -> Iterator[dict[str, Any]]:
    """Serve a synthetic web in a process of its own."""
    words = [sys.executable, "-m", "gossamer.simweb", "--hosts", str(hosts), "--pages", str(pages)]
    for name in ("ledger.jsonl", "manifest.jsonl", "seeds.txt"):
        words += [f"--{name.partition('.')[0]}", str(place / name)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield json_text.loads(server.stdout.readline())
    finally:
        server.terminate()
        server.wait()


class _Served:
    """The server beside the demo's crawl: it is begun when there is a crawl, and ends with the demo."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server: subprocess.Popen[str] | None = None
        self._over = Event()
        self._thread = Thread(target=self._serve, daemon=True)
        self.url = ""

    def __enter__(self) -> "_Served":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._server is not None:
            self._server.terminate()
            self._server.communicate()

    def stay(self) -> None:
        """Say where it is, and wait until somebody has seen enough."""
        self._thread.join()
        if not self.url or self._server is None:
            return
        output.line()
        output.line(f"the crawl in a browser, until Ctrl-C: {self.url}")
        with suppress(KeyboardInterrupt):
            self._server.wait()

    def _serve(self) -> None:
        while not (self._directory / "crawl.json").exists():
            if self._over.wait(LOOK_AGAIN):
                return
        words = [sys.executable, "-m", "gossamer", "serve", str(self._directory), "--port", "0", "--json"]
        # In a session of its own: Ctrl-C is first for the crawl.
        self._server = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert self._server.stdout is not None
        if ready := self._server.stdout.readline():
            told = json_text.loads(ready)
            self.url = f"{told['url']}#token={told['token']}"
            output.note(f"watch it in a browser: {self.url}")
        elif not self._over.is_set():
            output.note(f"it cannot be watched in a browser; `{command('serve', self._directory)}` says why")
