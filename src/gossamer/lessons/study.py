"""What some visits that become durable together teach: each is taken in turn, later ones see what earlier ones changed.

Nothing is changed but the study itself: what it found is written, and taken over, when the visits are (`book.py`).
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.joints.keyvalue import Pairs
from gossamer.lessons import views
from gossamer.lessons.habits import habit_after
from gossamer.lessons.phrases import Phrases
from gossamer.lessons.shelf import GROWTH, PARAMETER, PROBE, TEMPLATE, HostLessons, Name, Record, Shelf
from gossamer.lessons.variants import Shapes, Variants
from gossamer.policy import growth, parameters, soft404, templates
from gossamer.records.entry import LinkKind
from gossamer.records.evidence import Growth, Parameter, Probe, Sighting, TemplateTally, Yield
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.reason import Reason
from gossamer.records.rules import Rule
from gossamer.records.visit import Visit
from gossamer.url.fingerprint import fingerprint, hashed
from gossamer.url.parse import split

Figures = tuple[int, int, int]  # of hosts of one size: hosts, fetched, found

MOST_TEMPLATES = 2_000  # of a host
MOST_FOLDERS = 500  # of a host that are watched for their growth
MOST_PARAMETERS = 500
MOST_PROBES = 20
PHRASES_FROM = 8  # fetches of a host after which its phrases are remembered
STALE_FROM = 32  # and after which a page has to have a new one
FEWEST_WORDS = 5  # of a page that is more than a title or a caption
HOPS = 3  # redirects in a row that count as one fetch without content: one long chain is no maze
MERGING = frozenset({Rule.TRAPS_PARAMETER, Rule.TRAPS_MIRROR})  # what ends a URL as a duplicate, unfetched
SUSPICION = 3  # weight of a template that makes its directory worth a probe

_SIGHT = b"sight/"
_SIZE = b"size/"
_COPY = b"copy/"
_TEXT = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_OK, _SOFT_404, _FRESH = Outcome.OK, Outcome.SOFT_404, Yield.FRESH  # looked up for every page: an enum takes its time
_LISTS = frozenset({"application/xml", "text/xml", "application/gzip", "application/x-gzip"})
_COMPARED = (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE)
_BROUGHT = {Outcome.DUPLICATE: Yield.COPY, Outcome.NEAR_DUPLICATE: Yield.TWIN, Outcome.SOFT_404: Yield.MISSING}
_UNREAD = Rule.SCOPE_CHECK_EXTERNAL.value  # a link to another site, of which nothing is read, teaches nothing
_NO_NEWS = (Yield.COPY, Yield.TWIN)
_DOUBTFUL = (Yield.COPY, Yield.TWIN, Yield.STALE)  # what a page may bring only because another view of it came before
_NO_TALLY, _NO_GROWTH, _NOBODY = TemplateTally(), Growth(), (0, 0, 0)
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Sighting).decode
_decode_figures = msgspec.msgpack.Decoder(Figures).decode


class Sizes:
    """How many URLs hosts of each size have: a host is compared with those about as large."""

    def __init__(self, known: Mapping[int, Figures]) -> None:
        self._known = known
        self.changed: dict[int, Figures] = {}

    def move(self, before: Growth, after: Growth) -> tuple[int, int, int]:
        """Count a host at the size it has now; return the others of that size: how many, fetched, found."""
        was, size = growth.size_of(before), growth.size_of(after)
        hosts, fetched, found = self.changed.get(was) or self._known.get(was) or _NOBODY
        if was:
            hosts, fetched, found = hosts - 1, fetched - before.fetched, found - before.found
            if hosts < 0 or fetched < 0 or found < 0:  # never, if nothing is counted twice
                hosts, fetched, found = max(hosts, 0), max(fetched, 0), max(found, 0)
        if was != size:  # seldom
            if was:
                self.changed[was] = hosts, fetched, found
            hosts, fetched, found = self.changed.get(size) or self._known.get(size) or _NOBODY
        self.changed[size] = hosts + 1, fetched + after.fetched, found + after.found
        return hosts, fetched, found


async def sizes_before(kv: Pairs) -> dict[int, Figures]:
    """Return how many URLs hosts of each size had when this was last written."""
    return {key[len(_SIZE)]: _decode_figures(row) async for key, row in kv.scan(_SIZE)}


async def seen_before(kv: Pairs, place: int) -> Sighting | None:
    """Return a page as it was last seen behind some value of a parameter."""
    row = await kv.get(_SIGHT + place.to_bytes(8, "big"))
    return _decode(row) if row else None


async def is_copy(kv: Pairs, url: str, latest: Set[int]) -> bool:
    """Tell whether a page was no news but had links; `latest` are those of which that is not kept yet."""
    page = fingerprint(url)
    return page in latest or await kv.get(_COPY + page.to_bytes(8, "big")) is not None


class Study:
    """The visits of one commit."""

    def __init__(
        self,
        kv: Pairs,
        shelf: Shelf,
        phrases: Phrases,
        settings: Traps,
        fewest_words: int,
        sizes: Mapping[int, Figures],
        now: float,
    ) -> None:
        self._kv = kv
        self._shelf = shelf
        self._settings = settings
        self._fewest_words = fewest_words
        self._now = now
        self.sizes = Sizes(sizes)
        self._sightings: dict[int, Sighting] = {}
        self._barren: set[str] = set()  # hosts of visits that brought nothing
        self.copies: set[int] = set()  # pages, by the fingerprints of their URLs, that were no news and have links
        self.phrases = phrases.show()
        self.changes: dict[Name, Record] = {}
        self._variants = Variants(kv, self.changes)
        self.slow: dict[str, tuple[float, Reason]] = {}
        self.sunk: dict[int, tuple[str, float]] = {}  # visits of hosts that sink, by token: who, and how deep
        self.afloat: list[str] = []  # for each page of a host that does not, that host

    @property
    def rows(self) -> list[tuple[bytes, bytes]]:
        """The rows to store beside the changes."""
        seen = [(_SIGHT + place.to_bytes(8, "big"), _encode(sighting)) for place, sighting in self._sightings.items()]
        sizes = [(_SIZE + bytes([size]), _encode(figures)) for size, figures in self.sizes.changed.items()]
        copies = [(_COPY + copy.to_bytes(8, "big"), b"1") for copy in self.copies]
        return [*seen, *sizes, *copies, *self._variants.rows]

    async def take(self, visits: Sequence[Visit]) -> None:
        """Learn from visits, one after the other."""
        at_hand = self._shelf.at_hand
        for visit in visits:
            page = visit.page
            name = visit.settlement.lease.entry.host if page is None else page.host
            host = at_hand(name) or await self._shelf.host(name)
            if visit.probe is not None or visit.suspicious:
                self._take_probe(host, visit)
            if visit.difference is not None:
                self.changes.update(habit_after(name, self.changes, host, visit.difference))
            if page is not None and (page.reason is None or page.reason.rule != _UNREAD):
                await self._take_page(host, visit, page)

    def _latest(self, host: HostLessons, name: Name, blank: Any) -> Any:
        """Return a record as the visits taken so far left it."""
        return self.changes.get(name) or host.table(name[1]).get(name[2]) or blank

    def _take_probe(self, host: HostLessons, visit: Visit) -> None:
        name = visit.settlement.lease.entry.host
        if visit.probe is not None:
            directory, probe = visit.probe
            self.changes[name, PROBE, directory] = probe
        elif visit.suspicious and "/" not in host.probes:
            self.changes.setdefault((name, PROBE, "/"), Probe())

    async def _take_page(self, host: HostLessons, visit: Visit, page: Page) -> None:
        """Learn from one visit that ended."""
        path, query = _path_and_query(page.url)
        shapes, brought = host.shapes_of(path, query), None
        if not page.status and page.outcome is not Outcome.BUG:
            self._count_refused(host, page)
        else:
            brought = self._take_answer(host, visit, page, path)
            blamed: Shapes | None = shapes
            if brought in _DOUBTFUL:
                blamed = await self._variants.blame(host, page, visit.settlement.lease.entry.via, brought, shapes)
            if brought is not None:
                self._variants.observe(host, page, path, query)
            if brought is not None and blamed is not None:
                leads_on = brought is not _FRESH and self._leads_on(visit)
                self._count(host, page, blamed, brought, leads_on)
                if brought is not _FRESH:
                    self._barren.add(page.host)
                if host.has_barren or page.host in self._barren:
                    await self._judge_parent(host, visit, shapes, brought, leads_on)
            if page.outcome is _SOFT_404 or host.probes:
                self._look_for_soft_404(host, page, self.changes.get((page.host, TEMPLATE, shapes[-2])))
        if self._settings.view_evidence:
            self.changes.update(views.observe(host, visit, brought, self.changes, self._settings.view_evidence))
        if (query or page.duplicate_of or host.parameters) and page.digest and page.outcome in _COMPARED:
            await self._compare_values(host, visit, page)
            await self._compare_hosts(host, visit, page)

    def _take_answer(self, host: HostLessons, visit: Visit, page: Page, path: str) -> Yield | None:
        """Say what one visit brought, and count what it brought forth; None: it says nothing about its template."""
        name, changes = page.host, self.changes
        whole = (name, GROWTH, "")
        before: Any = changes.get(whole) or host.whole or _NO_GROWTH
        brought = self._brought(host, before.fetched, visit, page)
        found = [entry.host for entry in visit.settlement.discovered if entry.refused is None].count(name)
        self._grow(visit, page, whole, _connected(before, visit, page), found)
        self._weigh(visit, name, brought if page.mime not in _LISTS else None)
        folder = path[: path.find("/", 1) + 1] if found else ""
        if folder and (folder in host.folders or len(host.folders) + 1 < MOST_FOLDERS):
            part = (name, GROWTH, folder)
            known: Any = changes.get(part) or host.folders.get(folder) or _NO_GROWTH
            self._grow(visit, page, part, known, found)
        return brought

    def _leads_on(self, visit: Visit) -> bool:
        """Tell whether a page led to URLs of its host that nobody knew."""
        name = visit.settlement.lease.entry.host
        return any([entry.refused is None and entry.host == name for entry in visit.settlement.discovered])

    async def _judge_parent(self, host: HostLessons, visit: Visit, own: Shapes, brought: Yield, leads_on: bool) -> None:
        """Count what was found on a page that was no news for or against all such, and the templates of that page.

        What is only another view of it, by its query, tells nothing of where it leads.
        """
        entry, changes = visit.settlement.lease.entry, self.changes
        shapes = templates.shapes_of(*_path_and_query(entry.via)) if entry.via and "?" not in entry.url else ()
        tallies = {title: self._latest(host, (entry.host, TEMPLATE, title), _NO_TALLY) for title in shapes}
        has_copies = any([tally.barren for tally in tallies.values()])
        if has_copies and await is_copy(self._kv, entry.via, self.copies):  # hardly ever
            place = (entry.host, TEMPLATE, templates.ON_COPIES)
            changes[place] = templates.counted(self._latest(host, place, _NO_TALLY), brought, entry.url, leads_on)
            for title, tally in tallies.items():
                if title not in own:  # else it was counted for it already
                    changes[entry.host, TEMPLATE, title] = templates.vouched(tally, brought, leads_on)
        if brought in _NO_NEWS and visit.settlement.discovered:
            self.copies.add(fingerprint(entry.url))

    def _count(self, host: HostLessons, page: Page, shapes: Shapes, brought: Yield, leads_on: bool) -> None:
        """Count a visit for the templates of its URL."""
        name, changes, known, before = page.host, self.changes, host.templates, None
        for title in shapes:
            place = (name, TEMPLATE, title)
            tally: Any = changes.get(place) or known.get(title) or _NO_TALLY
            if tally.fetched or len(known) < MOST_TEMPLATES:
                if tally is not before:  # where a site is of one make, both templates have one record
                    before, after = tally, templates.counted(tally, brought, page.url, leads_on)
                changes[place] = after

    def _count_refused(self, host: HostLessons, page: Page) -> None:
        """Count a URL that was ended by a learned rule without a request."""
        reason = page.reason
        if reason is None:
            return
        if reason.rule == Rule.TRAPS_TEMPLATE:
            title = str(reason.facts["template"])
            tally = self._latest(host, (page.host, TEMPLATE, title), _NO_TALLY)
            self.changes[page.host, TEMPLATE, title] = replace(tally, refused=tally.refused + 1)
        elif reason.rule in MERGING and (title := str(reason.facts["name"])) in host.cosmetic:
            evidence = self._latest(host, (page.host, PARAMETER, title), Parameter())
            self.changes[page.host, PARAMETER, title] = replace(evidence, merged=evidence.merged + 1)

    def _brought(self, host: HostLessons, fetched: int, visit: Visit, page: Page) -> Yield | None:
        """Say what a visit to a host brought; None: it says nothing about its template, such as one that was made before."""
        if visit.settlement.lease.again:
            return None
        if page.outcome is not _OK:
            if page.outcome is not Outcome.REDIRECTED:
                return _BROUGHT.get(page.outcome)
            hops = visit.settlement.lease.entry.redirects
            return Yield.CHAIN if hops and hops % HOPS == 0 else None
        if page.mime not in _TEXT or visit.replaces:  # what the other page said before was this one's
            return _FRESH
        likeness = visit.likeness
        if likeness is None or likeness.words < FEWEST_WORDS:  # a title or a caption is enough, if it is the page's own
            said = likeness.sketch if likeness is not None else (hashed(page.title) >> 32,) if page.title else ()
            return _FRESH if self.phrases.has_news(host.number, said) else Yield.EMPTY
        if fetched < PHRASES_FROM:
            return _FRESH
        is_new = self.phrases.has_news(host.number, likeness.sketch)
        return _FRESH if is_new or fetched < STALE_FROM else Yield.STALE

    async def _compare_values(self, host: HostLessons, visit: Visit, page: Page) -> None:
        """Compare a page with what its URL gave before, with other values of its parameters."""
        url = split(page.url)
        apart = parameters.apart(url, split(page.duplicate_of)) if page.duplicate_of else ""
        if apart:
            evidence = self._latest(host, (page.host, PARAMETER, apart), Parameter())
            place = parameters.place_of(url, apart, apart.split("&"))
            changed = parameters.confirmed(evidence, place, (page.duplicate_of, page.url), self._settings)
            self._note_parameter(host, (page.host, PARAMETER, apart), changed)
        for skeleton in parameters.skeletons(url, [*host.parameters, apart]):
            now = self._seen(visit, page, skeleton.value)
            before = self._sightings.get(skeleton.place) or await seen_before(self._kv, skeleton.place)
            self._sightings[skeleton.place] = now
            if before is None or before.value == now.value or skeleton.name == apart:
                continue
            evidence = self._latest(host, (page.host, PARAMETER, skeleton.name), Parameter())
            changed = parameters.observed(evidence, skeleton.place, before, now, self._settings)
            self._note_parameter(host, (page.host, PARAMETER, skeleton.name), changed)

    async def _compare_hosts(self, host: HostLessons, visit: Visit, page: Page) -> None:
        """Compare a page with what other hosts, with which this one has something in common, have in its place."""
        mirrored = parameters.mirrored(page.url, page.duplicate_of)
        others = [name for name in host.parameters if parameters.is_host(name)]
        for name in dict.fromkeys([*others, mirrored] if mirrored else others):
            place, now = parameters.common_place(page.url, name), self._seen(visit, page, host.number)
            before = self._sightings.get(place) or await seen_before(self._kv, place)
            self._sightings[place] = now
            if name == mirrored:
                before = Sighting(0, now.content, None, page.duplicate_of)  # which was told by all of the text
            if before is not None and before.value != now.value:
                await self._note_pair(host, page.host, parameters.host_of(name), place, (before, now))

    async def _note_pair(
        self, host: HostLessons, name: str, other: str, place: int, sightings: tuple[Sighting, Sighting]
    ) -> None:
        """Take down, for each of two hosts, whether they have the same in one place."""
        for known, who in (
            (host, (name, PARAMETER, parameters.name_of(other))),
            (await self._shelf.host(other), (other, PARAMETER, parameters.name_of(name))),
        ):
            evidence = self._latest(known, who, Parameter())
            changed = parameters.observed(evidence, place, *sightings, self._settings, parameters.NEAR_ELSEWHERE)
            self._note_parameter(known, who, changed)

    def _seen(self, visit: Visit, page: Page, value: int) -> Sighting:
        likeness = visit.likeness
        simhash = likeness.simhash if likeness is not None and likeness.words >= self._fewest_words else None
        return Sighting(value, hashed(page.digest), simhash, page.url)

    def _note_parameter(self, host: HostLessons, name: Name, evidence: Parameter) -> None:
        if name[2] in host.parameters or len(host.parameters) < MOST_PARAMETERS:
            self.changes[name] = evidence

    def _look_for_soft_404(self, host: HostLessons, page: Page, tally: Any) -> None:
        """Count a soft 404, or have a directory probed of whose template, as it was just counted, little came."""
        if page.outcome is _SOFT_404:
            directory = soft404.directory_of(split(page.url))
            place = directory if host.probes.get(directory, Probe()).url else "/"
            probe = self._latest(host, (page.host, PROBE, place), Probe())
            self.changes[page.host, PROBE, place] = soft404.counted(probe, page.url)
        elif tally is not None and tally.weight >= SUSPICION and "/" in host.probes and len(host.probes) < MOST_PROBES:
            directory = soft404.directory_of(split(page.url))
            if directory not in host.probes:
                self.changes.setdefault((page.host, PROBE, directory), Probe())

    def _weigh(self, visit: Visit, host: str, brought: Yield | None) -> None:
        """Note whether a host sinks, or else that it brought a page."""
        whole: Any = self.changes[host, GROWTH, ""]
        depth = growth.depth(whole)
        if depth > 1:
            self.sunk[visit.settlement.lease.token] = host, depth
        elif brought is _FRESH:
            self.afloat.append(host)

    def _grow(self, visit: Visit, page: Page, name: Name, before: Growth, found: int) -> None:
        """Count the URLs that a page brought forth, for its host or its first folder."""
        after = growth.grown(before, 1, found, page.url, self._now)
        others = _NOBODY if name[2] else self.sizes.move(before, after)
        if growth.is_modest(after, self._settings):  # nearly always
            self.changes[name] = after
            return
        part = name[2] or "the host"
        reason = growth.too_fast(before, after, self._settings, part)
        if reason is None and not before.slowed:
            reason = growth.out_of_proportion(after, others, self._settings, part)
        if reason is not None:
            after = replace(after, slowed=after.slowed + 1, reason=reason)
            self.slow[page.host] = growth.PAUSE * visit.settlement.lease.delay, reason
        self.changes[name] = after


def _connected(before: Growth, visit: Visit, page: Page) -> Growth:
    """Count in what ways a page connects its host with others."""
    entry, name, discovered = visit.settlement.lease.entry, page.host, visit.settlement.discovered
    is_own = name in entry.via[: len(name) + len("https://")]
    outside = len(discovered) - [entry.host for entry in discovered].count(name) + (not is_own)
    sitemaps = before.sitemaps + (entry.kind is LinkKind.SITEMAP and page.mime in _LISTS)
    return replace(before, own=before.own + is_own, outside=before.outside + outside, sitemaps=sitemaps)


def _path_and_query(wire: str) -> tuple[str, str | None]:
    """Return the end of a wire URL; of one without a query in a third of the time that `split` takes."""
    start = wire.find("/", 8)
    if start < 0 or "?" in wire or not wire.startswith("http"):
        url = split(wire)
        return url.path, url.query
    return wire[start:], None
