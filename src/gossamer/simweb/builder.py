"""Grows the ordinary part of a synthetic web: hosts of every role, and on each a tree of pages with their sizes and dress.

Every ordinary page is found by following its tree from the host's root, so the closure never depends on the links that chance
adds later. What is special comes from `exhibits`, which use `add`. Randomness comes only from the seed.
"""

from random import Random
from typing import Any

from gossamer.simweb.robots import RobotsFile, RobotsKind
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import HIGHEST_RANK, LinkKind, PageLink, RankedPages, Resource, Role, SimHost
from gossamer.simweb.text import LANGUAGES
from gossamer.simweb.words import NOUNS

# The roles of fifty hosts; further hosts begin again. Every role is among the first eleven.
_FIRST_ROLES: tuple[Role, ...] = (
    "open", "rules", "missing", "pace", "deny", "unreachable", "moved", "elsewhere", "oversized", "groups", "slow",
)  # fmt: skip
_LATER_ROLES: dict[int, Role] = {12: "rules", 15: "missing", 20: "rules", 25: "slow", 30: "rules", 35: "pace", 45: "missing"}
_ROUND = 50
# Hosts that are slow, or that nobody gets pages from, stay small: a whole crawl should take seconds.
_MOST_PAGES: dict[Role, int] = {"deny": 4, "unreachable": 4, "slow": 10, "pace": 24}
PERCH_RANK = 2  # the highest rank of a page that something special hangs from
ROBOTS_PATH = "/robots.txt"
_MOST_CHILDREN = 100
_BYTES_PER_LINK = 150  # room a page needs for each link it must carry
_BYTES_OF_FRAME = 1_500  # and for everything else that is not text


class Builder:
    """A web under construction."""

    def __init__(self, settings: SimwebSettings, port: int) -> None:
        self.settings = settings
        self.rng = Random(f"{settings.seed}/web")
        self._count = 0
        self.hosts = self._name_hosts(port)
        for host, pages in zip(self.hosts, self._apportion(), strict=True):
            self._grow(host, pages)
        everything = [page for host in self.hosts for page in host.pages]
        self.rng.shuffle(everything)
        self.pool = RankedPages(everything)

    def add(
        self,
        parent: Resource | None,
        path: str,
        *,
        host: SimHost | None = None,
        link: LinkKind = "anchor",
        href: str = "",
        nofollow: bool = False,
        **fields: Any,
    ) -> Resource:
        """Add a resource, and the one link to it to its parent; `fields` are the resource's own."""
        home = host or (parent.host if parent else self.hosts[0])
        fields.setdefault("rank", parent.rank + 1 if parent else 0)
        fields.setdefault("size", self.size(at_most=20_000))
        resource = Resource(home, path, self._count, **fields)
        self._count += 1
        for name in (path, *resource.aliases):
            if home.table.setdefault(name, resource) is not resource:
                raise ValueError(f"{home.origin}{name} is there twice; give the second another path")
        if parent is not None:
            self.link(parent, resource, kind=link, href=href, nofollow=nofollow)
        return resource

    def link(
        self, source: Resource, target: Resource, *, kind: LinkKind = "anchor", href: str = "", nofollow: bool = False
    ) -> None:
        """Let a page carry a link for certain, and give it room for that."""
        same_host = source.host is target.host
        source.links.append(PageLink(href or (target.path if same_host else target.url), target, kind, nofollow))
        source.size = max(source.size, _BYTES_OF_FRAME + _BYTES_PER_LINK * len(source.links))

    def perch(self, host: SimHost) -> Resource:
        """Pick an ordinary page near the host's root, for something special to hang from."""
        near = [page for page in host.pages[:20] if page.rank <= PERCH_RANK]
        return self.rng.choice(near)

    def size(self, at_most: int | None = None) -> int:
        """Draw a page size by a power law between the settings' bounds."""
        least, most = self.settings.min_bytes, self.settings.max_bytes
        if at_most is not None:
            most = max(least, min(most, at_most))
        return int(least * most / (most - self.rng.random() * (most - least)))

    def _name_hosts(self, port: int) -> list[SimHost]:
        settings = self.settings
        roles = [_role(position, settings.plain) for position in range(settings.hosts)]
        self.rng.shuffle(roles)
        hosts = []
        for number, role in enumerate(roles):
            name = f"h{number:04d}.sim"
            address = f"127.0.0.{number % settings.addresses + 1}"
            hosts.append(SimHost(name, f"http://{name}:{port}", address, role, self._robots(role)))
        ruled = [host for host in hosts if host.role == "rules"]
        for host in hosts:
            if host.role == "moved":
                host.robots.location = "/robots-moved.txt"
            elif host.role == "elsewhere":
                host.robots.target, host.robots.location = ruled[0].robots, f"{ruled[0].origin}/robots.txt"
        return hosts

    def _robots(self, role: Role) -> RobotsFile:
        kind: RobotsKind = "allow" if role in ("open", "slow") else role  # type: ignore[assignment]
        delay = round(self.rng.uniform(0.1, 0.2), 2) if role == "pace" else 0.0
        return RobotsFile(kind, delay)

    def _apportion(self) -> list[int]:
        """Divide the pages among the hosts: small ones as they must be, the others unevenly."""
        mean = self.settings.pages / self.settings.hosts
        counts = [max(1, min(_MOST_PAGES.get(host.role, 0), int(mean))) for host in self.hosts]
        large = [index for index, host in enumerate(self.hosts) if host.role not in _MOST_PAGES]
        weights = [0.7 + 0.6 * self.rng.random() for _ in large]
        left, given, weight_so_far = self.settings.pages - sum(counts), 0, 0.0
        for index, weight in zip(large, weights, strict=True):
            weight_so_far += weight
            share = round(left * weight_so_far / sum(weights)) - given
            counts[index] += share
            given += share
        return counts

    def _grow(self, host: SimHost, count: int) -> None:
        """Grow the tree of a host; pages that came first have more children, by a power law."""
        host.pages.append(self.add(None, "/", host=host, size=self.size(), **self._dress()))
        while len(host.pages) < count:
            parent = self._parent(host.pages)
            size, dress = self.size(), self._dress()
            path = self._path(parent)
            host.pages.append(self.add(parent, path, size=size, aliases=same_page(path), **dress))
        host.pool = RankedPages(host.pages)
        self.publish_robots(host)

    def found(self, name: str) -> SimHost:
        """Return a host of its own that lets everybody in; it is part of the web when it is among its hosts."""
        first = self.hosts[0]
        origin = first.origin.replace(first.name, name)
        host = SimHost(name, origin, first.address, "open", RobotsFile("allow", 0.0), is_apart=True)
        self.publish_robots(host)
        return host

    def publish_robots(self, host: SimHost) -> None:
        """Put the robots file of a host where crawlers look for it."""
        robots = host.robots
        headers = (("Location", robots.location),) if robots.location else ()
        self.add(None, ROBOTS_PATH, host=host, kind="robots", status=robots.status, headers=headers)
        if robots.kind == "moved":
            self.add(None, robots.location, host=host, kind="robots")

    def _parent(self, pages: list[Resource]) -> Resource:
        place = int(len(pages) * self.rng.random() ** 2)
        while pages[place].rank >= HIGHEST_RANK or len(pages[place].links) >= _MOST_CHILDREN:
            place = (place + 1) % len(pages)
        return pages[place]

    def _path(self, parent: Resource) -> str:
        word = NOUNS[self._count % len(NOUNS)]
        if parent.rank == 0:
            return f"/{word}-{self._count}/"
        query = "?lang=en&view=full" if not self.settings.plain and self.rng.random() < 0.04 else ""
        return f"{parent.path.rpartition('/')[0]}/{word}-{self._count}.html{query}"

    def _dress(self) -> dict[str, Any]:
        """Choose how an ordinary page is written and sent."""
        if self.settings.plain:
            return {"coding": self.settings.coding}
        chance = self.rng.random()
        dress: dict[str, Any] = {}
        if chance < 0.15:
            dress["coding"] = "gzip" if chance < 0.1 else "br"
        if chance < 0.03 or 0.12 < chance < 0.2:
            dress["framing"] = "chunked"
        elif 0.95 < chance < 0.97:
            dress["framing"] = "close"
        elif chance >= 0.97:
            dress["language"] = self.rng.choice(list(LANGUAGES))
        return dress


def same_page(path: str) -> tuple[str, ...]:
    """Spell a path with a query of two parameters in ways that name the same page: another order, tracking, a session."""
    place, mark, query = path.partition("?")
    if not mark:
        return ()
    one, two = query.split("&")
    return (
        f"{place}?{two}&{one}",
        f"{place}?{one}&{two}&utm_source=mail&utm_campaign=spring",
        f"{place}?utm_medium=feed&{two}&{one}&fbclid=q7",
        f"{place}?{one}&PHPSESSID=0123456789abcdef&{two}",
    )


def _role(position: int, plain: bool) -> Role:
    if plain:
        return "open"
    place = position % _ROUND
    return _FIRST_ROLES[place] if place < len(_FIRST_ROLES) else _LATER_ROLES.get(place, "open")
