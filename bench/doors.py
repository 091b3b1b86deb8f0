"""The server beside a crawl at full speed: how soon it answers, what that costs the crawl, how much memory it takes.

A crawl runs bare and with a server that is asked 20 times a second and has two live streams, in turns; what is compared are
pages for a CPU-second of the crawl's own processes, so that neighbours on the machine disturb both alike. Questions are of two
kinds: those answered from what is kept, and those that the crawl's node is asked. `--full` watches memory for an hour.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from shutil import copytree
from time import monotonic, perf_counter, sleep
from urllib.parse import urlsplit

from bench import measure, serve
from bench.table import Column, Row, Table

RATE = 20.0  # requests a second
KEPT = ("api/v1/pages?limit=50", "api/v1/pages?outcome=ok&limit=50", "api/v1/jobs", "metrics")
ASKED = ("api/v1/stats", "api/v1/domains?limit=50", "api/v1/urls/pending", "api/v1/workers")
GOSSAMER = (sys.executable, "-m", "gossamer")
JOBS, STREAMS = 10, 20
COLUMNS = (Column("what", "what"), Column("bar", "bar"), Column("reached", "reached"))


def tables(scale: str) -> list[Table]:
    """Measure all of it."""
    pairs, pages = {"quick": (1, 2_000)}.get(scale, (5, 9_000))
    seconds = {"quick": 10.0, "usual": 60.0, "full": 3600.0}[scale]
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, serve.running("--tree", pages) as server:
        bare, beside, times = [], [], {kind: list[float]() for kind in ("kept", "asked")}
        for number in range(pairs):
            print(f"  pair {number + 1} of {pairs} ...", flush=True)
            bare.append(_crawled(server, Path(place), f"bare-{number}"))
            with _served(Path(place)) as door, _asking(door, f"beside-{number}", times):
                beside.append(_crawled(server, Path(place), f"beside-{number}"))
        rows = [_answers(times["kept"], "from pulse or catalog", 150), _answers(times["asked"], "the node is asked", 300)]
        cost = statistics.median(1 - after / before for before, after in zip(bare, beside, strict=True))
        rates = " -> ".join(", ".join(f"{rate:,.0f}" for rate in found) for found in (bare, beside))
        figures = f"{100 * cost:+.1f} % ({rates})"
        rows.append({"what": "cost to the crawl, pages/CPU-s, median of pairs", "bar": "3 %", "reached": figures})
        rows += _memory(Path(place), seconds)
    rows.append({"what": "gossamer --help, CPU, least of 5", "bar": "not slower", "reached": f"{_help():.2f} s"})
    notes = [f"{pairs} pairs of {pages:,} pages, {RATE:g} requests/s mixed, 2 streams; memory over {seconds:g} s"]
    return [Table("doors: a server beside a crawl at full speed", COLUMNS, rows, notes)]


def _crawled(server: serve.Running, place: Path, name: str) -> float:
    """Crawl everything; return pages for a CPU-second of the crawl."""
    words = [*GOSSAMER, "crawl", server.url(), "--dir", str(place / "home" / name), "--delay", "0", "--connections", "16"]
    words += ["--allow-private", "127.0.0.0/8", "--set", "scope.max_depth=1000", "--json", "--quiet"]
    usage = measure.run(words, place=place, timeout=1_200)
    pages: int = json.loads((place / "output.txt").read_text().splitlines()[-1])["pages"]
    return pages / usage.cpu_seconds


class Door:
    """A server in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", url: str, token: str) -> None:
        self.process = process
        self.port = urlsplit(url).port or 0
        self.headers = {"Authorization": f"Bearer {token}"}

    def connect(self) -> HTTPConnection:
        """Open a connection."""
        return HTTPConnection("127.0.0.1", self.port, timeout=60)

    def resident(self) -> float:
        """Return its memory, in megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024 / measure.MEGABYTE
        return 0.0


@contextmanager
def _served(place: Path) -> Iterator[Door]:
    (place / "home").mkdir(parents=True, exist_ok=True)
    words = [*GOSSAMER, "serve", str(place / "home"), "--port", "0", "--json", "--set", "serve.rate=1000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield Door(process, **json.loads(process.stdout.readline()))
        finally:
            process.terminate()


@contextmanager
def _asking(door: Door, job: str, times: dict[str, list[float]]) -> Iterator[None]:
    """Ask 20 times a second, and watch, until the block ends; a question before there is a crawl does not count."""
    over = threading.Event()

    def ask() -> None:
        questions = [(kind, path) for pair in zip(KEPT, ASKED, strict=True) for kind, path in zip(times, pair, strict=True)]
        with closing(door.connect()) as connection:
            number = 0
            while not over.wait(1 / RATE):
                kind, path = questions[number % len(questions)]
                number += 1
                named = path if path in ("metrics", "api/v1/jobs") else f"{path}{'&' if '?' in path else '?'}job={job}"
                began = perf_counter()
                connection.request("GET", f"/{named}", headers=door.headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    times[kind].append(perf_counter() - began)

    threads = [threading.Thread(target=ask)]
    threads += [threading.Thread(target=_watch, args=(door, job, over)) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _watch(door: Door, job: str, over: threading.Event) -> None:
    """Read a live stream until it is over; one of a crawl that is not there yet is asked for again."""
    while not over.wait(0.2):
        with closing(door.connect()) as connection, suppress(OSError):
            connection.timeout = 2
            connection.request("GET", f"/api/v1/events?job={job}&kinds=pulse", headers=door.headers)
            answer = connection.getresponse()
            while answer.status == 200 and not over.is_set() and answer.readline():
                pass


def _answers(times: list[float], what: str, bar: int) -> Row:
    ordered = sorted(times)
    p50, p99 = (1000 * ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0 for share in (0.5, 0.99))
    reached = f"p50 {p50:.0f} ms, p99 {p99:.0f} ms of {len(ordered):,}"
    return {"what": f"answers under a crawl at full speed, {what}", "bar": f"p50 15 ms, p99 {bar} ms", "reached": reached}


def _memory(place: Path, seconds: float) -> list[Row]:
    """Watch a server that is idle, and one with 10 jobs and 20 streams."""
    with _served(place / "idle") as door:
        idle = door.resident()
    home = place / "many"
    for number in range(JOBS):
        copytree(
            place / "home" / "bare-0", home / "home" / f"job-{number}", ignore=lambda _, names: {"control.sock"} & set(names)
        )
    over = threading.Event()
    with _served(home) as door:
        threads = [threading.Thread(target=_watch, args=(door, f"job-{n % JOBS}", over)) for n in range(STREAMS)]
        for thread in threads:
            thread.start()
        until, seen = monotonic() + seconds, [door.resident()]
        while monotonic() < until:
            sleep(min(seconds / 10, 60))
            seen.append(door.resident())
        over.set()
        for thread in threads:
            thread.join()
    many = f"{seen[len(seen) // 3]:.0f} MB after a third, {seen[-1]:.0f} MB at the end"
    return [
        {"what": "memory of an idle server", "bar": "80 MB", "reached": f"{idle:.0f} MB"},
        {"what": f"memory with {JOBS} jobs and {STREAMS} streams", "bar": "110 MB, no growth", "reached": many},
    ]


def _help() -> float:
    program = "import subprocess, resource, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
    program += "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime)"
    told = [
        subprocess.run([sys.executable, "-c", program, *GOSSAMER, "--help"], capture_output=True, check=True) for _ in range(5)
    ]
    return min(float(one.stdout) for one in told)
