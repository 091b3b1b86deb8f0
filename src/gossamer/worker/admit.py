"""Admission: from links of a page to entries for the frontier. Every link leaves with a verdict; none is dropped.

A refused link becomes an entry too, which the frontier remembers and never queues, so that it can be explained. Refusals that
depend on where a link was found (depth, nofollow, redirects) are lifted by the frontier when another way in is found.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from gossamer.config.sections import Settings
from gossamer.filters.scope import Scope
from gossamer.filters.verdict import Candidate
from gossamer.policy import priority, traps
from gossamer.records import Entry, Link, LinkKind, Outcome, Verdict
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import Url, parse, split

# A sitemap, or a page reached by a redirect, is as near to the seeds as what named it. Redirects in a row are counted; a
# sitemap that another one (or a redirect) led to is a hop like any other, so that no row of indexes is without end.
LEVEL_KINDS = frozenset({LinkKind.SITEMAP, LinkKind.REDIRECT})


class Filter(Protocol):
    """A plugin's rule."""

    def judge(self, candidate: Candidate) -> Verdict: ...


class Scorer(Protocol):
    """A plugin's order: score (higher is sooner, 0 to 1) of a URL."""

    def score(self, candidate: Candidate) -> float: ...


class Admission:
    """Judges links and ranks those that pass."""

    def __init__(
        self,
        settings: Settings,
        scope: Scope,
        filters: Sequence[Filter] = (),
        scorer: Scorer | None = None,
        remembered: int = 100_000,
    ) -> None:
        self.scope = scope  # replaced when a list file changes
        self._settings = settings
        self._keys = KeyRules(**settings.key.model_dump())
        self._followed = frozenset(settings.documents.follow)
        self._leaves_site = settings.scope.off_site_hops > 0
        self._filters = filters
        self._scorer = scorer
        self._limit = remembered
        self._accepted: dict[str, None] = {}

    def key(self, url: Url) -> str:
        """Return what a URL is deduplicated by."""
        return self._keys.key(url)

    def seed(self, text: str) -> Entry:
        """Admit a seed; raise `UrlError` for a text that is no URL."""
        return self._entry(Candidate(url=parse(text), depth=0, kind=LinkKind.SEED), via="")

    def admit(self, links: Iterable[Link], parent: Entry, nofollow: bool = False) -> tuple[Entry, ...]:
        """Turn the links of a page into entries, refused ones included; links accepted lately are known and left out."""
        entries = []
        for link in links:
            if link.url in self._accepted:
                continue
            entries.append(self._entry(self._candidate(split(link.url), link, parent, nofollow), via=parent.url))
        return tuple(entries)

    def remember(self, entries: Iterable[Entry]) -> None:
        """Note entries whose discovery is durable, so that the same links need no second judgement."""
        accepted = self._accepted
        for entry in entries:
            if entry.refused is None:
                accepted[entry.url] = None
        while len(accepted) > self._limit:
            del accepted[next(iter(accepted))]

    def trace(self, candidate: Candidate) -> list[Verdict]:
        """Return every rule's verdict, in the order they are asked."""
        own = [self._follow(candidate), self._nofollow(candidate), self._redirects(candidate)]
        named = [rule.judge(candidate) for rule in self._filters]
        return [*own, *self.scope.trace(candidate), *traps.trace(candidate.url, self._settings.traps), *named]

    def judge(self, candidate: Candidate) -> Verdict:
        """Return the first refusal, or that the URL belongs to the crawl."""
        for rule in (self._follow, self._nofollow, self._redirects, self.scope.judge, self._trap):
            verdict = rule(candidate)
            if not verdict.allowed:
                return verdict
        for plugin in self._filters:
            verdict = plugin.judge(candidate)
            if not verdict.allowed:
                return verdict
        return ADMITTED

    def candidate(self, entry: Entry) -> Candidate:
        """Return what was judged when an entry was made (nofollow is not kept)."""
        found_at = max(entry.off_site - 1, 0)  # where the page was that named it
        return Candidate(url=split(entry.url), depth=entry.depth, kind=entry.kind, redirects=entry.redirects, off_site=found_at)

    def _candidate(self, url: Url, link: Link, parent: Entry, nofollow: bool) -> Candidate:
        level = link.kind is LinkKind.REDIRECT or (link.kind is LinkKind.SITEMAP and parent.kind not in LEVEL_KINDS)
        return Candidate(
            url=url,
            depth=parent.depth if level else parent.depth + 1,
            kind=link.kind,
            redirects=parent.redirects + 1 if link.kind is LinkKind.REDIRECT else 0,
            off_site=parent.off_site,
            nofollow=(nofollow or link.nofollow) and self._settings.robots.meta,
        )

    def _entry(self, candidate: Candidate, via: str) -> Entry:
        verdict = self.judge(candidate)
        score, level = priority.rank(candidate.kind, candidate.depth, candidate.redirects, self._settings.crawl.order)
        if self._scorer is not None:
            score = self._scorer.score(candidate)
        return Entry(
            url=candidate.url.wire,
            key=self._keys.key(candidate.url),
            host=candidate.url.host.rstrip("."),  # a.example. is the same machine as a.example
            depth=candidate.depth,
            kind=candidate.kind,
            via=via,
            score=score,
            priority=level,
            redirects=candidate.redirects,
            off_site=self.scope.off_site_of(candidate) if self._leaves_site else 0,
            refused=None if verdict.allowed else verdict,
        )

    def _follow(self, candidate: Candidate) -> Verdict:
        if candidate.kind in self._followed:
            return FOLLOWED
        return Verdict(False, "documents.follow", f"links of kind {candidate.kind} are not followed")

    def _nofollow(self, candidate: Candidate) -> Verdict:
        if not candidate.nofollow:
            return WELCOME
        return Verdict(False, "robots.meta", "found only behind nofollow")

    def _redirects(self, candidate: Candidate) -> Verdict:
        limit = self._settings.fetch.max_redirects
        if candidate.redirects <= limit:
            return NOT_TOO_FAR
        return Verdict(False, "fetch.max_redirects", f"more than {limit} redirects in a row", Outcome.TRAP)

    def _trap(self, candidate: Candidate) -> Verdict:
        return traps.judge(candidate.url, self._settings.traps)


ADMITTED = Verdict(True, "admitted")
FOLLOWED = Verdict(True, "documents.follow")
WELCOME = Verdict(True, "robots.meta")
NOT_TOO_FAR = Verdict(True, "fetch.max_redirects")
