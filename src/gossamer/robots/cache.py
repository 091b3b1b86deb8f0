"""The robots.txt of every origin: durable in a key-value store, the recently used ones compiled in memory.

An origin is scheme, host and port. When nothing fresh is known of one, the first who consults is told to ask, and everybody
else to wait until the answer was learned, the question given back, or its asker not heard of for a minute. An answer counts
as soon as it is learned, and is stored when it is kept: not before its sitemaps and its delay are durable, or a crash between
the two would lose them for as long as the answer is good. Memory is bounded by origins and by rules; the store keeps a small
state and the text apart, so that only a new text is written at length.
Standard: RFC 9309.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from gossamer.config.sections import RobotsTxt
from gossamer.joints.keyvalue import KeyValue
from gossamer.records.consultation import Consultation, Learned, RobotsCopy
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.robots.answer import KnownRobots, advance, reason_for
from gossamer.robots.patterns import ITSELF, Group
from gossamer.robots.rules import Rules, parse
from gossamer.url.parse import Base, split

PATIENCE = 60.0  # seconds until an asker counts as lost
RULES_KEPT = 500_000  # compiled rules in memory, all origins together: about 100 MB
LONG = 32 * 1024  # bytes of a file that takes more than a few milliseconds to read

_SCHEMES = ("http", "https", "ftp")
_WEB = ("http://", "https://")
_ITSELF = "/robots.txt"
_PLACE = "robots/"  # and the host
_STATE = b"state/"
_TEXT = b"text/"
_decode = msgspec.msgpack.Decoder(KnownRobots).decode
_encode = msgspec.msgpack.Encoder().encode


class _Cached:
    """An origin in memory: what is known, what that says about every URL, and the groups compiled so far by user agent."""

    __slots__ = ("groups", "known", "ruling")

    def __init__(self, known: KnownRobots) -> None:
        self.groups: dict[str, Group] = {}
        self.learn(known)

    def learn(self, known: KnownRobots) -> None:
        """Go by this from now on."""
        self.known = known
        self.ruling = _ruling_of_all(known)  # None: it depends on the URL, or nothing is known

    @property
    def rules(self) -> int:
        return sum(group.size for group in self.groups.values())


class RobotsCache:
    """Implements `joints.robots.Robots`."""

    def __init__(self, settings: RobotsTxt, kv: KeyValue, size: int = 10_000) -> None:
        self._settings = settings
        self._obeys = settings.obey
        self._kv = kv
        self._size = size
        self._recent: OrderedDict[str, _Cached] = OrderedDict()
        self._rules = 0
        self._unkept: dict[str, dict[bytes, bytes]] = {}  # rows learned and not yet stored, by origin
        self._asking: dict[str, float] = {}  # until when the asker of an origin is waited for

    async def consult(self, url: str, agent: str, now: float) -> Consultation:
        """Say whether `agent` may fetch a URL; "ask" makes the caller the one who fetches robots.txt, others "wait"."""
        if not (self._obeys and url.startswith(_WEB)) or url.endswith(_ITSELF):
            exempt = self._exempt(url)
            if exempt is not None:
                return exempt
        origin = _origin(url)
        cached = self._recent.get(origin)
        if cached is None:
            cached = await self._recall(origin)
        else:
            self._recent.move_to_end(origin)
        known = cached.known
        if known.expires > now:
            if cached.ruling is not None:
                return cached.ruling
            group = cached.groups.get(agent)
            if group is not None and len(url) <= group.at_once:  # nearly always: nothing to wait for
                return _ruling(*group.judge(url))
            return await self._judge(origin, cached, url, agent)
        if known.retry_at > now:
            if known.kind == "rules":
                return await self._judge(origin, cached, url, agent)
            return Consultation(verdict="wait", reason=because(Rule.ROBOTS_RETRY), due=known.retry_at)
        if self._asking.get(origin, 0.0) > now:
            return Consultation(verdict="wait", reason=because(Rule.ROBOTS_AWAITED))
        if len(self._asking) > self._size:
            self._asking = {other: until for other, until in self._asking.items() if until > now}
        self._asking[origin] = now + PATIENCE
        return _question(origin, known)

    async def learn(self, url: str, fetched: Fetched, agent: str, delay: float, now: float) -> Learned:
        """Take the answer to what `consult` of that URL asked for; waits are counted in the host's delays."""
        origin = _origin(url)
        cached = await self._recall(origin)
        step = advance(cached.known, fetched, self._settings, delay, now)
        rules = None if step.text is None else await self._read_rules(step.text, agent)
        rows = self._unkept.setdefault(origin, {})
        rows[_STATE + origin.encode()] = _encode(step.known)
        if step.text is not None:
            rows[_TEXT + origin.encode()] = step.text
        self._asking.pop(origin, None)
        if rules is None:
            cached.learn(step.known)
            self._remember(origin, cached)
            return Learned(block_until=step.block_until, reason=step.reason)
        fresh = _Cached(step.known)
        fresh.groups[agent] = rules.group(agent)
        self._remember(origin, fresh)
        return Learned(delay=rules.delay(agent), sitemaps=_sitemaps(rules, fetched.url))

    async def keep(self, urls: Sequence[str]) -> None:
        """Make durable what was learned for these URLs."""
        origins = dict.fromkeys(map(_origin, urls))
        rows = {origin: dict(self._unkept.get(origin, {})) for origin in origins}
        await self._kv.put_places(_placed(rows))
        for origin in origins:
            unkept = self._unkept.get(origin, {})
            if all(rows[origin].get(key) is value for key, value in unkept.items()):  # nothing was learned meanwhile
                self._unkept.pop(origin, None)

    def forget(self, url: str) -> None:
        """Drop what was learned for a URL and not kept; the next `consult` goes by what is stored."""
        origin = _origin(url)
        if self._unkept.pop(origin, None) is not None and (cached := self._recent.pop(origin, None)) is not None:
            self._rules -= cached.rules

    async def reopen(self, urls: Sequence[str]) -> None:
        """Forget that a robots.txt of these URLs was out of reach, so that it is asked for again; rules that were read stay."""
        rows = {}
        for origin in dict.fromkeys(map(_origin, urls)):
            cached = await self._recall(origin)
            if cached.known.kind in ("nothing", "closed") and cached.known != KnownRobots():
                cached.learn(KnownRobots())
                self._unkept.pop(origin, None)
                rows[origin] = {_STATE + origin.encode(): _encode(KnownRobots())}
        await self._kv.put_places(_placed(rows))

    def release(self, url: str) -> None:
        """Give back an "ask" that could not be sent now; the next `consult` may ask."""
        self._asking.pop(_origin(url), None)

    async def files(self, host: str) -> list[RobotsCopy]:
        """Return what is known of every origin of a host, by origin."""
        place = _PLACE + host.rstrip(".")
        rows = {key: value async for key, value in self._kv.at(place).scan(b"")}
        for origin, learned in self._unkept.items():
            if _place_of(origin) == place:
                rows |= learned
        states = {key.removeprefix(_STATE).decode(): _read(rows[key]) for key in sorted(rows) if key.startswith(_STATE)}
        return [
            RobotsCopy(
                origin=origin,
                kind=known.kind,
                detail=known.detail,
                fetched_at=known.at,
                expires_at=known.expires,
                status=known.status,
                text=rows.get(_TEXT + origin.encode(), b"") if known.kind == "rules" else b"",
            )
            for origin, known in states.items()
            if known.kind != "nothing"
        ]

    async def peek(self, url: str, agent: str, now: float) -> Consultation:
        """Like `consult`, but makes nobody ask, and an answer that has expired still counts: for explaining."""
        exempt = self._exempt(url)
        if exempt is not None:
            return exempt
        origin = _origin(url)
        cached = await self._recall(origin)
        if cached.known.kind == "nothing":
            return _question(origin, cached.known)
        return await self._judge(origin, cached, url, agent)

    def _exempt(self, url: str) -> Consultation | None:
        if not self._obeys:
            return Consultation(verdict="allowed", reason=because(Rule.ROBOTS_OFF))
        scheme = url.partition(":")[0]
        if scheme not in _SCHEMES:
            return Consultation(verdict="allowed", reason=because(Rule.ROBOTS_NONE, scheme=scheme))
        if url.endswith(_ITSELF) and url == _origin(url) + _ITSELF:
            return _ruling(*ITSELF)
        return None

    async def _judge(self, origin: str, cached: _Cached, url: str, agent: str) -> Consultation:
        if cached.ruling is not None:
            return cached.ruling
        group = cached.groups.get(agent)
        if group is None:
            group = await self._compile(origin, cached, agent)
        if len(url) > group.at_once:  # in a thread, which the loop interrupts
            return _ruling(*await asyncio.to_thread(group.judge, url))
        return _ruling(*group.judge(url))

    async def _compile(self, origin: str, cached: _Cached, agent: str) -> Group:
        text = await self._get(origin, _TEXT) or b""
        group = (await self._read_rules(text, agent)).group(agent)
        if agent in cached.groups:
            return cached.groups[agent]  # compiled while we waited
        cached.groups[agent] = group
        if self._recent.get(origin) is cached:
            self._rules += group.size
            self._shrink()
        return group

    async def _read_rules(self, text: bytes, agent: str) -> Rules:
        """Read a file and compile a robot's group; a long one in a thread, so that the loop turns on meanwhile."""
        if len(text) <= LONG:
            return parse(text, self._settings.max_bytes)
        return await asyncio.to_thread(_compiled, text, self._settings.max_bytes, agent)

    async def _recall(self, origin: str) -> _Cached:
        cached = self._recent.get(origin)
        if cached is not None:
            self._recent.move_to_end(origin)
            return cached
        row = await self._get(origin, _STATE)
        cached = self._recent.get(origin) or _Cached(_read(row))  # learned while we waited, perhaps
        self._remember(origin, cached)
        return cached

    async def _get(self, origin: str, kind: bytes) -> bytes | None:
        key = kind + origin.encode()
        unkept = self._unkept.get(origin, {}).get(key)
        return unkept if unkept is not None else await self._kv.at(_place_of(origin)).get(key)

    def _remember(self, origin: str, cached: _Cached) -> None:
        before = self._recent.pop(origin, None)
        self._recent[origin] = cached
        self._rules += cached.rules - (before.rules if before is not None else 0)
        self._shrink()

    def _shrink(self) -> None:
        while len(self._recent) > 1 and (len(self._recent) > self._size or self._rules > RULES_KEPT):
            _, oldest = self._recent.popitem(last=False)
            self._rules -= oldest.rules


def _place_of(origin: str) -> str:
    return _PLACE + split(origin).host.rstrip(".")


def _placed(rows: Mapping[str, Mapping[bytes, bytes]]) -> dict[str, list[tuple[bytes, bytes]]]:
    """Return rows of origins by place: a host may have several."""
    places: dict[str, list[tuple[bytes, bytes]]] = {}
    for origin, pairs in rows.items():
        places.setdefault(_place_of(origin), []).extend(pairs.items())
    return places


def _origin(url: str) -> str:
    """Return scheme, host and port as they begin a wire URL."""
    slash = url.find("/", url.find("://") + 3)
    return url if slash < 0 else url[:slash]


@lru_cache(maxsize=1_024)  # a rule decides about many URLs
def _ruling(allowed: bool, line: str) -> Consultation:
    return Consultation(verdict="allowed" if allowed else "denied", reason=because(Rule.ROBOTS_TXT, line=line))


def _ruling_of_all(known: KnownRobots) -> Consultation | None:
    """Return what holds for all URLs of an origin without a robots.txt that could be read."""
    if known.kind == "open":
        return Consultation(verdict="allowed", reason=reason_for(known))
    if known.kind == "closed":
        outcome = Outcome(known.cause) if known.cause else Outcome.ROBOTS_DENIED
        reason = reason_for(known) if known.cause else because(Rule.ROBOTS_TXT, unreachable=known.detail)
        return Consultation(verdict="denied", reason=reason, due=known.expires, outcome=outcome)
    return None


def _question(origin: str, known: KnownRobots) -> Consultation:
    return Consultation(verdict="ask", reason=because(Rule.ROBOTS_UNKNOWN), ask=known.location or f"{origin}/robots.txt")


def _compiled(text: bytes, limit: int, agent: str) -> Rules:
    rules = parse(text, limit)
    rules.group(agent)
    return rules


def _read(row: bytes | None) -> KnownRobots:
    if row is None:
        return KnownRobots()
    try:
        return _decode(row)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return KnownRobots()  # written by another version: ask again


def _sitemaps(rules: Rules, url: str) -> tuple[str, ...]:
    base = Base(url)
    links = dict.fromkeys(base.join(sitemap) for sitemap in rules.sitemaps)
    return tuple(link for link in links if link and link.startswith(_WEB))
