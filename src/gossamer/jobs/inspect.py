"""Power tools: what the crawler would do with one URL, one robots.txt, one page, one request."""

import asyncio
from math import inf
from typing import Any

import uvloop
from msgspec import Struct

from gossamer.assemble import make_processors, memory_robots, open_requests, robots_rules
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.errors import UsageError
from gossamer.jobs.plain import plain
from gossamer.joints.robots import Robots
from gossamer.readers.document import document_of
from gossamer.records.entry import Entry as FrontierEntry
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.page import Extract
from gossamer.records.reason import Reason
from gossamer.url.host import registrable_domain
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse
from gossamer.visit.request import Requests
from gossamer.visit.settle import outcome_of

ROBOTS_TURNS = 20  # more than any chain of redirects and retries may take


class UrlInspector:
    """Says what becomes of a URL."""

    def __init__(self) -> None:
        self._keys = KeyRules()

    def __call__(self, text: str, base: str | None = None) -> dict[str, Any]:
        url = parse(text, base)
        return {"wire": url.wire, "key": self._keys.key(url), "host": url.host, "domain": registrable_domain(url.host)}


def judge_robots(text: str | bytes, agent: str, url: str) -> dict[str, Any]:
    """Say what a robots.txt means for a URL."""
    rules = robots_rules(text, Settings())
    allowed, rule = rules.judge(parse(url).wire, agent)
    return {"allowed": allowed, "rule": rule, "delay": rules.delay(agent)}


class LinkReader:
    """Reads the links of pages."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._processors = make_processors(self._settings)

    def __call__(self, content: bytes, base: str, content_type: str) -> dict[str, Any]:
        extract = self.extract(content, base, content_type)
        return {
            "links": [plain(link) for link in extract.links],
            "title": extract.title,
            "directives": plain(extract.directives),
        }

    def extract(self, content: bytes, base: str, content_type: str) -> Extract:
        """Return everything a processor finds; nothing for a type that has none."""
        headers = (("content-type", content_type),)
        page = Fetched(url=parse(base).wire, outcome=Outcome.OK, status=200, headers=headers, body=Body.of(content))
        document = document_of(page, self._settings.fetch.max_decoded)
        processor = self._processors.get(document.mime)
        return processor.process(document) if processor else Extract()


class Got(Struct, frozen=True):
    """One fetch, decoded."""

    fetched: Fetched
    outcome: Outcome
    content: bytes = b""
    mime: str = ""


def fetch_one(url: str, settings: Settings) -> Got:
    """Send one request, after asking robots.txt."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_fetch_one(url, settings))


def ask_robots(url: str, agent: str, settings: Settings) -> dict[str, Any]:
    """Fetch a host's robots.txt and judge a URL by it."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_ask_robots(url, agent, settings))


async def _fetch_one(url: str, settings: Settings) -> Got:
    clock = SystemClock()
    lease = lease_for(url, settings)
    async with open_requests(settings, clock) as requests:
        verdict = await consult(memory_robots(settings), requests, lease, requests.agent(lease), settings)
        if not verdict.allowed and verdict.sent:
            raise UsageError(f"robots.txt forbids {url}: {verdict.rule}; pass --ignore-robots if the site is yours")
        fetched = await requests.send(lease.entry.url, lease, files=True)
        document = document_of(fetched, max(settings.fetch.max_decoded, fetched.body.size))
        return Got(fetched, outcome_of(fetched), document.content, document.mime)


async def _ask_robots(url: str, agent: str, settings: Settings) -> dict[str, Any]:
    async with open_requests(settings, SystemClock()) as requests:
        verdict = await consult(memory_robots(settings), requests, lease_for(url, settings), agent, settings)
        return {"allowed": verdict.allowed, "rule": verdict.rule, "delay": verdict.delay}


class Asked(Struct, frozen=True):
    """The robots.txt of a host."""

    allowed: bool
    rule: str
    delay: float | None = None
    sent: bool = True  # False: the host cannot be contacted at all


async def consult(robots: Robots, requests: Requests, lease: Lease, agent: str, settings: Settings) -> Asked:
    """Ask until robots.txt is known or out of reach, keeping the pace."""
    clock, delay = SystemClock(), None
    for _ in range(ROBOTS_TURNS):
        consultation = await robots.consult(lease.entry.url, agent, clock.now())
        if consultation.verdict != "ask":
            return Asked(consultation.verdict == "allowed", _text(consultation.reason), delay)
        fetched = await requests.send(consultation.ask, lease)
        learned = await robots.learn(lease.entry.url, fetched, agent, settings.politeness.delay, clock.now())
        delay = learned.delay
        if learned.block_until or not fetched.sent:
            return Asked(False, _text(learned.reason), sent=fetched.sent)
        await asyncio.sleep(settings.politeness.delay)
    return Asked(False, "robots.txt redirects without end")


def _text(reason: Reason | None) -> str:
    return reason.text if reason is not None else ""


def lease_for(url: str, settings: Settings) -> Lease:
    """Return a lease for a single request outside any crawl."""
    parsed = parse(url)
    entry = FrontierEntry(url=parsed.wire, key=parsed.wire, host=parsed.host)
    now = SystemClock().now()
    return Lease(token=0, worker="", entry=entry, leased_at=now, until=inf, delay=settings.politeness.delay)


def fetched_facts(got: Got) -> dict[str, Any]:
    """Return a fetch as plain values."""
    fetched = got.fetched
    return {
        "url": fetched.url,
        "outcome": got.outcome.value,
        "detail": fetched.detail,
        "status": fetched.status,
        "type": got.mime,
        "address": fetched.address,
        "wire_bytes": fetched.body.size,
        "bytes": len(got.content),
        "truncated": fetched.truncated,
        "first_byte": round(fetched.answered - fetched.started, 6),
        "seconds": round(fetched.ended - fetched.started, 6),
        "headers": fetched.headers,
    }
