"""The book: asked before a URL is fetched, and written when visits become durable.

`consult` says of a leased URL whether a rule refuses it, whether this turn should be spent on a probe, and what a soft 404
of its host looks like. `study` takes finished visits, counts what they brought, and returns them with the links they found
judged by what is known by now; `keep` makes it durable, before the visits are settled. A commit that is repeated because
another store had no room counts nothing twice; a visit that is repeated after a crash does, which no rule notices.
"""

from collections.abc import Collection, Sequence, Set
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.joints.slices import Slices
from gossamer.lessons.habits import habit_of
from gossamer.lessons.phrases import Phrases
from gossamer.lessons.shelf import GROWTH, PROBE, HostLessons, Shelf
from gossamer.lessons.study import Figures, Study, is_copy, seen_before, sizes_before
from gossamer.lessons.tide import Tide
from gossamer.policy import growth, habit, parameters, priority, soft404, templates, views
from gossamer.policy.folders import is_folder, without_folders
from gossamer.records.entry import Entry, LinkKind, Priority, Verdict
from gossamer.records.evidence import Growth, Ruling
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason
from gossamer.records.visit import Lesson, Studied, Visit
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import Url, split
from gossamer.url.spelling import is_spelled, spelled

LAST = Priority.LAST
AT_ONCE = 256  # records read between two glances at the clock
NO_LESSON = Lesson()
UNPROBED = Lesson(is_probed=False)
MOST_KEPT = 10_000  # visits that are known to be kept, and as many before them
MOST_PUT_OFF = 100_000  # URLs that are known to be put off, and as many before them; any other may be once more
SITEMAPS = (".xml", ".xml.gz")
MOST_TOGETHER = 6  # cosmetic parameters of a URL of which every choice is tried to find its key again


class LessonBook:
    """The lessons of a crawl about its hosts."""

    def __init__(self, kv: KeyValue, settings: Traps, fewest_words: int, has_classes: bool = True) -> None:
        if not has_classes:
            settings = settings.model_copy(update={"view_evidence": 0})  # there is nowhere to wait behind others
        self._run = kv.at(RUN)
        self._settings = settings
        self._has_classes = has_classes
        self._fewest_words = fewest_words
        self._shelf = Shelf(kv, settings)
        self._probing: dict[tuple[str, str], float] = {}  # probes on their way: until when they are waited for
        self._sizes: dict[int, Figures] | None = None  # of hosts of each size; None: not loaded
        self._phrases: Phrases | None = None  # the same
        self._put_off: set[int] = set()  # keys of the last URLs that wait behind all others
        self._put_off_before: set[int] = set()
        self._kept: set[int] = set()  # tokens of the last visits kept: a commit may be repeated
        self._kept_before: set[int] = set()
        self._tide = Tide()

    # --- before a fetch ----------------------------------------------------------------------------------------------

    async def consult(self, leases: Sequence[Lease]) -> list[Lesson]:
        """Say what was learned about each of some leased URLs."""
        if not self._settings.learn:
            return [NO_LESSON] * len(leases)
        at_hand, lessons = self._shelf.at_hand, list[Lesson]()
        for lease in leases:
            name = lease.entry.host
            host = at_hand(name) or await self._shelf.host(name)
            refused = await self._refusal(host, lease) if host.traps or host.cosmetic else None
            behind = self._behind(host, lease, refused) if refused is not None or host.lasts else None
            if behind is not None:
                lessons.append(Lesson(behind=behind))
            elif refused is None or self._is_suspicion(host, lease.entry):
                lesson = NO_LESSON if host.is_honest else self._probe(host, lease)
                lesson = replace(lesson, is_doubtful=True) if host.has_doubts and self._doubts(host, lease) else lesson
                lesson = replace(lesson, habit=habit_of(host)) if lease.again else lesson
                is_list = lease.entry.kind is LinkKind.SITEMAP and host.whole is not None
                wait = self._wait_of_a_sitemap(host, lease) if is_list else None
                lessons.append(replace(lesson, wait=wait) if wait is not None else lesson)
            else:
                lessons.append(Lesson(refused))
        return lessons

    def _wait_of_a_sitemap(self, host: HostLessons, lease: Lease) -> tuple[float, Reason] | None:
        """Say how long a URL waits that is a sitemap by its name, where more of these were fetched than they brought pages."""
        reason = growth.too_many_sitemaps(host.whole or _NO_GROWTH) if lease.entry.url.endswith(SITEMAPS) else None
        if reason is None:
            return None
        seconds = self._tide.wait_in_line(lease.entry.host, growth.BETWEEN, lease.leased_at)
        return (seconds, reason) if seconds else None

    async def _refusal(self, host: HostLessons, lease: Lease) -> Verdict | None:
        entry = lease.entry
        if entry.kind is LinkKind.SEED or lease.again:
            return None
        url = split(entry.url)
        trapped = await self._trapped(host, url, entry)
        if trapped is not None or not host.cosmetic or _is_sampled(entry.url):
            return trapped
        for name in filter(parameters.is_host, host.cosmetic):
            sighting = await seen_before(self._run, parameters.common_place(entry.url, name))
            if sighting is not None and sighting.value != host.number:
                reason = parameters.reason_for(name, host.parameters[name], sighting.url)
                return Verdict(False, reason, Outcome.DUPLICATE)
        for skeleton in parameters.skeletons(url, host.cosmetic):
            if skeleton.name in host.cosmetic:
                sighting = await seen_before(self._run, skeleton.place)
                if sighting is not None and sighting.value != skeleton.value:
                    reason = parameters.reason_for(skeleton.name, host.parameters[skeleton.name], sighting.url)
                    return Verdict(False, reason, Outcome.DUPLICATE)
        return None

    async def _trapped(self, host: HostLessons, url: Url, entry: Entry, copies: Set[int] = frozenset()) -> Verdict | None:
        """Refuse a URL of a template that is throttled, unless it belongs to the sample."""
        if not host.traps:
            return None
        template, sample = self._decisive(host, url)
        if _is_tried(entry.key, sample):
            tally, template = host.templates.get(template), templates.ON_COPIES
            if template not in host.traps or "?" in entry.url or (tally is not None and tally.ruling is Ruling.ALLOW):
                return None
            sample = templates.one_in(template, host.templates[template], self._settings)
            if _is_tried(entry.key, sample) or not await is_copy(self._run, entry.via, copies):
                return None
        return Verdict(False, templates.reason_for(template, host.templates[template], sample), Outcome.TRAP)

    def _decisive(self, host: HostLessons, url: Url) -> tuple[str, int]:
        """Return which template of a URL decides, and of how many of its URLs one is fetched."""
        return templates.decisive(host.shapes_of(url.path, url.query), host.templates, self._settings)

    def _doubts(self, host: HostLessons, lease: Lease) -> bool:
        """Tell whether others of a URL's make brought little."""
        known = [host.templates.get(title) for title in templates.templates_of(split(lease.entry.url))]
        return any([tally is not None and templates.is_doubtful(tally, self._settings) for tally in known])

    def _is_suspicion(self, host: HostLessons, entry: Entry) -> bool:
        """Tell whether a URL that is refused for its template is so by suspicion only: it waits behind all others instead.

        When its turn has come by then, it is fetched: the template is open again, or closed for sure before long.
        """
        template, sample = self._decisive(host, split(entry.url)) if self._has_classes and host.traps else ("", 1)
        return templates.is_suspicion(template, sample) and not _is_tried(entry.key, sample)

    def _behind(self, host: HostLessons, lease: Lease, refused: Verdict | None) -> Reason | None:
        """Say why a URL should wait behind all others; None: it need not, or it did already."""
        entry, name = lease.entry, fingerprint(lease.entry.key)
        if lease.again or entry.kind is LinkKind.SEED or entry.priority is LAST:
            return None
        if refused is not None:
            reason = refused.reason if self._is_suspicion(host, entry) else None
        else:
            mark = host.last_by(split(entry.url), entry.via)
            reason = views.reason_for(mark, host.views[mark]) if mark else None
        if reason is None or name in self._put_off or name in self._put_off_before:
            return None
        self._put_off.add(name)
        if len(self._put_off) > MOST_PUT_OFF:
            self._put_off, self._put_off_before = set(), self._put_off
        return reason

    def _probe(self, host: HostLessons, lease: Lease) -> Lesson:
        """Say what cannot exist looks like here, or that somebody should find out."""
        if not self._settings.soft_404:
            return NO_LESSON
        probes = host.probes
        known = probes.get("/")
        if known is None and (host.whole or _NO_GROWTH).fetched < self._settings.probe_after:
            return UNPROBED
        if known is not None and known.url and len(probes) == 1:
            return Lesson(probe=known) if soft404.is_soft(known) else NO_LESSON
        url = split(lease.entry.url)
        directory = soft404.directory_of(url)
        there = probes.get(directory)
        for place, probe in (("/", known), (directory, there)):
            is_wanted = probe is not None and not probe.url
            if (is_wanted or (place == "/" and probe is None)) and self._may_probe(lease, place):
                return Lesson(probe_url=soft404.probe_url(url, place))
        if known is None or not known.url:
            return UNPROBED  # a probe is on its way
        chosen = there if there is not None and there.url else known
        return Lesson(probe=chosen) if soft404.is_soft(chosen) else NO_LESSON

    def _may_probe(self, lease: Lease, directory: str) -> bool:
        place = (lease.entry.host, directory)
        if self._probing.get(place, 0.0) > lease.leased_at:
            return False
        self._probing[place] = lease.until
        return True

    # --- after a fetch -----------------------------------------------------------------------------------------------

    async def study(self, visits: Sequence[Visit], now: float) -> Studied:
        """Count what visits brought, and judge the links they found."""
        if not self._settings.learn:
            return Studied(list(visits), {}, [], {})
        if self._sizes is None:
            self._sizes = await sizes_before(self._run)
        if self._phrases is None:
            self._phrases = await Phrases.load(self._run)
        study = Study(self._run, self._shelf, self._phrases, self._settings, self._fewest_words, self._sizes, now)
        await study.take(self._not_kept(visits))
        ruled = await self._shelf.ruled()
        judged = [await self._judge_links(visit, ruled, study.copies) for visit in visits] if ruled else list(visits)
        self._tide.note(study.afloat, [host for host, _ in study.sunk.values()], now)
        judged = [self._held_back(visit, study, now) for visit in judged] if study.sunk else judged
        return Studied(judged, study.changes, study.rows, study.slow, study.sizes.changed, study.phrases)

    def _held_back(self, visit: Visit, study: Study, now: float) -> Visit:
        """Let others come first before a host that sinks has its next turn."""
        settlement = visit.settlement
        name, depth = study.sunk.get(settlement.lease.token, ("", 0.0))
        seconds = self._tide.wait_of_a_host(growth.BETWEEN * depth, now) if depth else 0.0
        answer = settlement.answer
        if not seconds or answer is None or answer.block_until > now + seconds:
            return visit
        grown: Any = study.changes[name, GROWTH, ""]
        study.changes[name, GROWTH, ""] = replace(grown, held=grown.held + 1)
        answer = replace(answer, block_until=now + seconds, block_reason=growth.sinking(grown))
        return replace(visit, settlement=replace(settlement, answer=answer, clock=None))  # the clock was computed without it

    def _not_kept(self, visits: Sequence[Visit]) -> Sequence[Visit]:
        """Leave out what a commit brings again."""
        tokens = [visit.settlement.lease.token for visit in visits]
        if self._kept.isdisjoint(tokens) and self._kept_before.isdisjoint(tokens):
            return visits  # nearly always
        kept = self._kept | self._kept_before
        return [visit for visit, token in zip(visits, tokens, strict=True) if token not in kept]

    async def keep(self, studied: Studied) -> None:
        """Make what was learned durable."""
        if studied.changes or studied.rows:
            phrases, shown = self._phrases or Phrases(), studied.phrases
            new = shown.news()
            await self._shelf.write(studied.changes, [*studied.rows, *phrases.log(new)])
            phrases.logged(new)
            phrases.learn(shown.names())
            self._sizes = (self._sizes or {}) | studied.sizes
            self._kept.update([visit.settlement.lease.token for visit in studied.visits])
            if len(self._kept) > MOST_KEPT:
                self._kept, self._kept_before = set(), self._kept
            for host, kind, name in studied.changes if self._probing else ():
                if kind == PROBE:  # not before it is taken over: somebody could send a second one
                    self._probing.pop((host, name), None)

    # --- the links of a page -----------------------------------------------------------------------------------------

    async def _judge_links(self, visit: Visit, ruled: set[str], copies: Set[int]) -> Visit:
        discovered = visit.settlement.discovered
        if ruled.isdisjoint([entry.host for entry in discovered]):
            return visit
        own = visit.settlement.lease.entry.key
        judged = tuple([await self.judge(entry, own, copies) if entry.host in ruled else entry for entry in discovered])
        return replace(visit, settlement=replace(visit.settlement, discovered=judged))

    async def judge(self, entry: Entry, found_on: str = "", copies: Set[int] = frozenset()) -> Entry:
        """Give a URL found on the page of a key the key learned for its host, and refuse it if its template is a trap for sure.

        Where a URL redirects to what was learned to be itself, the other spelling is told apart by a key of its own. `copies`
        are the pages that are no news and not kept yet (`study.py`).
        """
        if entry.refused is not None or entry.kind is LinkKind.SEED:
            return entry
        host = await self._shelf.host(entry.host)
        url = split(entry.url)
        refused = await self._trapped(host, url, entry, copies)
        if refused is not None:
            is_put_off = self._is_suspicion(host, entry)
            return replace(entry, priority=LAST) if is_put_off else replace(entry, refused=refused)
        if host.lasts and host.last_by(url, entry.via):
            entry = priority.as_view(entry)
        if is_spelled(entry.key):
            return entry
        key = _merged(entry.key, entry.url, host.cosmetic)
        if key == found_on and entry.kind is LinkKind.REDIRECT:
            key = spelled(entry.url)
        return entry if key == entry.key else replace(entry, key=key)

    async def keys(self, key: str, url: str) -> list[str]:
        """Return every key that a URL may have been given: its own, and by the rules learned for its host, now or before."""
        parsed = split(url)
        host = await self._shelf.host(parsed.host.rstrip("."))
        names = dict.fromkeys(piece.partition("=")[0] for piece in (parsed.query or "").split("&"))
        known = {name: parameters.parts_in(name, names) for name, evidence in host.parameters.items() if evidence.was_cosmetic}
        ever = [name for name, own in known.items() if own or is_folder(name)]
        sizes = range(1, len(ever) + 1) if len(ever) <= MOST_TOGETHER else (1, len(ever))
        found = [key, _merged(key, url, host.cosmetic)]
        found += [_merged(key, url, set(some)) for size in sizes for some in combinations(ever, size)]
        return list(dict.fromkeys(found))

    # --- for people --------------------------------------------------------------------------------------------------

    async def evidence(self, url: Url) -> dict[str, Any]:
        """Return all that bears on a URL: its templates, its parameters, the probes, the growth of its host."""
        host = await self._shelf.host(url.host.rstrip("."))
        shapes = host.shapes_of(url.path, url.query)
        template, sample = self._decisive(host, url)
        names = [skeleton.name for skeleton in parameters.skeletons(url, host.parameters)]
        directory = soft404.directory_of(url)
        return {
            "templates": {title: host.templates[title] for title in (*shapes, templates.ON_COPIES) if title in host.templates},
            "decided_by": template,
            "one_in": sample,
            "parameters": {name: host.parameters[name] for name in names if name in host.parameters},
            "cosmetic": sorted(host.cosmetic.intersection(names)),
            "probes": {place: host.probes[place] for place in ("/", directory) if place in host.probes},
            "growth": host.whole,
            "views": {mark: host.views[mark] for mark in host.marks_of(url) if mark in host.views},
            "habit": host.habit,
        }

    async def verdicts(self, url: Url, key: str, via: str = "") -> list[Verdict]:
        """Return what each rule in force says of a URL found on the page `via`, whether it is refused by it or not."""
        host = await self._shelf.host(url.host.rstrip("."))
        mark = host.last_by(url, via) if host.lasts else ""
        said = [Verdict(True, views.reason_for(mark, host.views[mark]))] if mark else []
        template, sample = self._decisive(host, url)
        if sample != 1:
            is_sampled, waits = _is_tried(key, sample), self._has_classes and templates.is_suspicion(template, sample)
            others = "this one too" if is_sampled else "the others when nothing else waits" if waits else ""
            reason = templates.reason_for(template, host.templates[template], sample, others)
            said.append(Verdict(is_sampled or waits, reason, Outcome.TRAP))
        names = host.cosmetic.intersection(skeleton.name for skeleton in parameters.skeletons(url, host.cosmetic))
        for name in sorted(names):
            reason = parameters.reason_for(name, host.parameters[name])
            said.append(Verdict(_is_sampled(url.wire), reason, Outcome.DUPLICATE))
        for name in sorted(filter(parameters.is_host, host.cosmetic)):
            said.append(Verdict(True, parameters.reason_for(name, host.parameters[name]), Outcome.DUPLICATE))
        for probe in {place: host.probes.get(place) for place in ("/", soft404.directory_of(url))}.values():
            if probe is not None and soft404.is_soft(probe):
                said.append(Verdict(True, soft404.reason_of_host(probe), Outcome.SOFT_404))
        if host.habit is not None and habit.is_in_force(host.habit):
            said.append(Verdict(True, habit.reason_of_host(host.habit)))
        grown = host.whole or _NO_GROWTH
        if growth.is_held(grown):
            said.append(Verdict(True, growth.sinking(grown)))
        return [*said, Verdict(True, grown.reason)] if grown.slowed and grown.reason else said

    async def everything(self, host: str = "") -> list[tuple[str, str, str, Any]]:
        """List what was learned of one host or all: host, kind, name, record."""
        slices, rows = Slices(), list[tuple[str, str, str, Any]]()
        async for row in self._shelf.everything(host):
            rows.append(row)
            if not len(rows) % AT_ONCE:
                await slices.turn()
        return rows

    async def rule(self, host: str, kind: str, name: str, ruling: Ruling) -> bool:
        """Put an operator's word above the evidence; False: nothing of that name was learned, and nothing was to be blocked."""
        return await self._shelf.rule((host, kind, name), ruling)

    async def summary(self) -> dict[str, int]:
        """Return what is in force: hosts with rules, throttled templates, cosmetic parameters, URLs not fetched for them."""
        slices, hosts = Slices(), []
        for name in await self._shelf.ruled():
            hosts.append(await self._shelf.host(name))
            await slices.turn()
        tallies = [host.templates[title] for host in hosts for title in host.traps]
        names = [host.parameters[name] for host in hosts for name in host.cosmetic]
        return {
            "hosts": len(hosts),
            "templates": len(tallies),
            "parameters": len(names),
            "refused": sum(tally.refused for tally in tallies) + sum(evidence.merged for evidence in names),
        }


_NO_GROWTH = Growth()


def _is_tried(key: str, sample: int) -> bool:
    """Tell whether a URL belongs to the one in so many that a template lets through; 0: none does."""
    return bool(sample) and fingerprint(key) % sample == 0


def _is_sampled(url: str) -> bool:
    """Tell whether a URL is fetched although a learned rule would merge it, so that the rule can be found to be wrong."""
    return fingerprint(url) % parameters.SAMPLE == 0


def _merged(key: str, url: str, cosmetic: Collection[str]) -> str:
    if not cosmetic or _is_sampled(url):
        return key
    key = without_folders(key, cosmetic)
    if "?" not in key:
        return key
    head, _, query = key.partition("?")
    query = parameters.without(query, parameters.dropped(query, cosmetic))
    return f"{head}?{query}" if query else head
