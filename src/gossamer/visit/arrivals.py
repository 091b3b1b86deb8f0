"""Where seeds arrived that redirect, and seeds that came later: part of the scope, like the seeds a crawl began with.

Of the former a row each, durable before the visit that arrived is settled, so that whoever resumes the crawl keeps to the same
scope; the latter stand in `seeds.txt`. Workers in processes of their own are told with their leases, hence before any page
beyond that seed is theirs to read. What was refused as foreign before it belonged to the scope, or only checked, is looked at
once more when nothing else is left to do.
"""

from collections.abc import Iterable, Sequence

from gossamer.clock import Clock
from gossamer.joints.frontier import Frontier
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.joints.walks import batches
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.outcome import Outcome, State
from gossamer.records.visit import Visit
from gossamer.url.parse import split
from gossamer.url.spelling import spelled
from gossamer.visit.admit import LinkJudge
from gossamer.watch.events import Events, SeedArrived

ARRIVED = frozenset({Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED})
AT_ONCE = 1_000  # URLs looked at in one turn of the loop
_PREFIX = b"arrival/"


class Arrivals:
    """The pages that seeds led to."""

    def __init__(self, kv: KeyValue, frontier: Frontier, admission: LinkJudge, clock: Clock) -> None:
        self._kv = kv.at(RUN)
        self._frontier = frontier
        self._admission = admission
        self._clock = clock
        self._is_settled = True  # nothing refused as foreign could belong to the crawl by now
        self.urls: list[str] = []  # in the order in which they came to be known
        self._known: set[str] = set()

    @classmethod
    async def load(cls, kv: KeyValue, frontier: Frontier, admission: LinkJudge, clock: Clock) -> "Arrivals":
        """Take up where seeds arrived in earlier runs."""
        made = cls(kv, frontier, admission, clock)
        made.urls = [key[len(_PREFIX) :].decode() async for key, _ in kv.at(RUN).scan(_PREFIX)]
        made._known.update(made.urls)
        made._is_settled = not made.urls and not admission.checks_external
        admission.extend(made.urls)
        return made

    async def note(self, visits: Sequence[Visit], events: Events) -> None:
        """Note which of some visits arrived."""
        for visit in visits:
            entry, page = visit.settlement.lease.entry, visit.page
            if entry.kind is not LinkKind.SEED or not entry.redirects or page is None or page.outcome not in ARRIVED:
                continue
            if entry.url not in self._known:
                await self._kv.put(_PREFIX + entry.url.encode(), b"")
                self.urls.append(entry.url)
                self._known.add(entry.url)
                self._admission.extend([entry.url])
                self._is_settled = False
                events.publish(SeedArrived(await self._seed_of(entry), entry.url))

    def widen(self, seeds: Iterable[str]) -> None:
        """Let further seeds belong to the scope, here and in workers; whoever calls has made them durable (`seeds.txt`)."""
        new = [seed for seed in seeds if seed not in self._known]
        if new:
            self.urls += new
            self._known.update(new)
            self._admission.extend(new)
            self._is_settled = False

    async def _seed_of(self, entry: Entry) -> str:
        """Return the seed that led here, by one redirect or several."""
        for _ in range(entry.redirects):
            keys = (spelled(entry.via), self._admission.key(split(entry.via)))
            before = [known for key in keys if (known := await self._frontier.lookup(key)) is not None]
            if not before or not before[0].entry.redirects:
                break
            entry = before[0].entry
        return entry.via

    async def reconsider(self) -> bool:
        """Queue what was refused as foreign, or only checked, before its site was a seed's; tell whether there was any.

        What was refused before links to other sites were to be checked is queued as well.
        """
        if self._is_settled:
            return False
        self._is_settled = True
        found, refused = 0, (known.entry async for known in self._frontier.known(State.DEAD) if _is_foreign(known.entry))
        async for some in batches(refused, AT_ONCE):
            ours = [entry for entry in map(self._admission.reconsider, some) if entry is not None]
            found += (await self._frontier.discover(ours, self._clock.now())).new if ours else 0
        checked = (known.entry async for known in self._frontier.known(State.DONE) if known.outcome is Outcome.CHECKED)
        async for some in batches(checked, AT_ONCE):
            now = self._clock.now()
            due = [(entry.key, now) for entry in some if not self._admission.is_checked(entry)]
            found += await self._frontier.revisit(due, now) if due else 0
        return found > 0


def _is_foreign(entry: Entry) -> bool:
    return entry.refused is not None and entry.refused.rule == "scope.within"
