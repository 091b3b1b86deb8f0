"""Revision: is an answer with other bytes than before a new version of its page, or only what its host changes everywhere?

The page as it is kept is read from the archive again and compared piece by piece (`policy/habit.py`), so that a first visit
costs nothing for it. What was compared travels with the visit to the node, which knows what most pages of the host have. What
cannot be compared (a type that has no text, a record that is gone) is judged by its bytes.
"""

from msgspec import Struct

from gossamer.config.sections import Settings
from gossamer.errors import StoreError
from gossamer.joints.archive import Archive
from gossamer.policy import habit
from gossamer.readers.reading import Reader
from gossamer.records.evidence import Difference, Habit
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.page import Place
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Lesson
from gossamer.url.fingerprint import fingerprint
from gossamer.visit.settle import outcome_of

OK, NOT_MODIFIED = Outcome.OK, Outcome.NOT_MODIFIED
_COMPARED = frozenset({"text/html", "application/xhtml+xml"})


class Revision(Struct, frozen=True):
    """The result of comparing an answer with the kept version of its page."""

    difference: Difference
    reason: Reason | None = None  # why it is no new version, or not known to be one
    is_early: bool = False  # too few pages were compared: it is asked for once more

    @property
    def is_same(self) -> bool:
        """Whether nothing changed that is the page's own."""
        return not self.difference.marks or self.difference.is_spared


class Revisions:
    """Compares answers with what is kept."""

    def __init__(self, settings: Settings, archive: Archive, reader: Reader) -> None:
        self._archive = archive
        self._reader = reader
        self._keeps_bytes = settings.recrawl.keep == "bytes"
        self._forever = settings.crawl.forever

    async def of(self, lease: Lease, lesson: Lesson, fetched: Fetched, digest: str) -> Revision | None:
        """Compare an answer; None: its bytes decide."""
        previous, known = lesson.previous, lesson.habit
        if previous is None or known is None or previous.place is None or self._keeps_bytes or previous.mime not in _COMPARED:
            return None
        outcome = outcome_of(fetched)
        page = fingerprint(lease.entry.key)
        asked = [one.round for one in known.compared if one.page == page and one.at > previous.fetched_at]
        round_ = asked[-1] if asked else 0.0 if self._forever else lease.due or 0.0
        seen = Difference(page, fetched.started, round_)
        if outcome is NOT_MODIFIED or (outcome is OK and digest == previous.digest):
            return Revision(seen)
        found = await self._differing(lesson.content or previous.place, fetched) if outcome is OK else None
        return None if found is None else _judged(seen, found, known, may_wait=not asked and not self._forever)

    async def _differing(self, place: Place, fetched: Fetched) -> dict[int, str] | None:
        """Return in what an answer differs from what is kept at a place; None: they cannot be compared."""
        try:
            kept = await self._archive.read(place)
        except StoreError:
            return None  # `verify` says so
        try:
            before = await self._reader.outline(kept) if kept.outcome is OK else None
        finally:
            kept.body.close()
        after = await self._reader.outline(fetched) if before is not None else None
        return None if before is None or after is None else habit.differing(before, after)


def _judged(seen: Difference, found: dict[int, str], known: Habit, may_wait: bool) -> Revision:
    own = found.keys() - habit.usual(known, seen.round)
    texts = tuple([text for mark, text in found.items() if not own or mark in own][: habit.MOST_TEXTS])
    difference = Difference(seen.page, seen.at, seen.round, tuple(found), texts, not own)
    if not own:
        return Revision(difference, habit.reason_for(texts))
    if may_wait and habit.is_early(known, seen.round, own):
        return Revision(difference, because(Rule.RECRAWL_KEEP), is_early=True)
    return Revision(difference)
