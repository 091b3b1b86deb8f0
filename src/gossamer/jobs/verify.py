"""Prove the promises on a crawl directory: what can be seen inside it, and with a ledger what the servers saw.

Each check is a sentence with the number of things looked at and every offender (the first few by name). One that found nothing
to look at has neither passed nor failed. It opens the crawl like a resume would, so it needs the lock.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gossamer.assemble import Stores, make_processors, open_stores
from gossamer.clock import SystemClock
from gossamer.document.digest import payload_digest
from gossamer.errors import StoreError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.explain import is_replaced, pages_of
from gossamer.jobs.ledger import check_ledger
from gossamer.jobs.look import held_to_look
from gossamer.jobs.settled import check_told
from gossamer.joints.documents import Processor
from gossamer.readers.document import document_of
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import Outcome, State
from gossamer.records.page import Page
from gossamer.records.rules import Rule
from gossamer.records.standing import NOT_FOR_US
from gossamer.records.versions import Version
from gossamer.seal import Seal
from gossamer.visit.settle import FINISHED

SHOWN = 10  # offenders named
UNFETCHED = frozenset({Rule.TRAPS_PARAMETER, Rule.TRAPS_MIRROR})  # rules that call a page a duplicate without a request
UNREAD = frozenset({Rule.DOCUMENTS_DEADLINE, Rule.FETCH_MAX_DECODED})  # no more was promised than a scan, or nothing
READ = frozenset({Outcome.OK, Outcome.NOT_MODIFIED, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE})  # and their links admitted


class Check(Struct, frozen=True, kw_only=True):
    """One promise, looked at."""

    promise: str
    sentence: str
    count: int
    offenders: tuple[str, ...]
    notes: tuple[str, ...] = ()  # what is no fault, and has to be known all the same

    @property
    def passed(self) -> bool:
        """Something was looked at, and nothing offends."""
        return self.count > 0 and not self.offenders

    @property
    def failed(self) -> bool:
        """Something offends."""
        return bool(self.offenders)


class Inspection:
    """Collects what one check looks at."""

    def __init__(self, promise: str, sentence: str) -> None:
        self._promise = promise
        self._sentence = sentence
        self._offenders: list[str] = []
        self._more = 0
        self._notes: list[str] = []
        self.count = 0

    def look(self, fault: str = "") -> None:
        """Count one thing; a fault makes it an offender."""
        self.count += 1
        if fault and len(self._offenders) < SHOWN:
            self._offenders.append(fault)
        elif fault:
            self._more += 1

    def note(self, text: str) -> None:
        """Tell what is no fault; the first few are kept."""
        if len(self._notes) < SHOWN:
            self._notes.append(text)

    def check(self) -> Check:
        """Return the result."""
        more = (f"... and {self._more:,} more",) if self._more else ()
        offenders, notes = (*self._offenders, *more), tuple(self._notes)
        return Check(promise=self._promise, sentence=self._sentence, count=self.count, offenders=offenders, notes=notes)


def verify_crawl(directory: CrawlDirectory, ledger: Path | None = None) -> Iterator[Check]:
    """Check every promise that can be seen."""
    with held_to_look(directory, ousting=True) as copies:
        yield from driven(_verify(directory, copies, ledger))


async def _verify(directory: CrawlDirectory, copies: Path | None, ledger: Path | None) -> AsyncIterator[Check]:
    settings = directory.settings()
    yield _sealed(directory.path)
    async with open_stores(directory.path, settings, directory.seeds(), SystemClock(), copies) as stores:
        yield await _states(stores)
        if settings.crawl.order == "opic":
            yield await _credit(stores)
        yield await _agreement(stores)
        yield await _rows(stores)
        yield await _places(stores)
        yield await _links(stores)
        yield await _files(stores)
        if settings.chronicle.level != "off":
            async for check in check_told(stores, Inspection):
                yield check
        if ledger is not None:
            async for check in check_ledger(stores, ledger, Inspection):
                yield check


def _sealed(directory: Path) -> Check:
    """Look at the seals before anything is opened, which breaks some of them."""
    finding = Inspection("P21", "every store has the files that it was closed with, as they were written")
    for place in sorted((*directory.rglob("seal"), *directory.glob("*.seal"))):
        finding.look("; ".join(f"{place.parent / name} {problem}" for name, problem in Seal(place).problems()))
    return finding.check()


async def _states(stores: Stores) -> Check:
    finding = Inspection("P1", "every accepted URL is in exactly one state, and the states add up")
    counted, refused = dict.fromkeys(State, 0), 0
    seen: set[str] = set()
    async for known in stores.frontier.known():
        counted[known.state] += 1
        refused += known.state is State.DEAD and (known.entry.refused is not None or known.outcome in NOT_FOR_US)
        doubled = known.entry.key in seen
        seen.add(known.entry.key)
        reasonless = known.state is State.DEAD and not known.reason
        finding.look(
            f"{known.entry.url} is known twice" if doubled else f"{known.entry.url} is dead for no reason" if reasonless else ""
        )
    statistics = await stores.frontier.statistics()
    for state in State:
        if getattr(statistics, state) != counted[state]:
            finding.look(f"{counted[state]:,} URLs are {state}, the frontier counts {getattr(statistics, state):,}")
    if statistics.not_for_us != refused:
        finding.look(f"{refused:,} URLs are dead because a rule says so, the frontier counts {statistics.not_for_us:,}")
    return finding.check()


async def _credit(stores: Stores) -> Check:
    finding = Inspection("P1", "the credit of all pages and of lambda is what the seeds brought")
    statistics = await stores.frontier.statistics()
    kept, count = statistics.lambda_credit or 0, 0
    async for known in stores.frontier.known():
        kept, count = kept + (known.credit or 0), count + 1
    if count:
        brought = statistics.credit or 0
        finding.look("" if kept == brought else f"there are {kept:,} units, the seeds brought {brought:,}")
    return finding.check()


async def _agreement(stores: Stores) -> Check:
    finding = Inspection("P1", "the catalog has the frontier's outcome of every finished URL")
    async for known in stores.frontier.known():
        finished = known.state in (State.DONE, State.DEAD) or known.again
        if not finished or known.entry.refused is not None or known.outcome is Outcome.TRAP:
            continue
        page = await stores.catalog.get(known.entry.key)
        if page is None:
            finding.look(f"{known.entry.url} is {known.state}, but not in the catalog")
        elif not known.again or page.fetched_at <= (known.settled_at or 0.0):  # else a visit was cut off, and is repeated
            agree = page.outcome == known.outcome or _outlives(page, known) or is_replaced(page)
            finding.look("" if agree else f"{known.entry.url} ended as {known.outcome}, the catalog says {page.outcome}")
    return finding.check()


def _outlives(page: Page, known: KnownUrl) -> bool:
    """Tell whether a page that is visited again stays what it was, because nothing came of its last visit."""
    return known.again and page.place is not None and known.outcome not in FINISHED


async def _rows(stores: Stores) -> Check:
    finding = Inspection("P1", "the frontier knows every page of the catalog")
    async for page in stores.catalog.pages():
        known = await stores.frontier.lookup(page.key)
        finding.look("" if known is not None else f"{page.url} is in the catalog, but not in the frontier")
    return finding.check()


async def _places(stores: Stores) -> Check:
    finding = Inspection("P7", "each kept page is one whole record with its URL and digest; revisits resolve")
    async for page in stores.catalog.pages():
        if page.place is not None:
            finding.look(await _misplaced(stores, page))
        elif page.outcome in (Outcome.OK, Outcome.DUPLICATE) and not _is_by(UNFETCHED, page):
            finding.look(f"{page.url} ended as {page.outcome}, but nothing of it is kept")
    async for version in stores.catalog.excess(0):
        finding.look(await _damaged(stores, version))
    return finding.check()


def _is_by(rules: frozenset[Rule], page: Page) -> bool:
    """Tell whether one of some rules decided how a page ended."""
    return page.reason is not None and page.reason.rule in rules


async def _damaged(stores: Stores, version: Version) -> str:
    """Say what is wrong with an earlier version of a page."""
    try:
        fetched = await stores.archive.read(version.place)
    except StoreError as error:
        return f"an earlier version of {version.key}: {error}"
    digest = payload_digest(fetched.body, fetched.chunked) if fetched.outcome is Outcome.OK else version.digest
    fetched.body.close()
    return "" if digest == version.digest else f"an earlier version of {version.key} has {digest}, not {version.digest}"


async def _misplaced(stores: Stores, page: Page) -> str:
    assert page.place is not None
    try:
        fetched = await stores.archive.read(page.place)
    except StoreError as error:
        return f"{page.url}: {error}"
    if fetched.url != page.url:
        return f"{page.url}: the record at {page.place.file}:{page.place.offset} is of {fetched.url}"
    if fetched.outcome is Outcome.OK:  # no revisit: a copy is one, and stays one while it does not change
        digest = payload_digest(fetched.body, fetched.chunked)
        return "" if digest == page.digest else f"{page.url}: kept content has {digest}, the catalog {page.digest}"
    if any(capture.digest == page.digest for capture in await _captures(stores, fetched)):
        return ""
    return f"{page.url}: its original {fetched.detail} is not kept with the same content"


async def _captures(stores: Stores, revisit: Fetched) -> list[Version]:
    """Return what is kept of the page that a revisit refers to; it may be a copy of another itself by now."""
    originals = await pages_of(stores, revisit.detail) if revisit.detail else []
    return [capture for original in originals for capture in await stores.catalog.versions(original.key)]


async def _links(stores: Stores) -> Check:
    finding = Inspection("P3", "the frontier knows every link of every kept page")
    (cut, _), processors = (await stores.catalog.totals()).links_cut, make_processors(stores.settings)
    if cut:
        finding.note(f"but for {cut:,} links that were cut (documents.max_links):")
    async for page in stores.catalog.pages():
        known = await stores.frontier.lookup(page.key)
        if page.links_cut:
            finding.note(f"{page.links_cut:,} links of {page.url} were cut")
        if page.outcome not in READ or page.place is None or known is None or not _is_settled(page, known):
            continue
        if _is_by(UNREAD, page):
            continue  # it would take as long again
        for url in await _missing(stores, processors, page, known):
            finding.look(f"{url}, linked on {page.url}, is unknown")
        finding.look()
    return finding.check()


def _is_settled(page: Page, known: KnownUrl) -> bool:
    """Tell whether the frontier was told what is kept of a page; a visit that was cut off before will be repeated.

    A page that is visited again and again waits for its date, or is leased; the links of what is kept were settled before that.
    """
    if known.state is State.DONE:
        return True
    return known.again and known.settled_at is not None and known.settled_at >= page.captured_at


async def _missing(stores: Stores, processors: dict[str, Processor], page: Page, known: KnownUrl) -> list[str]:
    fetched = await _content(stores, page)
    if fetched is None:
        return []  # said by P7
    document = replace(document_of(fetched, stores.settings.fetch.max_decoded), url=page.url)
    fetched.body.close()
    processor = processors.get(document.mime)
    if processor is None or fetched.outcome is not Outcome.OK:  # of a copy there is only a reference
        return []
    entries = stores.admission.admit(processor.process(document).links, known.entry)
    return [entry.url for entry in entries if not await _is_known(stores, entry)]


async def _content(stores: Stores, page: Page) -> Fetched | None:
    """Return an answer with the content of a page: its own, or of a copy that of the page it refers to."""
    assert page.place is not None
    places = [page.place]
    for place in places:
        try:
            fetched = await stores.archive.read(place)
        except StoreError:
            continue
        if fetched.outcome is Outcome.OK:
            return fetched
        fetched.body.close()
        if place is page.place:
            places += [capture.place for capture in await _captures(stores, fetched) if capture.digest == page.digest]
    return None


async def _is_known(stores: Stores, entry: Entry) -> bool:
    if await stores.frontier.lookup(entry.key) is not None:
        return True
    return any([await stores.frontier.lookup(key) for key in await stores.lessons.keys(entry.key, entry.url)])


async def _files(stores: Stores) -> Check:
    finding = Inspection("P9", "every archive file is whole: records, lengths, digests, marks of truncation")
    async for name, problem in stores.archive.problems():
        finding.look(f"{name}: {problem}" if problem else "")
    return finding.check()
