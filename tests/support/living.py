"""Crawls of living hosts, days in seconds: the web's clock is set forward, and so is that of the crawl when it goes on.

A crawl that goes on for ever is started, watched until nothing is due any more, and stopped or killed; then time passes for
both sides at once. Nobody waits for a date, and what is judged is the ledger: which version was served when, asked how.
"""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from crawling import CLEAN, GOSSAMER, Simweb, simweb_running

from gossamer.errors import CrawlInUse, NotACrawl, UsageError
from gossamer.jobs import control
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operations.urls import AT_ONCE

DAY = 86400.0
PATIENCE = 60.0  # seconds for what takes one
LOOK = 0.02  # seconds between two looks
KNOBS = (
    "recrawl.interval=2d",
    "recrawl.shortest=4h",
    "recrawl.longest=400d",
    "storage.durability=fast",
    "traps.soft_404=false",
    "crawl.returns=1000",
)


@dataclass(frozen=True)
class Step:
    """One run of a crawl: from when until when, what it asked for, and what it knew in the end of every URL, by path."""

    began: float
    ended: float
    visits: list[dict[str, Any]]
    known: dict[str, dict[str, Any]]


@dataclass
class Living:
    """A crawl of living hosts, and how far ahead of the machine's clock it is."""

    directory: Path
    web: Simweb
    options: tuple[object, ...] = ()
    began: float = field(default_factory=time.time)  # the web, or a little later
    ahead: float = 0.0
    seen: int = 0  # lines of the ledger that were there when this run began
    crawler: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    @property
    def urls(self) -> list[str]:
        """Every URL of the living hosts."""
        return [entry["url"] for entry in self.web.manifest if ".living.sim" in entry["url"]]

    def url(self, path: str, host: str = "l00") -> str:
        """Return the URL of a path."""
        return next(url for url in self.urls if f"//{host}." in url and url.endswith(path))

    @property
    def now(self) -> float:
        """The time of the crawl and of the web."""
        return time.time() + self.ahead

    def step(self) -> Step:
        """Run the crawl until nothing is due, and stop it as an operator does."""
        began = self.now
        self.start()
        known = self.wait_until_idle()
        self.stop()
        return Step(began, self.now, self.visits(), {path_of(url): it for url, it in known.items()})

    def pass_time(self, seconds: float) -> None:
        """Let time pass, for the web at once and for the crawl from its next start on."""
        self.order(f"advance/{seconds}")
        self.ahead += seconds

    def order(self, what: str) -> None:
        """Tell the web to do something."""
        with urlopen(f"http://127.0.0.1:{self.web.clock_port}/{what}") as response:
            assert response.status == 200

    def run(self, *arguments: object) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end, at the crawl's time."""
        words = [*GOSSAMER, *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=self._environment, check=False)

    def start(self) -> None:
        """Begin the crawl, or go on with it."""
        words = ["resume", self.directory, "--quiet"]
        if not self.directory.exists():
            knobs = [word for knob in KNOBS for word in ("--set", knob)]
            words = ["crawl", "--dir", self.directory, "--forever", "--delay", "0", *knobs, "--quiet"]
            words += [*self.web.crawl_options, *self.options]
        self.seen = self.web.requests()
        self.crawler = subprocess.Popen(
            [*GOSSAMER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self._environment
        )

    def known(self) -> dict[str, dict[str, Any]]:
        """Ask the running crawl what it knows of every URL; nothing while it does not answer."""
        try:
            crawl = CrawlDirectory.open(self.directory)
            parts = [{"urls": self.urls[start : start + AT_ONCE]} for start in range(0, len(self.urls), AT_ONCE)]
            told = [control._ask_running(crawl, "explain_all", part, CrawlInUse("")) for part in parts]
        except (CrawlInUse, NotACrawl, UsageError):
            self._look_alive()
            return {}
        return {answer["url"]: answer for answers in told for answer in answers}

    def wait_until_idle(self) -> dict[str, dict[str, Any]]:
        """Return what is known, by URL, when every one was visited and none is due."""
        until = time.monotonic() + PATIENCE
        while True:
            known = self.known()
            now = self.now
            busy = [
                url
                for url, it in known.items()
                if not it["page"] or (it["queue"]["due"] or now) <= now or it["state"] != "waiting"
            ]
            if known and not busy:
                return known
            assert time.monotonic() < until, f"after {PATIENCE:g} s it is not done with {busy[:3]}"
            self._look_alive(LOOK)

    def wait_for_requests(self, count: int) -> None:
        """Return when so many requests were served since this run began."""
        until = time.monotonic() + PATIENCE
        while self.web.requests() < self.seen + count:
            assert time.monotonic() < until, f"{self.web.requests() - self.seen} requests in {PATIENCE:g} s, not {count}"
            self._look_alive(LOOK)

    def stop(self) -> None:
        """Stop the crawl as an operator does."""
        assert self.end(signal.SIGTERM) == 130

    def end(self, number: signal.Signals) -> int:
        """Send a signal and return how the crawl ended."""
        assert self.crawler is not None
        self.crawler.send_signal(number)
        self.crawler.communicate(timeout=PATIENCE)
        return self.crawler.returncode

    def visits(self) -> list[dict[str, Any]]:
        """Return the requests of this run for pages and lists."""
        lines = [json.loads(line) for line in self.web.ledger_file.read_text().splitlines()[self.seen :]]
        return [line for line in lines if "/robots.txt" not in line["path"] and "living.sim" in line["host"]]

    def _look_alive(self, seconds: float = LOOK) -> None:
        assert self.crawler is not None
        try:
            self.crawler.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise AssertionError(f"the crawl ended with {self.crawler.returncode}: {self.crawler.communicate()}")

    @property
    def _environment(self) -> dict[str, str]:
        return CLEAN | {"GOSSAMER_FAULTS": json.dumps({"clock": self.ahead})}


def path_of(url: str) -> str:
    """Return the path of a URL."""
    return urlsplit(url).path


@contextmanager
def living_crawl(place: Path, *options: object, hosts: int = 1) -> Iterator[Living]:
    """Serve living hosts for a while, with a crawl of them that is not begun; the options are for that."""
    with simweb_running(place, hosts=1, pages=1, plain=True, living=hosts) as web:
        living = Living(place / "crawl", web, options)
        try:
            yield living
        finally:
            if living.crawler is not None:
                living.crawler.kill()
                living.crawler.communicate()
