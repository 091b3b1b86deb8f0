"""The harvest: what the readers of an operator's script find on a page that is news, in a child, under a deadline.

Whatever a reader does costs what it would have found, never the page. Pages that no reader wants cost one look at a table. An
exact copy is asked of only those readers that did not want its original. Readers that are late again and again are left alone
for a while (`policy/lateness.py`), so that a script that never returns does not hold up all visits.
"""

from msgspec.structs import replace

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.errors import GossamerError
from gossamer.policy.lateness import MOST_LATE, Lateness
from gossamer.readers.child import ChildReading, Task
from gossamer.readers.processes import ReaderProcesses
from gossamer.readers.scripts.rules import Wants
from gossamer.readers.scripts.travel import Gathered
from gossamer.records.entry import Link, LinkKind
from gossamer.records.fetch import Fetched
from gossamer.records.item import Harvest, ReaderProblem
from gossamer.records.outcome import Outcome
from gossamer.url.parse import split
from gossamer.visit.compare import Finding

HARVESTED = frozenset({Outcome.OK, Outcome.NEAR_DUPLICATE, Outcome.DUPLICATE})


class Harvester:
    """Asks readers for items and links."""

    def __init__(self, settings: Settings, wants: Wants, processes: ReaderProcesses, clock: Clock) -> None:
        self._wants = wants
        self._processes = processes
        self._clock = clock
        self._limit = max(settings.fetch.max_decoded, settings.fetch.max_body)
        self._max_links = settings.documents.max_links
        self._deadline = settings.documents.deadline
        self._lateness = Lateness()

    async def gather(self, fetched: Fetched, reading: ChildReading, finding: Finding) -> ChildReading:
        """Return a reading with what readers found beside it."""
        wanting = self._wanting(fetched, reading, finding) if self._wants else None
        if wanting is None:
            return reading
        gathered = await self._ask(fetched, wanting) if wanting else Gathered()
        known = {link.url for link in reading.extract.links}
        new = [Link(url, LinkKind.ANCHOR) for url in gathered.links if url not in known]
        links = (*reading.extract.links, *new)[: self._max_links]
        cut = reading.extract.links_cut + len(known) + len(new) - len(links)
        extract = replace(reading.extract, links=links, links_cut=cut, harvest=gathered.harvest)
        return replace(reading, extract=extract)

    def _wanting(self, fetched: Fetched, reading: ChildReading, finding: Finding) -> tuple[int, ...] | None:
        """Return the readers that are to be asked, by number; None: no reader wants such a page, or it is no news."""
        wanting = self._wants.of(reading.mime, fetched.url) if finding.outcome in HARVESTED else ()
        if not wanting:
            return None
        others = self._wants.of(reading.mime, finding.original.url) if finding.original is not None else ()
        return tuple([number for number in wanting if number not in others])

    async def _ask(self, fetched: Fetched, wanting: tuple[int, ...]) -> Gathered:
        host = split(fetched.url).host
        if self._lateness.rests(host, self._clock.now()):
            return self._failed(wanting, f"was not asked: readers were late for {MOST_LATE} pages in a row")
        task = Task(
            "gather",
            fetched.url,
            fetched.header("content-type"),
            fetched.header("content-encoding"),
            fetched.chunked,
            self._limit,
            wanting,
            fetched.status,
            fetched.headers,
        )
        try:
            reply = await self._processes.ask(task, fetched.body)
        except GossamerError as error:
            return self._failed(wanting, str(error))
        if reply is None or reply.gathered is None:
            told = f"ended its process, or could not be interrupted for {self._deadline:g} s"
            gathered = self._failed(wanting, told)
        else:
            gathered = reply.gathered
        self._lateness.note(host, gathered.is_late, self._clock.now())
        return gathered

    def _failed(self, wanting: tuple[int, ...], error: str) -> Gathered:
        rules = [self._wants.rules[number] for number in wanting]
        problems = [ReaderProblem(rule.name, error, f"{rule.source.partition(':')[0]}:{rule.line}") for rule in rules]
        return Gathered(Harvest((), tuple(problems)), is_late=True)
