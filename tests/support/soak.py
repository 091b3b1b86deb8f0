"""`make soak`: mixed faults for as long as asked, one crawl after another, each compared with what must come of it.

Every crawl has a seed, which is printed: it grows the web and chooses the faults, so `python tests/support/soak.py --seed N
--cycles 1` meets a failing one again. Faults: kill -9 at a random moment, death at a named point, archive writes and syncs that
fail, fall short or tear, SIGSTOP for longer than a lease, SIGTERM twice, a bug of ours, in both modes of durability.
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from json import dumps
from pathlib import Path

import saboteur
from crawling import CLEAN, GOSSAMER, Simweb, run_gossamer, simweb_running
from faulting import BRISK, surprises

from gossamer import faults

DELAY = 0.03
LEASE = 2.0
KNOBS = [
    *(word for knob in (*BRISK, f"crawl.lease={LEASE}", f"fetch.file_timeout={LEASE * 0.9}") for word in ("--set", knob)),
    "--delay",
    str(DELAY),
    "--quiet",
]
RUNS = 6  # with a fault each, before the crawl is left to finish
LARGE = 4  # one web of so many has the default size, and with it the host that is never well
BUGS = ("study", "catalog", "graph", "settle", "lease", "leased", "robots", "listener")  # in each of them one costs nothing

Command = list[str]


class Campaign:
    """Runs crawls and counts what was done to them."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.violations: list[str] = []

    def cycle(self, seed: int, place: Path) -> None:
        """Crawl one web with faults chosen by its seed; note everything that is not as it must be."""
        chance = random.Random(seed)
        hosts, pages = (50, 2000) if seed % LARGE == 0 else (12, 240)
        with simweb_running(place, hosts=hosts, pages=pages, seed=seed, min_bytes=2_000, max_bytes=30_000) as web:
            directory = place / "crawl"
            mode = chance.choice(("durable", "fast"))
            words = ["crawl", "--dir", str(directory), *KNOBS, "--set", f"storage.durability={mode}", *web.crawl_options]
            for _ in range(RUNS):
                fault = chance.choice(FAULTS)
                self.done[fault.__name__] += 1
                fault(words, chance)
                if (directory / "crawl.json").exists():
                    words = ["resume", str(directory), "--quiet"]
            self._finish(seed, words, directory, web)

    def _finish(self, seed: int, words: Command, directory: Path, web: Simweb) -> None:
        last = run_gossamer(*words)
        found = [] if last.returncode == 0 else [f"exit code {last.returncode}: {last.stderr[-300:]}"]
        if not found:
            found = [f"{url} should end as {expected}, not {outcome}" for url, expected, outcome in surprises(directory, web)]
            verified = run_gossamer("verify", directory, "--ledger", web.ledger_file)
            found += [line for line in verified.stdout.splitlines() if line.startswith(("FAILED", " "))]
            if verified.returncode and not found:
                found.append(f"verify: exit code {verified.returncode}: {verified.stderr[-300:]}")
        self.violations += [f"seed {seed}: {what}" for what in found]


def start(words: Command, plan: dict[str, object] | None = None, **more: str) -> "subprocess.Popen[bytes]":
    """Start a command, perhaps with faults armed, or with more in its environment."""
    environment = CLEAN | ({"GOSSAMER_FAULTS": dumps(plan)} if plan else {}) | more
    return subprocess.Popen([*GOSSAMER, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def wait(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Tell whether a process ends within that time."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def kill(words: Command, chance: random.Random) -> None:
    """Kill -9 at a random moment."""
    process = start(words)
    if not wait(process, 0.5 + 1.5 * chance.random()):
        process.kill()
        process.wait()


def die_at_a_point(words: Command, chance: random.Random) -> None:
    """Die at a named point, at a random time it is reached; killed when it is not."""
    process = start(words, {"crash": {chance.choice(sorted(faults.POINTS)): chance.randint(1, 40)}})
    if not wait(process, 6):
        process.kill()
        process.wait()


def fail_to_write(words: Command, chance: random.Random) -> None:
    """Let a write or a sync of the archive or of the graph go wrong."""
    call = chance.choice(sorted(faults.CALLS))
    how = chance.choice(("EIO", "ENOSPC", "slow") if call.endswith(".sync") else sorted(faults.HOWS))
    process = start(words, {"calls": {call: {"at": chance.randint(1, 60), "how": how}}})
    if not wait(process, 8):  # a full disk pauses the crawl
        process.kill()
        process.wait()


def freeze(words: Command, chance: random.Random) -> None:
    """Stop the process for longer than a lease, let it go on for a while, and kill it."""
    process = start(words)
    if wait(process, 0.8 + chance.random()):
        return
    process.send_signal(signal.SIGSTOP)
    wait(process, LEASE * 1.5)
    process.send_signal(signal.SIGCONT)
    if not wait(process, 1.0):
        process.kill()
        process.wait()


def terminate_twice(words: Command, chance: random.Random) -> None:
    """Ask to stop, and again before it has."""
    process = start(words)
    for pause in (0.8 + chance.random(), 0.1 * chance.random()):
        if wait(process, pause):
            return
        process.terminate()
    if not wait(process, 20):
        process.kill()
        process.wait()


def meet_a_bug(words: Command, chance: random.Random) -> None:
    """Let something that nobody expects be raised once; killed after a while."""
    plan = {"place": chance.choice(BUGS), "times": 1, "after": chance.randint(0, 20), "pure": chance.random() < 0.5}
    with tempfile.TemporaryDirectory(prefix="gossamer-plugin-") as place:
        environment = {"PYTHONPATH": saboteur.install(Path(place)), saboteur.VARIABLE: dumps(plan)}
        process = start(words, **environment)
        if not wait(process, 2 + 4 * chance.random()):
            process.kill()
            process.wait()


FAULTS: list[Callable[[Command, random.Random], None]] = [
    kill, kill, die_at_a_point, fail_to_write, freeze, terminate_twice, meet_a_bug,
]  # fmt: skip


def main() -> int:
    """Run the campaign; the exit code tells whether anything was violated."""
    parser = argparse.ArgumentParser(description="Crawl with mixed faults, again and again.")
    parser.add_argument("--minutes", type=float, default=20.0, help="how long")
    parser.add_argument("--cycles", type=int, default=sys.maxsize, help="at most so many crawls")
    parser.add_argument("--seed", type=int, default=1, help="of the first crawl; the next has the next")
    options = parser.parse_args()
    campaign, until, seed = Campaign(), time.monotonic() + 60 * options.minutes, options.seed
    while time.monotonic() < until and seed < options.seed + options.cycles:
        place = Path(tempfile.mkdtemp(prefix="gossamer-soak-"))
        before = len(campaign.violations)
        campaign.cycle(seed, place)
        new = campaign.violations[before:]
        print(f"seed {seed}: {'ok' if not new else f'{len(new)} violations, kept in {place}'}", flush=True)
        for what in new[:10]:
            print(f"  {what}", flush=True)
        if not new:
            shutil.rmtree(place)
        seed += 1
    told = ", ".join(f"{name} {count}" for name, count in sorted(campaign.done.items()))
    print(f"seeds {options.seed} to {seed - 1}: {told}")
    print(f"{seed - options.seed} crawls, {len(campaign.violations)} violations")
    return 1 if campaign.violations else 0


if __name__ == "__main__":
    sys.exit(main())
