"""Scope: does a URL belong to this crawl?

Each rule is one method named like the knob that steers it, and each verdict names its rule. `judge` stops at the first refusal
and asks only the rules that are configured, because it is asked about every link; `trace` asks all of them, for `explain`.
The first rules look at scheme, host and port alone, so their verdict is kept for the next link to the same site: half the price
of a judgement.

A site is what `scope.within` makes of the seeds: their hosts, their registrable domains, or the directories they lie in. Two
services on two ports of a host are two sites, as they are for a browser; only the usual ports of http and https are one, so
that a site may move between them. A domain is all its hosts with all their ports. A `file:` URL has no host; its seed's
directory stands for it, whatever `within` says, so that no page can make a crawl of local files wander over the disk.

`allow` is about what is found: a seed is where somebody asked to begin, so it is fetched whether or not it looks like that.

With `check_external` a link that leads out of the sites is allowed by a rule of its own: it is asked for and not followed
(`is_checked`). What belongs to the crawl (depth, what is allowed) does not count for it, what is blocked does.
"""

from collections.abc import Callable, Iterable
from copy import copy

from gossamer.config.sections import ScopeSettings as Settings
from gossamer.filters.patterns import Expressions, Hosts, Patterns, Prefixes, port_of
from gossamer.filters.verdict import first_refusal
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Entry, LinkKind, Verdict
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.host import registrable_domain
from gossamer.url.parse import Url, split

FETCHABLE = frozenset(("http", "https", "file"))  # what there are fetchers for, unless somebody says otherwise
RULES = (
    "schemes",
    "block_hosts",
    "within",
    "max_depth",
    "allow_prefixes",
    "block_prefixes",
    "allow",
    "block",
    "block_extensions",
    "allow_file",
    "block_file",
)
CHECK_RULES = tuple(rule for rule in RULES if rule not in ("max_depth", "allow_prefixes", "allow", "allow_file"))
SITE_RULES = frozenset(("schemes", "block_hosts", "within"))  # these come first, then max_depth
MOST_SITES = 65_536  # whose verdict is kept
ALLOWED = {rule: Verdict(True, because(f"scope.{rule}")) for rule in RULES}  # made once: nearly every answer is one of these
IN_SCOPE = Verdict(True, because(Rule.SCOPE))
UNCHECKED = frozenset({LinkKind.SEED, LinkKind.ASCENT})  # one is ours wherever it is, the other nobody links to


class Scope:
    """The rules of one crawl, compiled."""

    def __init__(self, settings: Settings, seeds: Iterable[Url], fetchable: Iterable[str] = FETCHABLE) -> None:
        seeds = tuple(seeds)
        self._settings = settings
        self._fetchable = frozenset(fetchable)
        self._max_depth = settings.max_depth
        self._schemes = frozenset(settings.schemes) | {seed.scheme for seed in seeds}
        self._allow_hosts = Hosts(settings.allow_hosts, "scope.allow_hosts")
        self._block_hosts = Hosts(settings.block_hosts, "scope.block_hosts")
        self._allow_prefixes = Prefixes(settings.allow_prefixes, "scope.allow_prefixes")
        self._block_prefixes = Prefixes(settings.block_prefixes, "scope.block_prefixes")
        self._allow = Expressions(settings.allow, "scope.allow")
        self._block = Expressions(settings.block, "scope.block")
        self._extensions = tuple("." + extension.lstrip(".").lower() for extension in settings.block_extensions)
        self._allow_list: Patterns | None = None
        self._block_list: Patterns | None = None
        self._hosts: frozenset[tuple[str, int | None]] = frozenset()
        self._domains: frozenset[str] = frozenset()
        self._directories: tuple[str, ...] = ()
        self._locate(seeds)
        self._checks = settings.check_external
        self._by_site = settings.within != "prefix" and not settings.off_site_hops and not self._checks
        self._sites: dict[tuple[str, str, int | None], Verdict] = {}
        self._choose()

    def _locate(self, seeds: tuple[Url, ...]) -> None:
        """Note where seeds are, beside those that are known; what is known is not looked at again: there may be very many."""
        within = self._settings.within
        hosts = {(seed.host, seed.port) for seed in seeds if seed.host}
        self._hosts |= hosts
        if within == "domain":
            self._domains |= {registrable_domain(host) for host, _ in hosts}
        rooted = [seed for seed in seeds if within == "prefix" or not seed.host]
        new = dict.fromkeys(directory for seed in rooted for directory in directories(seed))
        self._directories += tuple(new)

    def with_lists(self, allow: Patterns | None, block: Patterns | None) -> "Scope":
        """Return the same scope with these lists for `allow_file` and `block_file`; this one stays as it is."""
        scope = copy(self)
        scope._allow_list, scope._block_list = allow, block
        scope._choose()
        return scope

    def extend(self, seeds: Iterable[Url]) -> None:
        """Take in where seeds arrived that redirect, or what was seeded later: from now on these are seeds, too."""
        seeds = tuple(seeds)
        self._locate(seeds)
        self._schemes |= {seed.scheme for seed in seeds}
        self._sites.clear()
        self._choose()

    def judge(self, candidate: Candidate) -> Verdict:
        """Return the first refusal, or that the candidate is in scope."""
        url = candidate.url
        known = self._sites.get((url.scheme, url.host, url.port)) if candidate.kind is not LinkKind.SEED else None
        verdict = known or self._judge_site(candidate)
        if verdict is not IN_SCOPE:
            return (first_refusal(rule(candidate) for rule in self._check_rules) or verdict) if verdict.allowed else verdict
        if candidate.depth > self._max_depth:
            return self._judge_max_depth(candidate)
        for rule in self._rules:
            verdict = rule(candidate)
            if not verdict.allowed:
                return verdict
        return IN_SCOPE

    def trace(self, candidate: Candidate) -> list[Verdict]:
        """Return every rule's verdict, in order."""
        return [self._rule(name)(candidate) for name in (CHECK_RULES if self._is_external(candidate) else RULES)]

    def is_checked(self, entry: Entry) -> bool:
        """Tell whether an entry that was admitted is only asked for, and not followed; a site that is ours by now is not.

        Whatever the settings say by now: what was admitted to be checked is never crawled.
        """
        return entry.off_site > self._settings.off_site_hops and not self._is_inside(split(entry.url))

    def off_site_of(self, candidate: Candidate) -> int:
        """Return how many hops beyond the seeds' sites the candidate is: 0 on them."""
        return 0 if candidate.kind is LinkKind.SEED or self._is_inside(candidate.url) else candidate.off_site + 1

    def _judge_site(self, candidate: Candidate) -> Verdict:
        """Return the first refusal of the rules about sites, and keep it: it holds for whatever else is there."""
        site = (candidate.url.scheme, candidate.url.host, candidate.url.port)
        verdict = first_refusal(rule(candidate) for rule in self._site_rules) or IN_SCOPE
        if verdict is IN_SCOPE and self._is_external(candidate):
            return self._judge_within(candidate)
        if self._by_site and site[1] and candidate.kind is not LinkKind.SEED:
            if len(self._sites) >= MOST_SITES:
                self._sites.clear()
            self._sites[site] = verdict
        return verdict

    def _choose(self) -> None:
        """Note which rules are configured."""
        configured = {
            "schemes": True,
            "block_hosts": bool(self._block_hosts),
            "within": self._settings.within != "any" or "file" in self._schemes,
            "max_depth": True,
            "allow_prefixes": bool(self._allow_prefixes),
            "block_prefixes": bool(self._block_prefixes),
            "allow": bool(self._allow),
            "block": bool(self._block),
            "block_extensions": bool(self._extensions),
            "allow_file": self._allow_list is not None,
            "block_file": self._block_list is not None,
        }
        chosen = [name for name in RULES if configured[name]]
        self._site_rules = [self._rule(name) for name in chosen if name in SITE_RULES]
        self._rules = [self._rule(name) for name in chosen if name not in SITE_RULES and name != "max_depth"]
        self._check_rules = [self._rule(name) for name in chosen if name in CHECK_RULES and name not in SITE_RULES]

    def _rule(self, name: str) -> Callable[[Candidate], Verdict]:
        rule: Callable[[Candidate], Verdict] = getattr(self, f"_judge_{name}")
        return rule

    def _is_external(self, candidate: Candidate) -> bool:
        """Tell whether a URL is outside, but linked by a page of ours, or where one redirects to: then it is checked."""
        if not self._checks or candidate.off_site or candidate.kind in UNCHECKED or not candidate.url.host:
            return False
        return not self._is_inside(candidate.url)

    def _is_inside(self, url: Url) -> bool:
        within, host = self._settings.within, url.host
        if not host:
            return url.wire.startswith(self._directories)
        if within == "any" or (self._allow_hosts and self._allow_hosts.match(url)):
            return True
        if within == "host":
            return (host, url.port) in self._hosts
        return registrable_domain(host) in self._domains if within == "domain" else url.wire.startswith(self._directories)

    def _judge_schemes(self, candidate: Candidate) -> Verdict:
        scheme = candidate.url.scheme
        if scheme not in self._fetchable:
            return Verdict(False, because(Rule.SCOPE_SCHEMES, unfetchable=scheme), Outcome.UNSUPPORTED)
        if scheme in self._schemes:
            return ALLOWED["schemes"]
        return _refuse(because(Rule.SCOPE_SCHEMES, scheme=scheme))

    def _judge_block_hosts(self, candidate: Candidate) -> Verdict:
        found = self._block_hosts.match(candidate.url)
        return _refuse(because(Rule.SCOPE_BLOCK_HOSTS, pattern=found)) if found else ALLOWED["block_hosts"]

    def _judge_within(self, candidate: Candidate) -> Verdict:
        if candidate.kind is LinkKind.SEED or self._is_inside(candidate.url):
            return ALLOWED["within"]  # where a seed redirects to is a seed
        refusal = self._refuse_outside(candidate)
        if refusal.allowed or not self._is_external(candidate):
            return refusal
        return Verdict(True, because(Rule.SCOPE_CHECK_EXTERNAL, why=refusal.reason.text))

    def _refuse_outside(self, candidate: Candidate) -> Verdict:
        settings, host, hop = self._settings, candidate.url.host, candidate.off_site + 1
        if host and hop <= settings.off_site_hops:
            return ALLOWED["within"]
        if host and settings.off_site_hops:
            return _refuse(because(Rule.SCOPE_WITHIN, hop=hop, off_site_hops=settings.off_site_hops))
        if settings.within == "prefix" or not host:
            return _refuse(because(Rule.SCOPE_WITHIN))
        return _refuse(because(Rule.SCOPE_WITHIN, site=self._named(candidate.url), within=settings.within))

    def _named(self, url: Url) -> str:
        """Name a host that is not ours, with its port where the host alone would be."""
        ours = any(host == url.host for host, _ in self._hosts) and self._settings.within == "host"
        return f"{url.host}:{port_of(url)}" if ours else url.host

    def _judge_max_depth(self, candidate: Candidate) -> Verdict:
        if candidate.depth <= self._max_depth:
            return ALLOWED["max_depth"]
        return _refuse(because(Rule.SCOPE_MAX_DEPTH, depth=candidate.depth, limit=self._max_depth))

    def _judge_allow_prefixes(self, candidate: Candidate) -> Verdict:
        if not self._allow_prefixes or self._allow_prefixes.match(candidate.url):
            return ALLOWED["allow_prefixes"]
        return _refuse(because(Rule.SCOPE_ALLOW_PREFIXES))

    def _judge_block_prefixes(self, candidate: Candidate) -> Verdict:
        found = self._block_prefixes.match(candidate.url)
        return _refuse(because(Rule.SCOPE_BLOCK_PREFIXES, prefix=found)) if found else ALLOWED["block_prefixes"]

    def _judge_allow(self, candidate: Candidate) -> Verdict:
        if not self._allow or candidate.kind is LinkKind.SEED or self._allow.match(candidate.url):
            return ALLOWED["allow"]
        return _refuse(because(Rule.SCOPE_ALLOW))

    def _judge_block(self, candidate: Candidate) -> Verdict:
        found = self._block.match(candidate.url)
        return _refuse(because(Rule.SCOPE_BLOCK, expression=found)) if found else ALLOWED["block"]

    def _judge_block_extensions(self, candidate: Candidate) -> Verdict:
        name = candidate.url.path.rpartition("/")[2].lower()
        if not self._extensions or not name.endswith(self._extensions):
            return ALLOWED["block_extensions"]
        found = next(extension for extension in self._extensions if name.endswith(extension))
        return _refuse(because(Rule.SCOPE_BLOCK_EXTENSIONS, extension=found))

    def _judge_allow_file(self, candidate: Candidate) -> Verdict:
        if self._allow_list is None or self._allow_list.match(candidate.url):
            return ALLOWED["allow_file"]
        return _refuse(because(Rule.SCOPE_ALLOW_FILE))

    def _judge_block_file(self, candidate: Candidate) -> Verdict:
        found = self._block_list.match(candidate.url) if self._block_list is not None else ""
        return _refuse(because(Rule.SCOPE_BLOCK_FILE, line=found)) if found else ALLOWED["block_file"]


def directories(seed: Url) -> tuple[str, ...]:
    """Return how URLs in the seed's directory begin; a site without a port of its own may move between http and https."""
    directory = seed.wire.partition("?")[0].rpartition("/")[0] + "/"
    if seed.scheme not in ("http", "https") or seed.port is not None:
        return (directory,)
    rest = directory.partition(":")[2]
    return (f"http:{rest}", f"https:{rest}")


def _refuse(reason: Reason) -> Verdict:
    return Verdict(False, reason)
