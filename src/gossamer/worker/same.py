"""Sameness: is an answer news, a copy, nearly a copy, or only its host's way to say that there is nothing?

Content is claimed by the first page that has it: by its digest before it is read, by its SimHash after. A short page is read
first and claimed once: a question to the node of a crawl costs as much as reading it. A claim that leads to nothing (the visit
fails, or the page turns out to be a soft 404) is given back.

What is not news is kept, unless the configuration says otherwise, and read: from another URL, relative links of the same bytes
lead elsewhere. Only the links of a soft 404 are not followed: they are noted as refused, and another page may still lift that.
"""

from types import TracebackType

from msgspec import Struct
from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.likeness import Likeness
from gossamer.policy import soft404
from gossamer.protocols import Claims
from gossamer.records import Entry, Fetched, Lease, LinkKind, Original, Outcome, Verdict
from gossamer.url.parse import split
from gossamer.visit import Lesson
from gossamer.worker.child import Reading
from gossamer.worker.settle import outcome_of, redirect_of

SHORT = 2048  # bytes as they came: read before it is known whether they are news
OK, SEED = Outcome.OK, LinkKind.SEED  # to look a member up in its class takes longer than to compare it


class Finding(Struct, frozen=True, kw_only=True):
    """What an answer is beside all others."""

    outcome: Outcome
    reason: str = ""
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
        rule, _, reason = self.reason.partition(": ")
        refused = Verdict(False, rule, f"found only on a page that is not news: {reason}", self.outcome)
        return tuple([replace(entry, refused=refused) if entry.refused is None else entry for entry in entries])


class Sameness:
    """Compares answers with what was there before."""

    def __init__(self, settings: Settings, claims: Claims) -> None:
        self._near = settings.dedupe.near
        self._claims = claims

    def of(self, lease: Lease, fetched: Fetched, digest: str, lesson: Lesson) -> "Comparison":
        """Compare one answer."""
        return Comparison(lease, fetched, digest, lesson, self._claims, self._near)


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
        "_is_copy",
        "_lesson",
        "_me",
        "_near",
        "_original",
        "_outcome",
        "_twin",
    )

    def __init__(
        self,
        lease: Lease,
        fetched: Fetched,
        digest: str,
        lesson: Lesson,
        claims: Claims,
        near: str,
    ) -> None:
        self._entry = lease.entry
        self._fetched = fetched
        self._digest = digest
        self._lesson = lesson
        self._claims = claims
        self._near = near
        self._outcome = outcome_of(fetched)
        self._me = Original(fetched.url, lease.entry.key, fetched.started, fetched.chunked)
        self._original: Original | None = None
        self._before = self._same_as_before()
        self._is_copy = False  # what was kept before is only a reference to the page that had it first
        self._has_claim = False
        self._claimed_text: Likeness | None = None
        self._twin: tuple[Original, int] | None = None

    def __enter__(self) -> "Comparison":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is not None:
            self.release()

    @property
    def is_read(self) -> bool:
        """Whether there is something to read that this URL did not have before, be it the bytes of another."""
        return self._outcome is OK and self._before is None

    @property
    def is_short(self) -> bool:
        """Whether it is to be read before it is claimed."""
        return self._claims_bytes and self._fetched.body.size <= SHORT

    @property
    def _claims_bytes(self) -> bool:
        """Whether the bytes can be somebody's: error pages and empty answers are alike everywhere."""
        return self._outcome is OK and self._fetched.body.size > 0 and self._before is None

    async def claim(self, early: Reading | None = None) -> None:
        """Claim the bytes, and the text too if they were read already."""
        previous = self._lesson.previous
        if self._before is not None and previous is not None and previous.duplicate_of:
            first, _ = await self._claims.claim(self._me, previous.digest, None)
            self._is_copy = first is not None
            self._claims.release(self._me, previous.digest, None)
        if self._claims_bytes:
            text = self._text(early) if early is not None else None
            self._original, self._twin = await self._claims.claim(self._me, self._digest, text)
            self._has_claim = self._original is None
            if self._has_claim and self._twin is None:
                self._claimed_text = text

    def release(self) -> None:
        """Give back what was claimed."""
        if self._has_claim or self._claimed_text is not None:
            self._claims.release(self._me, self._digest if self._has_claim else "", self._claimed_text)
            self._has_claim, self._claimed_text = False, None

    async def judge(self, reading: Reading) -> Finding:
        """Say what the answer is."""
        if self._before is not None:
            reason = "the same as when it was last kept"
            return Finding(
                outcome=Outcome.NOT_MODIFIED, original=self._before, reason=reason, is_archived=not self._is_copy
            )  # a reference to a reference would resolve to nothing, and one to the original is there
        soft = self._is_soft_404(reading)
        if soft:
            self.release()
            return Finding(outcome=Outcome.SOFT_404, reason=f"traps.soft_404: {soft}")
        if self._is_suspicious(reading):
            self.release()
            return Finding(outcome=Outcome.DEFERRED, reason="traps.soft_404: a probe has to be sent first", suspicious=True)
        if self._original is not None:
            return Finding(outcome=Outcome.DUPLICATE, original=self._original)
        if reading.too_big:
            return Finding(outcome=Outcome.TOO_BIG, claim=self._own())
        if self._twin is None and self._claimed_text is None:  # else that was asked already
            await self._claim_text(reading)
        if self._twin is None:
            return Finding(outcome=self._outcome, claim=self._own())
        first, bits = self._twin
        is_archived = self._near != "skip"
        if not is_archived:
            self.release()  # a copy of it would refer to bytes that nobody has kept
        return Finding(
            outcome=Outcome.NEAR_DUPLICATE,
            reason=f"dedupe.near: its text differs by {bits} bits of 64 from that of {first.url}",
            twin=(first, self._me, bits),
            claim=self._own(),
            is_archived=is_archived,
        )

    def _same_as_before(self) -> Original | None:
        """Return the page as it was kept before, if the host says or the bytes show that it is the same."""
        previous = self._lesson.previous
        if previous is None or previous.place is None:
            return None
        is_same = self._outcome is Outcome.NOT_MODIFIED or (self._outcome is OK and self._digest == previous.digest)
        return Original(previous.url, previous.key, previous.captured_at) if is_same else None

    def _own(self) -> tuple[str, Original] | None:
        return (self._digest, self._me) if self._has_claim else None

    def _text(self, reading: Reading) -> Likeness | None:
        return None if self._near == "off" or self._outcome is not OK or reading.too_big else reading.likeness

    async def _claim_text(self, reading: Reading) -> None:
        text = self._text(reading)
        if text is not None:
            _, self._twin = await self._claims.claim(self._me, "", text)
            if self._twin is None:
                self._claimed_text = text

    def _is_soft_404(self, reading: Reading) -> str:
        probe, fetched = self._lesson.probe, self._fetched
        if probe is None or self._entry.kind is SEED:
            return ""
        return soft404.likeness_to(
            probe,
            split(fetched.url),
            fetched.status,
            redirect_of(fetched),
            reading.likeness,
            reading.extract.title,
            fetched.body.size,
        )

    def _is_suspicious(self, reading: Reading) -> bool:
        """Tell whether a page says that there is nothing, while nobody knows what that looks like here."""
        is_unknown = not self._lesson.is_probed and self._outcome is OK and self._entry.kind is not SEED
        return is_unknown and soft404.is_telling(reading.extract.title)
