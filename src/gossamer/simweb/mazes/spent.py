"""Reads from the ledger what a crawl of the trap zoo spent its requests on, by the zoo's own judge and no word of the crawler.

A request for robots.txt, and a probe for soft 404s, is counted apart: neither is there for content.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.simweb import ledger
from gossamer.simweb.ledger import SeenRequest
from gossamer.simweb.mazes import zoo

PROBE = "gossamer-probe-"


@dataclass
class Spent:
    """What was spent on one host, or on all of them."""

    exhibit: str
    contents: frozenset[str] = frozenset()  # all there are, of the host's exhibit
    requests: int = 0  # for content
    robots: int = 0
    probes: int = 0
    first: float = 0.0  # when the first request for content came, and the last
    last: float = 0.0
    brought: set[str] = field(default_factory=set)  # contents that came from this host first
    reached: set[str] = field(default_factory=set)  # contents of its exhibit that came from anywhere

    @property
    def wasted(self) -> int:
        """Requests that brought nothing new."""
        return self.requests - len(self.brought)

    @property
    def share(self) -> float:
        """Share of the requests for content that brought some for the first time."""
        return len(self.brought) / self.requests if self.requests else 1.0

    @property
    def coverage(self) -> float:
        """Share of the content there is that was reached."""
        return len(self.reached) / len(self.contents) if self.contents else 1.0


def spent(requests: Iterable[SeenRequest], *, mazes: str = "all", scale: float = 1.0, seed: int = 1) -> dict[str, Spent]:
    """Judge every request to a host of the zoo, in order of arrival; every host of it has its line."""
    hosts: dict[str, Spent] = {}
    exhibits: dict[str, set[str]] = {}
    for maze in zoo.choose(mazes, seed=seed, scale=scale):
        reached = exhibits.setdefault(maze.exhibit, set())
        hosts[maze.host] = Spent(maze.exhibit, frozenset(maze.contents()), reached=reached)
    for request in sorted(requests, key=lambda request: request.start):
        if request.host in hosts:
            _count(hosts[request.host], request, zoo.judge(request.host, request.path, seed=seed, scale=scale)[1])
    return hosts


def _count(line: Spent, request: SeenRequest, content: str | None) -> None:
    if request.path == "/robots.txt":
        line.robots += 1
    elif request.path.partition("?")[0].rstrip("/").rpartition("/")[2].startswith(PROBE):
        line.probes += 1
    else:
        line.first = line.first or request.start
        line.last = request.start
        line.requests += 1
        if content is not None and request.status == 200 and content not in line.reached:
            line.reached.add(content)
            line.brought.add(content)


def share(lines: Iterable[Spent]) -> float:
    """Return the share of all their requests for content that brought some for the first time."""
    known = list(lines)
    return sum(len(line.brought) for line in known) / max(1, sum(line.requests for line in known))


def table(hosts: dict[str, Spent]) -> str:
    """Write it down for a person."""
    rows = [f"{'host':26}{'requests':>9}{'own':>8}{'wasted':>8}{'share':>8}{'coverage':>10}{'robots':>8}{'probes':>8}"]
    rows += [
        f"{host.partition('.')[0]:26}{line.requests:9}{len(line.brought):8}{line.wasted:8}{line.share:8.1%}"
        f"{line.coverage:10.1%}{line.robots:8}{line.probes:8}"
        for host, line in hosts.items()
    ]
    requests, own = sum(line.requests for line in hosts.values()), sum(len(line.brought) for line in hosts.values())
    rows.append(f"{'all':26}{requests:9}{own:8}{requests - own:8}{share(hosts.values()):8.1%}")
    return "\n".join(rows)


if __name__ == "__main__":
    path, *scale = sys.argv[1:]
    sys.stdout.write(table(spent(ledger.read(Path(path)), scale=float(scale[0]) if scale else 1.0)) + "\n")
