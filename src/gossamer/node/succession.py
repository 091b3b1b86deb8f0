"""The succession: a page that is like one kept before, and canonical, counts from now on; the other becomes a copy of it.

Asked when visits are committed, of the claims they made: which of them take the place of another, and which have lost theirs to
a page that was committed while they were under way. So of two at once the same one counts, whichever is committed first.

The catalog is told first, in one transaction: the page that counts, the one that no longer does, and the copies of that one.
The claims follow. A crash between the two repeats the visit, which finds the other one still there and exchanges them again.
Nothing is taken from the archive: what a revisit refers to stays where it is.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gossamer.joints.catalog import Catalog
from gossamer.joints.sameness import Deduper, NearDuplicates
from gossamer.policy import canonical
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Succession, Visit

MOST_REMEMBERED = 1_000  # pages that no longer count: a visit that is still under way may have been told of one
_COUNT = (Outcome.OK, Outcome.NOT_MODIFIED)


class Exchanged(Struct):
    """Visits as they are to be committed, and what changes beside them."""

    visits: list[Visit]
    formers: list[Page]  # that were kept before, as the copies that they are now
    heirs: list[tuple[Page, Page]]  # whose copies they were, and whose they are
    members: list[tuple[Original, Original, int]]  # near duplicates that counted until now: whose, they, the bits between


class Successions:
    """Finds who takes whose place."""

    def __init__(self, deduper: Deduper, near: NearDuplicates, catalog: Catalog) -> None:
        self._deduper = deduper
        self._near = near
        self._catalog = catalog
        self._formers: dict[str, tuple[Page, Page]] = {}  # the latest heirs, by the URL of whom they inherit from

    async def of(self, visits: Sequence[Visit]) -> Exchanged:
        """Return visits with the truth about which of them count."""
        done = Exchanged(list(visits), [], [], [])
        exact = await self._deduper.successions([visit.claim for visit in visits if visit.claim])
        near = await self._near.successions(first_texts(visits))
        places = {visit.claim[1].key: place for place, visit in enumerate(visits) if visit.claim} if exact or near else {}
        for succession in (*exact, *near):
            await self._exchange(succession, done, places)
        if self._formers:
            done.visits = [self._up_to_date(visit) for visit in done.visits]
        return done

    async def _exchange(self, succession: Succession, done: Exchanged, places: dict[str, int]) -> None:
        """Let one page count for another."""
        winner, loser = places.get(succession.canonical.key), places.get(succession.copy.key)
        if not succession.digest and loser is None:
            done.members.append((succession.canonical, succession.copy, succession.bits))
        heir = await self._page(succession.canonical, done, winner)
        former = await self._page(succession.copy, done, loser)
        if former is None or heir is None or not _counts_for(former, succession.digest):
            return
        copy = _copy_of(former, heir, succession.why)
        done.heirs.append((copy, heir))
        self._remember(copy, heir)
        if loser is None:
            done.formers.append(copy)
        else:
            done.visits[loser] = self._lost(done.visits[loser], copy, succession)
        if winner is not None:
            done.visits[winner] = _crowned(done.visits[winner], succession)

    async def _page(self, page: Original, done: Exchanged, place: int | None) -> Page | None:
        """Return a page as it is to be committed, or was."""
        if place is not None:
            return done.visits[place].page
        return next((former for former in done.formers if former.key == page.key), None) or await self._catalog.get(page.key)

    def _lost(self, visit: Visit, page: Page, succession: Succession) -> Visit:
        """Return a visit whose page lost its place before it was committed; its claims are given back."""
        assert visit.claim is not None
        digest, me = visit.claim
        settlement = replace(visit.settlement, outcome=page.outcome, reason=page.reason)
        if visit.likeness is not None:
            self._near.release(visit.likeness, me)
        if not succession.digest:
            twin = (succession.canonical, me, succession.bits)
            return replace(visit, settlement=settlement, page=page, twin=twin, replaces="")
        self._deduper.release(digest, me)
        return replace(visit, settlement=settlement, page=page, claim=None, replaces="")

    def _remember(self, former: Page, heir: Page) -> None:
        while len(self._formers) >= MOST_REMEMBERED:
            del self._formers[next(iter(self._formers))]
        self._formers[former.url] = former, heir
        self._formers.pop(heir.url, None)  # it counts again

    def _up_to_date(self, visit: Visit) -> Visit:
        """Let a copy of a page that lost its place while this visit was under way be a copy of its heir."""
        page = visit.page
        if page is None or page.duplicate_of not in self._formers:
            return visit
        former, heir = self._formers[page.duplicate_of]
        if page.key == heir.key or (page.digest == former.digest and page.digest != heir.digest):
            return visit
        twin = visit.twin and (Original(heir.url, heir.key, heir.captured_at), *visit.twin[1:])
        return replace(visit, page=replace(page, duplicate_of=heir.url), twin=twin)


def first_texts(visits: Sequence[Visit]) -> list[tuple[Likeness, Original]]:
    """Return the texts of pages that count, and who has them."""
    return [
        (visit.likeness, visit.claim[1])
        for visit in visits
        if visit.likeness is not None and visit.claim is not None and visit.twin is None
    ]


def _crowned(visit: Visit, succession: Succession) -> Visit:
    """Return a visit of a page that takes another's place."""
    assert visit.claim is not None
    digest, page = visit.claim
    return replace(visit, claim=(digest, canonical.crowned(page, succession.copy)), replaces=succession.copy.url)


def _counts_for(page: Page, digest: str) -> bool:
    """Tell whether a page counts for what it had; one that has changed since, or is a copy, has nothing to lose."""
    return page.outcome in _COUNT and not page.duplicate_of and (not digest or page.digest == digest)


def _copy_of(former: Page, heir: Page, why: str) -> Page:
    outcome = Outcome.DUPLICATE if former.digest == heir.digest else Outcome.NEAR_DUPLICATE
    reason = because(Rule.DEDUPE_CANONICAL, same_as=heir.url, why=why)
    return replace(former, outcome=outcome, reason=reason, duplicate_of=heir.url)
