"""What some visits that become durable together teach: each is taken in turn, later ones see what earlier ones changed.

Nothing is changed but the study itself: what it found is written, and taken over, when the visits are (`book.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.evidence import Growth, Parameter, Probe, Sighting, Tally, Yield
from gossamer.lessons.phrases import Phrases
from gossamer.lessons.shelf import GROWTH, PARAMETER, PROBE, TEMPLATE, HostLessons, Name, Record, Shelf
from gossamer.policy import growth, parameters, soft404, templates
from gossamer.protocols import KeyValue
from gossamer.records import Outcome, Page
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import Url, split
from gossamer.visit import Visit

Figures = tuple[int, int, int]  # of hosts of one size: hosts, fetched, found

MOST_TEMPLATES = 2_000  # of a host
MOST_FOLDERS = 500  # of a host that are watched for their growth
MOST_PARAMETERS = 500
MOST_PROBES = 20
PHRASES_FROM = 8  # fetches of a host after which its phrases are remembered
STALE_FROM = 32  # and after which a page has to have a new one
FEWEST_WORDS = 5  # of a page that is more than a title or a caption
HOPS = 3  # redirects in a row that count as one fetch without content: one long chain is no maze
SUSPICION = 3  # weight of a template that makes its directory worth a probe

_SIGHT = b"sight/"
_SIZE = b"size/"
_TEXT = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_BROUGHT = {Outcome.DUPLICATE: Yield.COPY, Outcome.NEAR_DUPLICATE: Yield.TWIN, Outcome.SOFT_404: Yield.MISSING}
_NO_TALLY, _NO_GROWTH = Tally(), Growth()
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
        size = growth.size_of(after)
        if before.fetched:
            was = growth.size_of(before)
            hosts, fetched, found = self._figures(was)
            self.changed[was] = max(hosts - 1, 0), max(fetched - before.fetched, 0), max(found - before.found, 0)
        others = hosts, fetched, found = self._figures(size)
        self.changed[size] = hosts + 1, fetched + after.fetched, found + after.found
        return others

    def _figures(self, size: int) -> Figures:
        return self.changed.get(size) or self._known.get(size) or (0, 0, 0)


async def sizes_before(kv: KeyValue) -> dict[int, Figures]:
    """Return how many URLs hosts of each size had when this was last written."""
    return {key[len(_SIZE)]: _decode_figures(row) async for key, row in kv.scan(_SIZE)}


async def seen_before(kv: KeyValue, place: int) -> Sighting | None:
    """Return a page as it was last seen behind some value of a parameter."""
    row = await kv.get(_SIGHT + place.to_bytes(8, "big"))
    return _decode(row) if row else None


class Study:
    """The visits of one commit."""

    def __init__(
        self,
        kv: KeyValue,
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
        self._known_phrases = phrases
        self.phrases: dict[int, bool] = {}  # that pages showed: whether they are new
        self.changes: dict[Name, Record] = {}
        self.slow: dict[str, tuple[float, str]] = {}

    @property
    def rows(self) -> list[tuple[bytes, bytes]]:
        """What is stored beside the changes."""
        seen = [(_SIGHT + place.to_bytes(8, "big"), _encode(sighting)) for place, sighting in self._sightings.items()]
        sizes = [(_SIZE + bytes([size]), _encode(figures)) for size, figures in self.sizes.changed.items()]
        return [*seen, *sizes]

    async def take(self, visits: Sequence[Visit]) -> None:
        """Learn from visits, one after the other."""
        at_hand = self._shelf.at_hand
        for visit in visits:
            name = visit.settlement.lease.entry.host
            host = at_hand(name) or await self._shelf.host(name)
            if visit.probe is not None or visit.suspicious:
                self._take_probe(host, visit)
            if visit.page is not None:
                await self._take_page(host, visit, visit.page)

    def _latest(self, host: HostLessons, name: Name, blank: Any) -> Any:
        """Return a record as the visits taken so far left it."""
        return self.changes.get(name) or host.tables[name[1]].get(name[2]) or blank

    def _take_probe(self, host: HostLessons, visit: Visit) -> None:
        name = visit.settlement.lease.entry.host
        if visit.probe is not None:
            directory, probe = visit.probe
            self.changes[name, PROBE, directory] = probe
        elif visit.suspicious and "/" not in host.probes:
            self.changes.setdefault((name, PROBE, "/"), Probe())

    async def _take_page(self, host: HostLessons, visit: Visit, page: Page) -> None:
        url = split(page.url)
        fine, coarse = templates.templates_of(url)
        if not page.status and page.outcome is not Outcome.BUG:
            self._count_refused(host, page, fine, coarse)
            return
        brought = self._brought(host, visit, page)
        if brought is not None:
            for title in (fine, coarse):
                tally = self._latest(host, (page.host, TEMPLATE, title), _NO_TALLY)
                if tally.fetched or len(host.templates) < MOST_TEMPLATES:
                    self.changes[page.host, TEMPLATE, title] = templates.counted(tally, brought, page.url)
        if url.query and page.digest and page.outcome in (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE):
            await self._compare_values(host, visit, page, url)
        self._look_for_soft_404(host, page, url, fine)
        self._grow(host, visit, page, url)

    def _count_refused(self, host: HostLessons, page: Page, fine: str, coarse: str) -> None:
        """Count a URL that was ended by a learned rule without a request."""
        if page.reason.startswith("traps.template:"):
            title, _ = templates.decisive(fine, coarse, host.templates, self._settings)
            tally = self._latest(host, (page.host, TEMPLATE, title), _NO_TALLY)
            self.changes[page.host, TEMPLATE, title] = replace(tally, refused=tally.refused + 1)
        elif page.reason.startswith("traps.parameter:"):
            for title in host.cosmetic:
                if f": {title} " in page.reason:
                    evidence = self._latest(host, (page.host, PARAMETER, title), Parameter())
                    self.changes[page.host, PARAMETER, title] = replace(evidence, merged=evidence.merged + 1)

    def _brought(self, host: HostLessons, visit: Visit, page: Page) -> Yield | None:
        """Say what a visit brought; None: it says nothing about its template, such as one that was made before."""
        if visit.settlement.lease.again:
            return None
        if page.outcome is Outcome.REDIRECTED:
            hops = visit.settlement.lease.entry.redirects
            return Yield.CHAIN if hops and hops % HOPS == 0 else None
        if page.outcome is not Outcome.OK:
            return _BROUGHT.get(page.outcome)
        if page.mime not in _TEXT:
            return Yield.FRESH
        likeness = visit.likeness
        if likeness is None or likeness.words < FEWEST_WORDS:  # a title or a caption is enough, if it is the page's own
            said = likeness.sketch if likeness is not None else (fingerprint(page.title) >> 32,) if page.title else ()
            return Yield.FRESH if self._has_new_phrases(page.host, said) else Yield.EMPTY
        fetched = self._latest(host, (page.host, GROWTH, ""), _NO_GROWTH).fetched
        if fetched < PHRASES_FROM:
            return Yield.FRESH
        is_new = self._has_new_phrases(page.host, likeness.sketch)
        return Yield.FRESH if is_new or fetched < STALE_FROM else Yield.STALE

    def _has_new_phrases(self, host: str, sketch: tuple[int, ...]) -> bool:
        """Tell whether any of a sample of a page's phrases is new to its host."""
        return self._known_phrases.has_news(fingerprint(host), sketch, self.phrases)

    async def _compare_values(self, host: HostLessons, visit: Visit, page: Page, url: Url) -> None:
        """Compare a page with what its URL gave before, with other values of its parameters."""
        apart = parameters.apart(url, split(page.duplicate_of)) if page.duplicate_of else frozenset()
        for title in apart:
            evidence = self._latest(host, (page.host, PARAMETER, title), Parameter())
            place = parameters.place_of(url, title, apart)
            changed = parameters.confirmed(evidence, place, (page.duplicate_of, page.url), self._settings)
            self._note_parameter(host, (page.host, PARAMETER, title), changed)
        likeness = visit.likeness
        simhash = likeness.simhash if likeness is not None and likeness.words >= self._fewest_words else None
        for skeleton in parameters.skeletons(url):
            now = Sighting(skeleton.value, fingerprint(page.digest), simhash, page.url)
            before = self._sightings.get(skeleton.place) or await seen_before(self._kv, skeleton.place)
            self._sightings[skeleton.place] = now
            if before is None or before.value == now.value or skeleton.name in apart:
                continue
            evidence = self._latest(host, (page.host, PARAMETER, skeleton.name), Parameter())
            changed = parameters.observed(evidence, skeleton.place, before, now, self._settings)
            self._note_parameter(host, (page.host, PARAMETER, skeleton.name), changed)

    def _note_parameter(self, host: HostLessons, name: Name, evidence: Parameter) -> None:
        if name[2] in host.parameters or len(host.parameters) < MOST_PARAMETERS:
            self.changes[name] = evidence

    def _look_for_soft_404(self, host: HostLessons, page: Page, url: Url, fine: str) -> None:
        if page.outcome is Outcome.SOFT_404:
            directory = soft404.directory_of(url)
            place = directory if host.probes.get(directory, Probe()).url else "/"
            probe = self._latest(host, (page.host, PROBE, place), Probe())
            self.changes[page.host, PROBE, place] = soft404.counted(probe, page.url)
        elif "/" in host.probes and len(host.probes) < MOST_PROBES:
            tally = self.changes.get((page.host, TEMPLATE, fine))
            if isinstance(tally, Tally) and tally.weight >= SUSPICION:
                directory = soft404.directory_of(url)
                if directory not in host.probes:
                    self.changes.setdefault((page.host, PROBE, directory), Probe())

    def _grow(self, host: HostLessons, visit: Visit, page: Page, url: Url) -> None:
        """Count the URLs that a page brought forth, for its host and its first folder."""
        found = [entry.host for entry in visit.settlement.discovered if entry.refused is None].count(page.host)
        folder = url.path[: url.path.find("/", 1) + 1]
        is_watched = folder in host.growth or len(host.growth) < MOST_FOLDERS
        for title in dict.fromkeys(("", folder) if found and is_watched else ("",)):
            before = self._latest(host, (page.host, GROWTH, title), _NO_GROWTH)
            after = growth.grown(before, 1, found, page.url, self._now)
            reason = growth.too_fast(before, after, self._settings)
            if not title:
                others = self.sizes.move(before, after)
                reason = reason or ("" if before.slowed else growth.out_of_proportion(after, others, self._settings))
            if reason:
                reason = f"traps.growth: {title or 'the host'} brought forth {reason}"
                after = replace(after, slowed=after.slowed + 1, reason=reason)
                self.slow[page.host] = growth.PAUSE * visit.settlement.lease.delay, reason
            self.changes[page.host, GROWTH, title] = after
