"""Admission: from links of a page to entries for the frontier. Every link leaves with a verdict; none is dropped.

A refused link becomes an entry too, which the frontier remembers and never queues, so that it can be explained. Refusals that
depend on where a link was found (depth, nofollow, redirects) are lifted by the frontier when another way in is found.

Whether a link is ours is answered in four places, in this order:

1. here, by its URL and the place where it stood: scope, traps, nofollow, redirects, a plugin's filter;
2. by `Finding.judge_links` (`compare.py`), by what its page turned out to be: a soft 404 speaks for no link;
3. by the frontier (`discover`), by what is known already: a URL is queued once, a refusal remembered;
4. by the gate (`gate.py`) when its turn has come, by what was learned meanwhile: lessons, the host's policy, robots.txt.

A seed that moved widens the scope, and `arrivals.py` asks here again for what was refused as foreign.

Most links of a page are known: what was accepted lately, by URL or by key, and what was refused lately when it was found in
just the same manner, is passed over before anything is built for it; that makes a page of known links ten times cheaper.
A known key in a new spelling is told to the frontier a few times: where one spelling is not there, another may be.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.edges import split_known
from gossamer.filters.scope import Scope
from gossamer.joints.filter import Filter
from gossamer.joints.scorer import Scorer
from gossamer.policy import priority, traps
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Entry, Link, LinkKind, Priority, Verdict
from gossamer.records.hints import Hint
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.url.fingerprint import fingerprint
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import Url, parse, split
from gossamer.url.spelling import MOST_SPELLINGS, is_spelled, spelled

# A sitemap, or a page reached by a redirect, is as near to the seeds as what named it. Redirects in a row are counted; a
# sitemap that another one (or a redirect) led to is a hop like any other, so that no row of indexes is without end.
LEVEL_KINDS = frozenset({LinkKind.SITEMAP, LinkKind.REDIRECT})
MOST_MANNERS = 1_000  # that are remembered: a few for each depth
LAST = Priority.LAST
NOWHERE = Url("", "", "", None, "", None)  # for rules that do not look at the URL


class AdmissionRule(Struct, frozen=True):
    """One rule, or several of one kind: the quick answer, and all there is to say."""

    judge: Callable[[Candidate], Verdict]
    trace: Callable[[Candidate], list[Verdict]]


class LinkOrigin(Struct, frozen=True):
    """How links of a page were found: what is the same for all of a kind is worked out once."""

    depth: int
    redirects: int
    nofollow: bool
    score: float
    priority: Priority
    refused: Verdict | None  # by a rule that does not look at the URL
    known: dict[str, None]  # URLs that were refused lately when found so


class LinkJudge:
    """Judges links and ranks those that pass."""

    def __init__(
        self,
        settings: Settings,
        scope: Scope,
        filters: Sequence[Filter] = (),
        scorer: Scorer | None = None,
        remembered: int = 100_000,
    ) -> None:
        self._settings = settings
        self._keys = KeyRules(**settings.key.model_dump())
        self._followed = frozenset(settings.documents.follow)
        self._traps = settings.traps
        self._obeys = settings.robots.meta
        self._leaves_site = settings.scope.off_site_hops > 0 or settings.scope.check_external
        self._scorer = scorer
        self._has_classes = settings.crawl.order == "priority"
        self._ascends = settings.crawl.path_ascending
        self._limit = remembered
        self._accepted: dict[str, int] = {}  # by URL the key's name; when this generation is full, the other is dropped
        self._accepted_before: dict[str, int] = {}
        self._spellings: dict[str, int] = {}  # keys that are not their URLs, or were found in several: how many were told of
        self._refused: dict[tuple[LinkKind, int, int, bool], dict[str, None]] = {}  # URLs by how they were found
        self._refused_count = 0
        self._manners: dict[tuple[LinkKind, int, int, bool], LinkOrigin] = {}
        self._by_manner = tuple(map(_single, (self._follow, self._nofollow, self._redirects)))
        self._plugins = tuple(_single(plugin.judge) for plugin in filters)
        self.scope = scope

    @property
    def is_scored_by_plugin(self) -> bool:
        """Tell whether a plugin says what a URL is worth."""
        return self._scorer is not None

    @property
    def checks_external(self) -> bool:
        """Tell whether links out of the crawl are asked for."""
        return self._settings.scope.check_external

    @property
    def scope(self) -> Scope:
        """The scope; replaced when a list file changes, and with it what was refused is forgotten."""
        return self._scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self._scope = scope
        self._by_url = (AdmissionRule(scope.judge, scope.trace), AdmissionRule(self._trap, self._trace_traps), *self._plugins)
        self._forget_refused()

    def extend(self, seeds: Iterable[str]) -> None:
        """Let the scope take in where seeds arrived that redirect."""
        self._scope.extend(map(split, seeds))
        self._forget_refused()

    def key(self, url: Url) -> str:
        """Return what a URL is deduplicated by."""
        return self._keys.key(url)

    def seed(self, text: str) -> Entry:
        """Admit a seed; raise `UrlError` for a text that is no URL."""
        candidate = Candidate(url=parse(text), depth=0, kind=LinkKind.SEED)
        return self._entry(candidate, self._manner(LinkKind.SEED, 0, 0, False), self._keys.key(candidate.url), via="")

    def admit(self, links: Iterable[Link], parent: Entry, nofollow: bool = False) -> tuple[Entry, ...]:
        """Turn the links of a page into entries, refused ones included; links that are known from lately are left out."""
        entries = []
        accepted, before, spellings = self._accepted, self._accepted_before, self._spellings
        key_of, via, off_site = self._keys.key, parent.url, parent.off_site
        manners: dict[tuple[LinkKind, bool], LinkOrigin] = {}
        for link in [link for link in links if link.url not in accepted]:  # first of all: nearly all are known
            wire, kind = link.url, link.kind
            if wire in before:
                continue
            manner = manners.get((kind, link.nofollow))
            if manner is None:
                manner = manners[kind, link.nofollow] = self._found(link, parent, nofollow)
            if wire in manner.known:
                continue
            url = split(wire)
            key = key_of(url)
            if (key in accepted or key in before or key in spellings) and self._has_enough_spellings(key):
                continue
            candidate = Candidate(url, manner.depth, kind, manner.redirects, off_site, manner.nofollow)
            entries.append(self._entry(candidate, manner, key, via))
        return (*entries, *self._ascend(entries, parent)) if self._ascends else tuple(entries)

    def follow(self, target: str, parent: Entry) -> tuple[Entry, ...]:
        """Admit where a URL redirects to, even if it is known; nothing: to itself. Where a seed leads to is a seed.

        Another spelling of the same URL is told apart by a key of its own, unless it is the one that led here.
        """
        if target == parent.url:
            return ()
        url = split(target)
        key = self._keys.key(url)
        if key in (parent.key, self._keys.key(split(parent.url))) and target != parent.via:
            key = spelled(target)
        kind = LinkKind.SEED if parent.kind is LinkKind.SEED else LinkKind.REDIRECT
        manner = self._manner(kind, parent.depth, parent.redirects + 1, False)
        candidate = Candidate(url, manner.depth, kind, manner.redirects, parent.off_site)
        entry = self._entry(candidate, manner, key, parent.url)
        return (entry, *self._ascend([entry], parent)) if self._ascends else (entry,)

    def weigh(self, entries: tuple[Entry, ...], hints: Sequence[Hint]) -> tuple[Entry, ...]:
        """Give what a sitemap lists the score that its word for it is worth."""
        if self._scorer is not None:
            return entries
        said = {hint.url: hint.priority for hint in hints if hint.priority is not None}
        return tuple([self._weighed(entry, said[entry.url]) if entry.url in said else entry for entry in entries])

    def line_up(
        self, entries: tuple[Entry, ...], links: Sequence[Link], parent: Entry, is_news: bool, is_doubtful: bool
    ) -> tuple[Entry, ...]:
        """Put those last that are beyond the first links of a page, and all of a page that is no news.

        If pages of that make are in doubt, one of its links is tried at once: does it lead to something new all the same?
        """
        top = self._settings.documents.top_links if is_news else 0
        if len(links) <= top or not entries or links[0].kind is LinkKind.SITEMAP:
            return entries  # nearly always
        order, last = self._settings.crawl.order, {link.url for link in links[top:]}
        tried = priority.to_try(entries, parent) if is_doubtful and not is_news else None
        return tuple([priority.put_last(entry, order, entry is tried) if entry.url in last else entry for entry in entries])

    def put_aside(self, entries: tuple[Entry, ...], asides: Set[str]) -> tuple[Entry, ...]:
        """Put those last that say of themselves that they are no page."""
        if not self._has_classes:
            return entries
        return tuple([priority.as_file(entry) if entry.url in asides else entry for entry in entries])

    def _weighed(self, entry: Entry, said: float) -> Entry:
        order, weights = self._settings.crawl.order, self._settings.score
        score, level = priority.rank(entry.kind, entry.depth, entry.redirects, order, weights, said)
        return replace(entry, score=score, priority=level)

    def _ascend(self, entries: Iterable[Entry], parent: Entry) -> tuple[Entry, ...]:
        """Admit the folders above URLs that were admitted."""
        urls = [split(entry.url) for entry in entries if entry.refused is None and entry.kind is not LinkKind.ASCENT]
        folders = dict.fromkeys(folder for url in urls for folder in _folders_above(url))
        return self.admit([Link(folder, LinkKind.ASCENT) for folder in folders], parent) if folders else ()

    def split_known(self, links: Sequence[Link]) -> tuple[list[int | None], Sequence[Link]]:
        """Return the fingerprint of each link's key, if the link is known from lately, else None; and those not known."""
        names, unknown = split_known(tuple(links), self._accepted)
        before = self._accepted_before
        if unknown and before:
            names = [before.get(link.url) if name is None else name for name, link in zip(names, links, strict=True)]
            unknown = [link for link in unknown if link.url not in before]
        return names, unknown

    def remember(self, entries: Iterable[Entry]) -> None:
        """Note entries whose discovery is durable, so that the same links need no second judgement."""
        accepted = self._accepted
        for entry in entries:
            if is_spelled(entry.key):
                continue  # whoever finds it next means its usual key
            if entry.refused is None:
                accepted[entry.url] = fingerprint(entry.key)
                if entry.key != entry.url:
                    self._spellings.setdefault(entry.key, 0)
            elif not self._leaves_site:  # else where the page was that named it counts too, which an entry does not say
                self._remember_refused(entry, entry.refused)
        if len(accepted) >= self._limit // 2:  # one by one, the oldest would be looked for behind all that is gone already
            self._accepted, self._accepted_before = {}, accepted
            self._spellings.clear()

    def trace(self, candidate: Candidate) -> list[Verdict]:
        """Return every rule's verdict, in the order they are asked."""
        return [verdict for rule in (*self._by_manner, *self._by_url) for verdict in rule.trace(candidate)]

    def judge(self, candidate: Candidate) -> Verdict:
        """Return the first refusal, or that the URL belongs to the crawl."""
        return _refusal(self._by_manner, candidate) or _refusal(self._by_url, candidate) or ADMITTED

    def is_checked(self, entry: Entry) -> bool:
        """Tell whether an entry is only asked for, and not followed."""
        return entry.off_site > 0 and self._scope.is_checked(entry)

    def reconsider(self, entry: Entry) -> Entry | None:
        """Judge once more what was refused by its URL; None: it still is."""
        candidate = self.candidate(entry)
        if not self.judge(candidate).allowed:
            return None
        return replace(entry, refused=None, off_site=self._scope.off_site_of(candidate) if self._leaves_site else 0)

    def candidate(self, entry: Entry) -> Candidate:
        """Return what was judged when an entry was made (nofollow is not kept)."""
        found_at = max(entry.off_site - 1, 0)  # where the page was that named it
        return Candidate(url=split(entry.url), depth=entry.depth, kind=entry.kind, redirects=entry.redirects, off_site=found_at)

    def _has_enough_spellings(self, key: str) -> bool:
        """Tell whether the frontier has heard of a known key in so many spellings that one more makes no difference."""
        told = self._spellings.get(key, 0)
        self._spellings[key] = told + 1
        return told >= MOST_SPELLINGS

    def _remember_refused(self, entry: Entry, refused: Verdict) -> None:
        if refused.rule in BY_PAGE:
            return
        if self._refused_count >= self._limit:
            self._forget_refused()
        manner = (entry.kind, entry.depth, entry.redirects, refused.rule == WELCOME.rule)
        self._refused.setdefault(manner, {})[entry.url] = None
        self._refused_count += 1

    def _forget_refused(self) -> None:
        self._refused.clear()
        self._refused_count = 0
        self._manners.clear()

    def _found(self, link: Link, parent: Entry, nofollow: bool) -> LinkOrigin:
        """Return how a link was found."""
        kind = link.kind
        level = kind is LinkKind.REDIRECT or (kind is LinkKind.SITEMAP and parent.kind not in LEVEL_KINDS)
        return self._manner(
            kind,
            parent.depth if level else parent.depth + 1,
            parent.redirects + 1 if kind is LinkKind.REDIRECT else 0,
            (nofollow or link.nofollow) and self._obeys,
        )

    def _manner(self, kind: LinkKind, depth: int, redirects: int, nofollow: bool) -> LinkOrigin:
        """Return what is the same for every link found like that."""
        manner = self._manners.get((kind, depth, redirects, nofollow))
        if manner is not None:
            return manner
        if len(self._manners) >= MOST_MANNERS:
            self._manners.clear()
        score, level = priority.rank(kind, depth, redirects, self._settings.crawl.order, self._settings.score)
        refused = _refusal(self._by_manner, Candidate(NOWHERE, depth, kind, redirects, nofollow=nofollow))
        is_nofollow = refused is not None and refused.rule == WELCOME.rule
        known = self._refused.setdefault((kind, depth, redirects, is_nofollow), {})
        manner = LinkOrigin(depth, redirects, nofollow, score, level, refused, known)
        self._manners[kind, depth, redirects, nofollow] = manner
        return manner

    def _entry(self, candidate: Candidate, manner: LinkOrigin, key: str, via: str) -> Entry:
        url = candidate.url
        return Entry(
            url.wire,
            key,
            url.host.rstrip("."),  # a.example. is the same machine as a.example
            manner.depth,
            candidate.kind,
            via,
            manner.score if self._scorer is None else self._scorer.score(candidate),
            LAST if self._has_classes and priority.is_file(url.path) else manner.priority,
            manner.redirects,
            self._scope.off_site_of(candidate) if self._leaves_site else 0,
            manner.refused or _refusal(self._by_url, candidate),
        )

    def _follow(self, candidate: Candidate) -> Verdict:
        if candidate.kind in self._followed:
            return FOLLOWED
        return Verdict(False, because(Rule.DOCUMENTS_FOLLOW, kind=candidate.kind.value))

    def _nofollow(self, candidate: Candidate) -> Verdict:
        if not candidate.nofollow:
            return WELCOME
        return Verdict(False, because(Rule.ROBOTS_META))

    def _redirects(self, candidate: Candidate) -> Verdict:
        limit = self._settings.fetch.max_redirects
        if candidate.redirects <= limit:
            return NOT_TOO_FAR
        return Verdict(False, because(Rule.FETCH_MAX_REDIRECTS, limit=limit), Outcome.TRAP)

    def _trap(self, candidate: Candidate) -> Verdict:
        return traps.judge(candidate.url, self._traps)

    def _trace_traps(self, candidate: Candidate) -> list[Verdict]:
        return traps.trace(candidate.url, self._settings.traps)


def _folders_above(url: Url) -> Iterator[str]:
    """Give the folders that a URL is in, the nearest first."""
    path = url.path.rstrip("/") if url.query is None else url.path
    while "/" in path:
        path = path[: path.rfind("/")]
        yield f"{url.origin}{path}/"


def _single(judge: Callable[[Candidate], Verdict]) -> AdmissionRule:
    return AdmissionRule(judge, lambda candidate: [judge(candidate)])


def _refusal(rules: Iterable[AdmissionRule], candidate: Candidate) -> Verdict | None:
    for rule in rules:  # asked for every link: a generator would cost half as much again
        verdict = rule.judge(candidate)
        if not verdict.allowed:
            return verdict
    return None


BY_PAGE = frozenset({Rule.TRAPS_SOFT_404, Rule.DOCUMENTS_SITEMAPS})  # refusals by what a link was found on
ADMITTED = Verdict(True, because(Rule.ADMITTED))
FOLLOWED = Verdict(True, because(Rule.DOCUMENTS_FOLLOW))
WELCOME = Verdict(True, because(Rule.ROBOTS_META))
NOT_TOO_FAR = Verdict(True, because(Rule.FETCH_MAX_REDIRECTS))


def rules_of(entries: Iterable[Entry]) -> Counter[str]:
    """Count the rules by which some of these entries were refused."""
    return Counter([refused.reason.rule for entry in entries if (refused := entry.refused) is not None])
