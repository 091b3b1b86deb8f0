"""What the servers saw, held against what was promised: pace, connections, robots.txt, and whose answer is whose.

A ledger is JSON lines `{"start": …, "end": …, "host": …, "path": …, "status": …}` with monotonic seconds, written by whoever
served the crawl: it knows nothing of the crawler, so it is a witness. What was sent may stand in it, too (`jobs/sent.py`).
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Protocol

from gossamer.assemble import Stores
from gossamer.jobs.sent import Answers, SentRequest, read_lines
from gossamer.records.host import HostStatus

TOLERANCE = 0.005
_ROBOTS = "/robots.txt"


class Collector(Protocol):
    """Counts and collects offenders."""

    def look(self, fault: str = "") -> None: ...

    def check(self) -> Any: ...


async def check_ledger(stores: Stores, ledger: Path, finding: Callable[[str, str], Collector]) -> AsyncIterator[Any]:
    """Check P11 to P13, and P19, against a ledger."""
    by_host = _read(ledger)
    hosts = {host.host: host async for host in stores.frontier.hosts()}
    gaps = finding("P11", "two requests to a host are at least its delay apart")
    overlaps = finding("P12", "no host has more requests at once than allowed")
    for host, requests in by_host.items():
        status = hosts.get(host)
        _look_at_gaps(gaps, host, requests, *_delays(stores, status))
        _look_at_overlaps(
            overlaps, host, requests, status.max_connections if status else stores.settings.politeness.connections
        )
    yield gaps.check()
    yield overlaps.check()
    yield await _disallowed(stores, by_host, finding("P13", "no path that robots.txt disallows was requested"))
    answers = Answers(chain.from_iterable(by_host.values()), ledger)
    yield await _misattributed(stores, answers, finding("P19", "what is kept is what the server sent for that very request"))


def _delays(stores: Stores, status: HostStatus | None) -> tuple[float, float]:
    """Return the delay before robots.txt was read, and after: Crawl-delay counts, an operator's pace instead of the crawl's."""
    polite = stores.settings.politeness
    if status is None:
        return polite.delay, polite.delay
    floor = 1 / status.policy.max_qps if status.policy.max_qps else polite.delay
    return floor, max(floor, min(status.clock.robots_delay, polite.max_robots_delay))


def _read(ledger: Path) -> dict[str, list[SentRequest]]:
    by_host: dict[str, list[SentRequest]] = defaultdict(list)
    for seen in read_lines(ledger, SentRequest, "ledger"):
        by_host[seen.host].append(seen)
    for requests in by_host.values():
        requests.sort(key=lambda seen: seen.start)
    return by_host


def _look_at_gaps(finding: Collector, host: str, requests: list[SentRequest], unread: float, read: float) -> None:
    delay = unread  # who was killed with the first robots.txt in its hands asks for it again, and cannot know better
    for one, two in pairwise(requests):
        if two.path != _ROBOTS:
            delay = read
        gap = two.start - one.start
        close = gap < delay - TOLERANCE
        finding.look(f"{host}: {one.path} and {two.path} are {gap:.4f} s apart, not {delay:g}" if close else "")


def _look_at_overlaps(finding: Collector, host: str, requests: list[SentRequest], allowed: int) -> None:
    under_way: list[SentRequest] = []
    for seen in requests:
        under_way = [one for one in under_way if one.end > seen.start]
        under_way.append(seen)
        many = len(under_way) > allowed
        finding.look(f"{host}: {len(under_way)} requests at once, not {allowed}: {seen.path}" if many else "")


async def _disallowed(stores: Stores, by_host: dict[str, list[SentRequest]], finding: Collector) -> Any:
    origins: dict[str, str] = {}
    async for known in stores.frontier.known():
        scheme, _, rest = known.entry.url.partition("://")
        origins.setdefault(known.entry.host, f"{scheme}://{rest.partition('/')[0]}")
    for host, requests in by_host.items():
        for seen in requests:
            if seen.path == _ROBOTS or host not in origins:
                continue
            verdict = await stores.robots.peek(origins[host] + seen.path, stores.user_agent, stores.clock.now())
            reason = verdict.reason
            is_denied = (
                verdict.verdict == "denied" and reason is not None and "line" in reason.facts
            )  # else it was out of reach
            finding.look(f"{host}{seen.path} was requested, but {reason.text}" if is_denied and reason else "")
    return finding.check()


async def _misattributed(stores: Stores, answers: Answers, finding: Collector) -> Any:
    async for capture, digest in stores.archive.captures():
        fault = answers.fault(capture, digest)
        if fault is not None:
            finding.look(fault)
    return finding.check()
