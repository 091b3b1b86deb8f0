"""Serves the living hosts over HTTP/1.1 on one port of loopback, and their clock on another.

A request that is conditional is answered as RFC 9110, section 13, asks: If-None-Match decides if it is there, If-Modified-Since
otherwise; 304 repeats the validators. The ledger's line of each answer names the version it carried, and whether the request
was conditional. The clock is no part of the web, so what is asked of it is not in the ledger:

    GET /advance/86400      sets the web's time a day forward; the answer is that time, in seconds since the web began
    GET /down/HOST          lets a host answer everything with 500; GET /up/HOST lets it be well again
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from email.utils import formatdate, parsedate_to_datetime
from hashlib import blake2b
from math import isfinite

from gossamer.simweb.answers import WireAnswer, answer_note, assemble
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.living import write
from gossamer.simweb.living.site import HOME, LISTS, PAGES, ROBOTS, LivingSite, PageHabit
from gossamer.simweb.manifest import ManifestEntry
from gossamer.simweb.port import NOBODY, Port
from gossamer.simweb.requests import RequestHead

_LIST = PageHabit(tag=True)
_COPIES = {path: manner.copy_of for path, manner in PAGES.items() if manner.copy_of}


class WebClock:
    """The time of the living hosts: the machine's, and as much more as was asked for."""

    def __init__(self) -> None:
        self.began = time.time()
        self._started = time.monotonic()

    @property
    def time(self) -> float:
        """Seconds since the web began."""
        return time.monotonic() - self._started

    def advance(self, seconds: float) -> None:
        """Set the time forward."""
        self._started -= seconds


class ClockPort(Port):
    """Sets a clock when asked to, and lets hosts break down."""

    def __init__(self, clock: WebClock, down: set[str]) -> None:
        super().__init__(RequestLedger())
        self._clock = clock
        self._down = down

    def reply(self, request: RequestHead) -> WireAnswer:
        _, order, value = f"{request.path}/".split("/", 2)
        match order:
            case "advance":
                return self._advance(value.rstrip("/"))
            case "down":
                self._down.add(value.rstrip("/"))
            case "up":
                self._down.discard(value.rstrip("/"))
            case _:
                return NOBODY
        return answer_note(200)

    def _advance(self, text: str) -> WireAnswer:
        try:
            seconds = float(text)
        except ValueError:
            return answer_note(400)
        if not isfinite(seconds) or seconds < 0:
            return answer_note(400)
        self._clock.advance(seconds)
        return assemble(200, [("Content-Type", "text/plain")], f"{self._clock.time:.3f}\n".encode())


class LivingPort(Port):
    """The living hosts, listening."""

    def __init__(self, sites: Iterable[LivingSite], ledger: RequestLedger, clock: WebClock) -> None:
        super().__init__(ledger)
        self.sites = {site.host: site for site in sites}
        self.down: set[str] = set()  # hosts that are not well
        self._clock = clock
        self._ticks: Counter[tuple[str, str]] = Counter()  # answers of each ticking page

    @property
    def seeds(self) -> list[str]:
        """Where a crawl of them begins."""
        return [f"{self._origin(site)}{HOME}" for site in self.sites.values()]

    def entries(self) -> Iterator[ManifestEntry]:
        """Say how every URL ends."""
        for site in self.sites.values():
            origin = self._origin(site)
            for path in (HOME, *PAGES, *LISTS):
                group = _COPIES.get(path, path) if path in (*_COPIES, *_COPIES.values()) else ""
                yield ManifestEntry(
                    url=origin + path,
                    host=site.host,
                    fetch=True,
                    outcome="duplicate" if group else "ok",
                    status=200,
                    group=f"{site.host}{group}" if group else "",
                    requests_max=1,
                    title=site.words(path, 1)[0] if path not in LISTS else "",
                    found_by="seed" if path == HOME else origin + HOME,
                )

    def reply(self, request: RequestHead) -> WireAnswer:
        site, path = self.sites.get(request.host), request.path
        if site is None:
            return NOBODY
        if site.host in self.down:
            return answer_note(500)
        if path == ROBOTS:
            return assemble(200, [("Content-Type", write.content_type(path))], write.robots(self._origin(site)))
        if path in LISTS:
            return self._list(site, request)
        manner = site.manner(path)
        return NOBODY if manner is None else self._page(site, manner, request)

    def _page(self, site: LivingSite, manner: PageHabit, request: RequestHead) -> WireAnswer:
        now = self._clock.time
        version, changed_at = site.version(request.path, now), site.changed_at(request.path, now)
        footer = ""
        if manner.ticking:
            self._ticks[site.host, request.path] += 1
            footer = f"You are visitor {self._ticks[site.host, request.path]:06d}."
        content = write.page(site, request.path, version, footer)
        return _conditional(request, manner, content, self._clock.began + changed_at, version)

    def _list(self, site: LivingSite, request: RequestHead) -> WireAnswer:
        now, origin = self._clock.time, self._origin(site)
        listed = [(path, site.changed_at(path, now)) for path, manner in PAGES.items() if manner.told == request.path]
        claims = [
            write.ListedPage(origin + path, site.words(path, 1)[0], self._clock.began + changed_at, PAGES[path].by_day)
            for path, changed_at in listed
        ]
        version = 1 + sum(site.version(path, now) - 1 for path, _ in listed)
        newest = self._clock.began + max(changed_at for _, changed_at in listed)
        return _conditional(request, _LIST, write.changes(request.path, origin, claims), newest, version)

    def _origin(self, site: LivingSite) -> str:
        return f"http://{site.host}:{self.port}"


class Living:
    """So many living hosts with their clock; none at all needs no port."""

    def __init__(self, count: int, seed: int, ledger: RequestLedger) -> None:
        clock = WebClock()
        self._pages = LivingPort([LivingSite(f"l{number:02d}", seed) for number in range(count)], ledger, clock)
        self._clock_port = ClockPort(clock, self._pages.down)
        self.hosts = tuple(self._pages.sites)

    @property
    def clock_port(self) -> int | None:
        """Where the clock listens, if there is anything for it to change."""
        return self._clock_port.port or None

    @property
    def seeds(self) -> list[str]:
        """Where a crawl of them begins."""
        return self._pages.seeds

    def entries(self) -> Iterator[ManifestEntry]:
        """Say how every URL ends."""
        return self._pages.entries()

    async def start(self, port: int = 0) -> None:
        """Listen, if there is something to be asked for."""
        if self.hosts:
            await self._pages.start(port)
            await self._clock_port.start(port and port + 1)

    async def stop(self) -> None:
        """Stop listening."""
        await self._pages.stop()
        await self._clock_port.stop()


def _conditional(request: RequestHead, manner: PageHabit, content: bytes, modified: float, version: int) -> WireAnswer:
    """Answer with the content, or that it is what the client has."""
    tag = f'"{blake2b(content, digest_size=8).hexdigest()}"' if manner.tag else ""
    headers = [("ETag", tag)] if tag else []
    if manner.dated:
        headers.append(("Last-Modified", formatdate(int(modified), usegmt=True)))
    if request.if_none_match:
        known = [each.strip().removeprefix("W/") for each in request.if_none_match.split(",")]
        is_same = bool(tag) and (tag in known or "*" in known)
    else:
        is_same = manner.dated and bool(request.if_modified_since) and int(modified) <= _seconds(request.if_modified_since)
    if is_same:
        return assemble(304, headers, b"", version=version)
    return assemble(200, [("Content-Type", write.content_type(request.path)), *headers], content, version=version)


def _seconds(date: str) -> float:
    """Read a date of a header; one that is none is before everything."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return float("-inf")
