"""Say what would become of a crawl before it is begun: its first seeds are asked for as it would ask, and their links judged.

A process of its own does it (`planning.py` starts it): what is read there comes from strangers. It is polite: robots.txt first,
the delay between two requests, one seed a host. Addresses are guarded as ever.
"""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import uvloop
from msgspec import Struct

from gossamer.assemble import make_admission, memory_robots, open_requests
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.jobs.inspect import LinkReader, consult, lease_for
from gossamer.joints.robots import Robots
from gossamer.readers.document import document_of
from gossamer.records.entry import Entry, Link
from gossamer.records.fetch import Fetched
from gossamer.url.parse import Url, parse
from gossamer.visit.admit import LinkJudge
from gossamer.visit.request import Requests
from gossamer.visit.settle import outcome_of

MOST = 100  # links
HOPS = 3  # redirects that are followed


class PlanOrder(Struct, frozen=True):
    """What a child is told."""

    seeds: list[str]
    settings: str  # as JSON
    asked_for: int  # of the seeds, at most


async def plan(order: PlanOrder) -> dict[str, list[dict[str, Any]]]:
    """Return how the first seeds end, and what would become of their first links."""
    settings = Settings.model_validate_json(order.settings)
    seeds = [parse(seed) for seed in order.seeds]
    chosen = list({seed.host: seed for seed in reversed(seeds)}.values())[::-1][: order.asked_for]
    admission, robots = make_admission(settings, seeds), memory_robots(settings)
    async with open_requests(settings, SystemClock()) as requests:
        planner = _Planner(settings, admission, robots, requests)
        told = [await planner.try_seed(seed) for seed in chosen]
    return {"seeds": [row for row, _ in told], "links": [link for _, links in told for link in links][:MOST]}


class _Planner:
    def __init__(self, settings: Settings, admission: LinkJudge, robots: Robots, requests: Requests) -> None:
        self._settings = settings
        self._admission = admission
        self._robots = robots
        self._requests = requests
        self._reader = LinkReader(settings)

    async def try_seed(self, seed: Url) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Ask for a seed, and for where it leads."""
        entry = self._admission.seed(seed.wire)
        row: dict[str, Any] = {"url": seed.wire, "status": 0, "outcome": "", "reason": ""}
        for _ in range(HOPS + 1):
            if entry.refused is not None:
                return row | {"outcome": entry.refused.outcome.value, "reason": entry.refused.text}, []
            lease = lease_for(entry.url, self._settings)
            asked = await consult(self._robots, self._requests, lease, self._requests.agent(lease), self._settings)
            if not asked.allowed:
                outcome = "robots_denied" if asked.sent else "unreachable"
                return row | {"outcome": outcome, "reason": asked.rule}, []
            fetched = await self._requests.send(entry.url, lease)
            row |= {"status": fetched.status, "outcome": outcome_of(fetched).value, "reason": fetched.detail}
            target = _target(fetched)
            if target is None:
                return row, await self._judged(entry, fetched)
            row["outcome"] = "redirect"
            led = self._admission.follow(target, entry)
            if not led:
                return row, []
            entry = led[0]
            await asyncio.sleep(self._settings.politeness.delay)
        return row, []

    async def _judged(self, parent: Entry, fetched: Fetched) -> list[dict[str, Any]]:
        document = document_of(fetched, max(self._settings.fetch.max_decoded, fetched.body.size))
        extract = self._reader.extract(document.content, fetched.url, document.mime)
        entries = self._admission.admit(_first(extract.links), parent)
        return [await self._told(entry, parent) for entry in entries[:MOST]]

    async def _told(self, entry: Entry, parent: Entry) -> dict[str, Any]:
        refused = entry.refused
        told = {
            "url": entry.url,
            "kind": entry.kind.value,
            "becomes": "queued" if refused is None else "refused",
            "rule": "" if refused is None else str(refused.rule),
            "reason": "" if refused is None else refused.text,
            "priority": entry.priority.name.lower(),
            "score": entry.score,
        }
        if refused is None and entry.host == parent.host:
            lease = lease_for(entry.url, self._settings)
            consultation = await self._robots.consult(entry.url, self._requests.agent(lease), SystemClock().now())
            if consultation.verdict == "denied" and consultation.reason is not None:
                reason = consultation.reason
                told |= {"becomes": "refused", "rule": str(reason.rule), "reason": reason.text}
        return told


def _first(links: Sequence[Link]) -> Iterator[Link]:
    """Give each URL once, as it is first found."""
    seen: set[str] = set()
    for link in links:
        if link.url not in seen:
            seen.add(link.url)
            yield link


def _target(fetched: Fetched) -> str | None:
    if not 300 <= fetched.status < 400:
        return None
    location = next((value for name, value in fetched.headers if name.lower() == "location"), "")
    return parse(location, fetched.url).wire if location else None


def main() -> None:
    """Read what is to be planned from standard input, and print the plan."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=PlanOrder)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.buffer.write(msgspec.json.encode(runner.run(plan(order))))
