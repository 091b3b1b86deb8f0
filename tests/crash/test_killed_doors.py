"""Sudden death of a server, a crawl's node, a worker of it and a keeper, in turns, while somebody changes things through REST.

What was acknowledged is written down here, outside of everything that dies. At the end none of it may be missing, and none may
be there twice. Whoever writes asks again with the same Idempotency-Key until it is answered.
"""

import http.client
import itertools
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from crawling import Simweb, run_gossamer, simweb_running
from doors import Door, serving

KILLS = int(os.environ.get("GOSSAMER_SOAK_DOOR_KILLS", "4"))
VICTIMS = ("server", "node", "worker", "keeper")
LET = ("--let", "fetch.allow_private", "--let", "dns.overrides")
SETTINGS = {
    "fetch.allow_private": ["127.0.0.0/8"],
    "dns.overrides": ["*.sim:127.0.0.1"],
    "politeness.delay": 1,
    "crawl.workers": 2,
}
PATIENCE = 60.0
SEEDS_A_KILL = 3  # writes of each kind that are acknowledged between two kills
PAUSED, BLOCKED, PACED = "h0.sim", "h1.sim", "h2.sim"


def until(holds: Callable[[], Any], what: str) -> Any:
    """Return what a condition comes to when it holds."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for: {what}"
        time.sleep(0.05)
    return found


class Home:
    """A home with one job, and the server beside it, which is started again when it dies."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.directory = place / "job"
        self._stack = ExitStack()
        self.open()

    def open(self) -> None:
        """Start a server."""
        self.door: Door = self._stack.enter_context(serving(self.place, *LET))

    def close(self) -> None:
        """Stop all servers."""
        self._stack.close()

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        """Ask until it is answered, whatever dies meanwhile; return the body of a good answer."""
        headers = {"Idempotency-Key": key} if key else {}

        def answered() -> tuple[Any] | None:
            try:
                answer = self.door.ask(method, f"api/v1/{path}", body, headers=headers, timeout=15)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                return None
            if answer.status in (409, 429, 500, 503):  # of these only what passes: a run that begins, a crawl that is silent
                assert answer.status != 500, answer.body
                return None
            assert answer.status < 300, (method, path, answer.status, answer.body)
            return (answer.body,)

        return until(answered, f"{method} {path} is answered")[0]

    def holder(self) -> tuple[int, str] | None:
        """Return the process that holds the crawl, and its role, by the kernel's own list of locks."""
        try:
            number = (self.directory / "lock").stat().st_ino
            pid, _, role = (self.directory / "lock").read_text().strip().partition(" ")
        except FileNotFoundError:
            return None
        held = any(f":{number} " in line and line.split()[4] == pid for line in Path("/proc/locks").read_text().splitlines())
        return (int(pid), role) if held else None

    def held_as(self, role: str) -> int:
        """Return the process that holds the crawl in a role; 0: none does."""
        found = self.holder()
        return found[0] if found is not None and found[1] == role else 0


def place_of(lesson: dict[str, Any]) -> str:
    """Return the path of a lesson."""
    return "lessons/" + "/".join(quote(lesson[part], safe="") for part in ("host", "kind", "name"))


class Writer(threading.Thread):
    """Changes things through REST, one after the other, and remembers what was acknowledged."""

    def __init__(self, home: Home, port: int) -> None:
        super().__init__(daemon=True)
        self._home = home
        self._port = port
        self._end = threading.Event()
        self.failure: BaseException | None = None
        self.seeds: list[str] = []
        self.paused = self.blocked = False
        self.pace = 0.0
        self.lesson = ""  # the place of one, once something was learned
        self.ruling = "none"
        self.written = 0

    def run(self) -> None:
        try:
            for number in itertools.count():
                if self._end.is_set():
                    return
                self._write(number)
                self.written += 1
        except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
            self.failure = error

    def _write(self, number: int) -> None:
        ask = self._home.ask
        seed = f"http://h3.sim:{self._port}/extra/{number}"
        answer = ask("POST", "urls/seed?job=job", {"urls": [seed]}, f"seed-{number}")
        assert not answer["refused"], answer
        self.seeds.append(seed)
        ask("POST", f"domains/{PAUSED}/{'resume' if self.paused else 'pause'}?job=job", None, f"pause-{number}")
        self.paused = not self.paused
        if self.blocked:
            ask("DELETE", f"domains/{BLOCKED}/block?job=job")
        else:
            ask("PUT", f"domains/{BLOCKED}/block?job=job", {"reason": "a test"})
        self.blocked = not self.blocked
        pace = 0.1 + number % 7 / 10
        ask("PUT", f"domains/{PACED}/policy?job=job", {"max_qps": pace})
        self.pace = pace
        if not self.lesson:
            self.lesson = until(self._learned, "something is learned")
        ruling = ("allow", "block", "none")[number % 3]
        ask("PUT", f"{self.lesson}?job=job", {"ruling": ruling})
        self.ruling = ruling

    def _learned(self) -> str:
        """Return the place of a lesson above which a word can be put."""
        found = [one for one in self._home.ask("GET", "lessons?job=job")["items"] if one["ruling"]]
        return place_of(found[0]) if found else ""

    def stop(self) -> None:
        """End when what is under way is acknowledged."""
        self._end.set()
        self.join(2 * PATIENCE)
        assert not self.is_alive() and self.failure is None, self.failure


@contextmanager
def begun(place: Path) -> Iterator[tuple[Home, Simweb]]:
    (place / "home").mkdir()
    with simweb_running(place, hosts=4, pages=4_000) as web:
        home = Home(place / "home")
        try:
            body = {"urls": web.seeds.read_text().split(), "name": "job", "settings": SETTINGS}
            home.ask("POST", "crawl/submit", body, "submit")
            until(lambda: home.held_as(""), "the job runs")
            yield home, web
        finally:
            home.close()
            if (found := home.holder()) is not None:
                os.kill(found[0], signal.SIGKILL)


def strike(home: Home, victim: str) -> None:
    """Kill a process, and see to it that things go on."""
    if victim == "server":
        home.door.process.send_signal(signal.SIGKILL)
        home.door.process.wait(10)
        home.open()
    elif victim == "node":
        home.ask("POST", "jobs/job/start")
        os.kill(until(lambda: home.held_as(""), "a process runs the job"), signal.SIGKILL)
    elif victim == "worker":
        home.ask("POST", "jobs/job/start")
        working = until(lambda: home.held_as("") and home.ask("GET", "workers?job=job")["items"], "the job has workers")
        os.kill(working[0]["pid"], signal.SIGKILL)
    else:
        home.ask("POST", "jobs/job/stop")
        os.kill(until(lambda: home.held_as("keeper"), "a keeper answers for the stopped job"), signal.SIGKILL)
        home.ask("POST", "jobs/job/start")


def test_nothing_that_was_acknowledged_is_missing_or_there_twice_whoever_is_killed(tmp_path: Path) -> None:
    chance = random.Random(18)
    victims = [*VICTIMS, *chance.choices(VICTIMS, k=max(KILLS - len(VICTIMS), 0))][:KILLS]
    with begun(tmp_path) as (home, web):
        writer = Writer(home, web.port)
        writer.start()
        for victim in victims:
            before = writer.written
            until(lambda before=before: writer.failure or writer.written > before + chance.random(), "writes are acknowledged")
            strike(home, victim)
        until(lambda: writer.failure or writer.written >= SEEDS_A_KILL * KILLS // 2, "the last writes are acknowledged")
        writer.stop()
        home.ask("POST", "jobs/job/stop")
        until(lambda: home.ask("GET", "jobs/job")["state"] == "stopped", "the job stops")
        told = home.ask("POST", "urls/explain?job=job", {"urls": writer.seeds[:100]})
        hosts = {name: home.ask("GET", f"domains/{name}?job=job") for name in (PAUSED, BLOCKED, PACED)}
        status = home.ask("GET", "crawl/status/job")
        lessons = home.ask("GET", "lessons?job=job&limit=200")["items"]
    lines = [line for line in (home.directory / "seeds.txt").read_text().splitlines() if "/extra/" in line]
    assert lines == writer.seeds, "seeds are missing, or there twice"
    assert [one["url"] for one in told["items"] if one["state"] == "unknown"] == []
    assert hosts[PAUSED]["paused"] is writer.paused
    assert hosts[BLOCKED]["blocked"] is writer.blocked
    assert hosts[PACED]["policy"]["max_qps"] == writer.pace
    assert writer.ruling in [one["ruling"] for one in lessons if place_of(one) == writer.lesson]
    assert status["politeness_violations"] == 0
    assert json.loads((home.directory / "job.json").read_text())["wanted"] == "stopped"
    assert [each.name for each in home.place.iterdir() if each.is_dir()] == ["job"]
    verified = run_gossamer("verify", home.directory)
    assert verified.returncode == 0, verified.stdout
