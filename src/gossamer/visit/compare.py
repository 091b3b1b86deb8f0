"""Sameness: is an answer news, a copy, nearly a copy, or only its host's way to say that there is nothing?

Content is claimed by the page that has it, by its digest and its SimHash; who has it already is told, unless this one is the
canonical one of the two (`policy/canonical.py`): then it is news, and the other a copy of it. What is claimed is read before:
a page says itself which URL of it is canonical, a copy is read anyway, and a question to the node of a crawl costs as much as
reading a short page, so there is one. A claim that leads to nothing (the visit fails) is given back.

What is not news is kept, unless the configuration says otherwise, and read: from another URL, relative links of the same bytes
lead elsewhere. Only the links of a soft 404 are not followed: they are noted as refused, and another page may still lift that.
"""

from types import TracebackType

from msgspec import Struct
from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.joints.sameness import Claims
from gossamer.policy import canonical, soft404
from gossamer.readers.child import ChildReading
from gossamer.records.entry import Entry, LinkKind, Verdict
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.records.visit import Earlier, Lesson
from gossamer.url.parse import split
from gossamer.visit.revision import Revision
from gossamer.visit.settle import outcome_of, redirect_of

OK, SEED = Outcome.OK, LinkKind.SEED  # to look a member up in its class takes longer than to compare it


class Finding(Struct, frozen=True, kw_only=True):
    """The result of comparing an answer with all others."""

    outcome: Outcome
    reason: Reason | None = None
    original: Original | None = None  # the page with the same bytes
    twin: tuple[Original, Original, int] | None = None  # the page with nearly the same text, this one, the bits between
    claim: tuple[str, Original] | None = None  # bytes that this page was the first to have
    is_archived: bool = True
    suspicious: bool = False

    @property
    def is_news(self) -> bool:
        """Whether nobody had this content before, or nearly its text."""
        return self.outcome is not Outcome.DUPLICATE and self.outcome is not Outcome.NEAR_DUPLICATE

    def judge_links(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Refuse the links of a page that says that there is nothing."""
        if self.suspicious:
            return ()  # it is fetched once more, when more is known
        if self.outcome is not Outcome.SOFT_404:
            return entries
        page = self.reason.text if self.reason is not None else ""
        refused = Verdict(False, because(Rule.TRAPS_SOFT_404, page=page), self.outcome)
        return tuple([replace(entry, refused=refused) if entry.refused is None else entry for entry in entries])


class Sameness:
    """Compares answers with what was there before."""

    def __init__(self, settings: Settings, claims: Claims) -> None:
        self._near = settings.dedupe.near
        self._claims = claims

    def of(self, lease: Lease, fetched: Fetched, digest: str, lesson: Lesson, revision: Revision | None = None) -> "Comparison":
        """Compare one answer, of which it is known how it differs from what is kept of its page."""
        return Comparison(lease, fetched, digest, lesson, self._claims, self._near, revision)


class Comparison:
    """One answer, compared: inside `with`, so that what it claimed is given back should anything fail."""

    __slots__ = (
        "_before",
        "_claimed_text",
        "_claims",
        "_digest",
        "_entry",
        "_fetched",
        "_has_claim",
        "_lesson",
        "_me",
        "_near",
        "_outcome",
        "_spared",
    )

    def __init__(
        self,
        lease: Lease,
        fetched: Fetched,
        digest: str,
        lesson: Lesson,
        claims: Claims,
        near: str,
        revision: Revision | None,
    ) -> None:
        self._entry = lease.entry
        self._fetched = fetched
        self._digest = digest
        self._lesson = lesson
        self._claims = claims
        self._near = near
        self._spared = revision.reason if revision is not None and revision.difference.is_spared else None
        self._outcome = outcome_of(fetched)
        self._me = Original(fetched.url, lease.entry.key, fetched.started, fetched.chunked)
        self._before = self._same_as_before()
        self._has_claim = False
        self._claimed_text: Likeness | None = None

    def __enter__(self) -> "Comparison":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is not None:
            self.release()

    @property
    def is_read(self) -> bool:
        """Whether there is something to read that this URL did not have before, be it the bytes of another."""
        return self._outcome is OK and self._before is None

    def release(self) -> None:
        """Give back what was claimed."""
        if self._has_claim or self._claimed_text is not None:
            self._claims.release(self._me, self._digest if self._has_claim else "", self._claimed_text)
            self._has_claim, self._claimed_text = False, None

    async def judge(self, reading: ChildReading, noindex: bool = False) -> Finding:
        """Say what the answer is, and claim what it is the one page to have."""
        if self._before is not None:
            reason = self._spared or because(Rule.RECRAWL_SAME)
            is_archived = not self._spared and not await self._was_copy()
            # A reference to a reference would resolve to nothing, and one to the original is there; other bytes are none.
            return Finding(outcome=Outcome.NOT_MODIFIED, original=self._before, reason=reason, is_archived=is_archived)
        soft = self._is_soft_404(reading)
        if soft is not None:
            return Finding(outcome=Outcome.SOFT_404, reason=soft)
        if self._is_suspicious(reading):
            return Finding(outcome=Outcome.DEFERRED, reason=because(Rule.TRAPS_SOFT_404), suspicious=True)
        original, twin = await self._claim(reading, noindex)
        if original is not None:
            return Finding(outcome=Outcome.DUPLICATE, original=original)
        if reading.too_big:
            return Finding(outcome=Outcome.TOO_BIG, claim=self._own())
        if twin is None:
            return Finding(outcome=self._outcome, claim=self._own())
        first, bits = twin
        is_archived = self._near != "skip"
        if not is_archived:
            self.release()  # a copy of it would refer to bytes that nobody has kept
        return Finding(
            outcome=Outcome.NEAR_DUPLICATE,
            reason=because(Rule.DEDUPE_NEAR, bits=bits, same_as=first.url),
            twin=(first, self._me, bits),
            claim=self._own(),
            is_archived=is_archived,
        )

    async def _claim(self, reading: ChildReading, noindex: bool) -> Earlier:
        """Claim bytes and text; return who has them and counts. Error pages and empty answers are alike everywhere."""
        if self._outcome is not OK or not self._fetched.body.size:
            return None, None
        says = canonical.named(reading.extract.canonical, self._me.url, self._me.key)
        is_lesser = noindex or bool(self._fetched.truncated)
        if says or is_lesser:
            self._me = replace(self._me, canonical=says, is_lesser=is_lesser)
        text = None if self._near == "off" or reading.too_big else reading.likeness
        original, twin = await self._claims.claim(self._me, self._digest, text)
        self._has_claim = original is None
        self._claimed_text = text if original is None and twin is None else None
        return original, twin

    async def _was_copy(self) -> bool:
        """Tell whether what was kept before is only a reference to another page."""
        previous = self._lesson.previous
        if previous is None or not previous.duplicate_of:
            return False
        owner = await self._claims.owner(previous.digest)
        return owner is not None and owner.key != self._me.key

    def _same_as_before(self) -> Original | None:
        """Return the page as it was kept before, if the host says or the bytes show that it is the same."""
        previous = self._lesson.previous
        if previous is None or previous.place is None:
            return None
        is_same = self._outcome is Outcome.NOT_MODIFIED or (self._outcome is OK and self._digest == previous.digest)
        is_same = is_same or self._spared is not None
        return Original(previous.url, previous.key, previous.captured_at) if is_same else None

    def _own(self) -> tuple[str, Original] | None:
        return (self._digest, self._me) if self._has_claim else None

    def _is_soft_404(self, reading: ChildReading) -> Reason | None:
        probe, fetched = self._lesson.probe, self._fetched
        if probe is None or self._entry.kind is SEED:
            return None
        return soft404.likeness_to(
            probe,
            split(fetched.url),
            fetched.status,
            redirect_of(fetched),
            reading.likeness,
            reading.extract.title,
            fetched.body.size,
        )

    def _is_suspicious(self, reading: ChildReading) -> bool:
        """Tell whether a page says that there is nothing, while nobody knows what that looks like here."""
        is_unknown = not self._lesson.is_probed and self._outcome is OK and self._entry.kind is not SEED
        return is_unknown and soft404.is_telling(reading.extract.title)
