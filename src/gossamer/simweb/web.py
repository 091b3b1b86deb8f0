"""The synthetic web itself: what is where, what links to what, what is allowed, and the exact answer to any request.

`build` makes the same web from the same settings and port. Links and contents are worked out when asked for, from the number of
a page, so that a web of a hundred thousand pages is ready at once and takes little memory.
"""

from random import Random
from urllib.parse import urlsplit

from gossamer.simweb import feeds, pages
from gossamer.simweb.answers import WireAnswer, answer_note, answer_resource
from gossamer.simweb.builder import Builder
from gossamer.simweb.exhibits.place import install
from gossamer.simweb.robots import Judgement
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import PageLink, RankedPages, Resource, SimHost
from gossamer.simweb.text import Prose

_BYTES_PER_LINK = 400
_FEWEST_LINKS = 5
_MOST_LINKS = 150
_OWN_HOST = 0.65  # share of the links that stay on their host
_OTHER_HOSTS = 0.95  # and up to here lead to pages of any host; the rest to roots


def build(settings: SimwebSettings, port: int) -> "Web":
    """Grow the web of these settings for a server on this port."""
    builder = Builder(settings, port)
    install(builder)
    return Web(settings, port, builder.hosts, builder.pool)


class Web:
    """A finished web. Nothing about it changes."""

    def __init__(self, settings: SimwebSettings, port: int, hosts: list[SimHost], pool: RankedPages) -> None:
        self.settings = settings
        self.port = port
        self.hosts = hosts
        self._by_name = {host.name: host for host in hosts}
        self._roots = [host.root for host in hosts if not host.is_apart]
        self._pool = pool
        self._prose = Prose(settings.seed)

    @property
    def seeds(self) -> list[str]:
        """The root of every host but those that only lead on, or are led to."""
        return [host.root.url for host in self.hosts if host.is_seed]

    @property
    def addresses(self) -> list[str]:
        """The loopback addresses its hosts live on."""
        return sorted({host.address for host in self.hosts})

    @property
    def overrides(self) -> list[str]:
        """What a crawler is told instead of asking DNS: name and address, joined by a colon."""
        if self.settings.addresses == 1:
            return [f"*.sim:{self.hosts[0].address}"]
        return [f"{host.name}:{host.address}" for host in self.hosts]

    def host(self, name: str) -> SimHost | None:
        """Return a host by its name in lower case."""
        return self._by_name.get(name)

    def find(self, host: str, path: str) -> Resource | None:
        """Return what a path of a host names."""
        home = self._by_name.get(host)
        return home.table.get(path) if home else None

    def lookup(self, url: str) -> Resource | None:
        """Return what a URL names, by its canonical spelling or an alias."""
        parts = urlsplit(url)
        return self.find(parts.hostname or "", url[len(f"{parts.scheme}://{parts.netloc}") :] or "/")

    def judge(self, host: str, path: str) -> Judgement:
        """Say what the host's robots.txt says about a path."""
        return self._by_name[host].robots.judge(path)

    def title(self, resource: Resource) -> str:
        """Return the title of a page, an empty text for what has none."""
        source = resource.original or resource
        if resource.kind == "listing":
            return pages.listing_title(resource)
        has_title = resource.status == 200 and resource.kind in ("page", "frames", "xhtml")
        return self._prose.title(source.language, source.number) if has_title else ""

    def links(self, resource: Resource) -> list[PageLink]:
        """Return every link a resource carries: those it must, then those chance adds to a page."""
        source = resource.original or resource
        links = self._links(source, self._chance(source))
        is_elsewhere = source is not resource and resource.links
        return resource.links + links[len(source.links) :] if is_elsewhere else links

    def answer(self, url: str) -> WireAnswer:
        """Return what is sent for a URL, once it is well, to a client that takes every content coding."""
        resource = self.lookup(url)
        return answer_note(404) if resource is None else self.answer_for(resource)

    def answer_for(self, resource: Resource, identity: bool = False) -> WireAnswer:
        """Return what is sent for a resource; `identity`: to a client that takes no content coding."""
        return answer_resource(resource, self.content(resource), identity)

    def content(self, resource: Resource) -> bytes:
        """Return a resource's content before any coding."""
        source = resource.original or resource
        rng = self._chance(source)
        match source.kind:
            case "page" | "xhtml":
                return pages.write_page(source, self._links(source, rng), self._prose, rng)
            case "frames":
                return pages.write_frames(source, source.links, self._prose)
            case "listing":
                return pages.write_listing(source)
            case "text":
                return pages.write_text(source, self._prose, rng)
            case "image":
                return pages.draw_image(source)
            case "sitemap" | "sitemap_index":
                return pages.write_sitemap(source)
            case "atom" | "rdf" | "rss":
                return feeds.write_feed(source)
            case "file":
                return pages.fill_file(source, rng)
            case "robots":
                return source.host.robots.text().encode()
            case "note":
                return f"<!DOCTYPE html>\n<title>{source.status}</title>\n<p>{source.path}</p>\n".encode()

    def _chance(self, resource: Resource) -> Random:
        """Return what all chance about a resource comes from: its links first, then its text."""
        return Random(resource.number * 1_000_003 + self.settings.seed)

    def _links(self, page: Resource, rng: Random) -> list[PageLink]:
        if page.kind not in ("page", "xhtml"):
            return page.links
        wanted = min(max(page.size // _BYTES_PER_LINK, _FEWEST_LINKS), _MOST_LINKS) - len(page.links)
        return page.links + [self._wander(page, rng) for _ in range(wanted)]

    def _wander(self, page: Resource, rng: Random) -> PageLink:
        """Let chance pick a link: to a page of a higher rank, or to a root, which every crawl knows from the start."""
        chance = rng.random()
        target = None
        if chance < _OTHER_HOSTS:
            target = (page.host.pool if chance < _OWN_HOST else self._pool).pick(rng, page.rank)
        if target is None:
            target = self._roots[int(rng.random() * len(self._roots))]
        return PageLink(_spell(page, target, rng), target)


def _spell(page: Resource, target: Resource, rng: Random) -> str:
    """Write a link's URL in one of the ways that lead to the same page."""
    chance = rng.random()
    path = target.path
    if target.aliases and chance < 0.6:
        path = target.aliases[int(chance * 1000) % len(target.aliases)]
    elif chance > 0.95:
        path += "#part"
    if page.group or (target.host is not page.host and chance < 0.9):
        return target.host.origin + path
    if target.host is not page.host:
        return target.host.origin.removeprefix("http:") + path
    folder = page.path[: page.path.rfind("/") + 1]
    if chance < 0.3 and path.startswith(folder) and len(path) > len(folder) and not (page.aliases or page.base):
        return path[len(folder) :]
    return path
