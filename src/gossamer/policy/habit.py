"""Habits: what changes on most pages of a host at once is no change of a page.

A time, a counter, a list of the last edits beside the text, a token that nobody sees: after five edits of a wiki all of its
pages have other bytes. A page that is visited again is therefore compared with what is kept of it, piece by piece: lines and
sentences of its text, and its links. A *mark* is the name of a piece that is there no more or is new, its numbers left out.
What has the same mark before and after differs in its numbers only, and is told apart by the lowest bit.

A mark is a habit of the host when most of the pages compared in this round have it, five at least. What only differs in numbers
is one by what most of the last pages showed: a time goes on, but a price that changed on one page is news. Anything else is
remembered once it was one, because pages are kept from different days: what was furniture then is gone now.

A page that differs only by habits has not changed. While too few were compared nobody knows, so the first ones of a round are
asked for once more, a little later.
"""

import re
from collections.abc import Iterable, Sequence, Set
from zlib import crc32

from msgspec.structs import replace

from gossamer.records.entry import LinkKind
from gossamer.records.evidence import Difference, Habit, Ruling
from gossamer.records.page import Extract
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

NAME = "changes on most pages"  # no parameter of a query has such a name
NEEDED = 5  # pages that show the same, and more than half of those compared
REMEMBERED = 16  # pages that were compared last
KNOWN = 128  # marks that were habits once
MOST_MARKS = 64  # of a page: one with more has changed
MOST_PIECES = 5_000
MOST_TEXTS = 3  # examples
TEXT = 60  # characters of one

Piece = tuple[int, int, str]  # what it is, its mark, and how it reads
Outline = tuple[Piece, ...]

_ENDS = re.compile(r"\n|(?<=[.!?;|·•])\s+")
_NUMBER = re.compile(r"(?<!\w)[^\W\d]*+\d\w*+(?:[.,:/-]\d\w*+)*+")  # a word with a digit, and what is written on: 12:30, 0.5
_SEEN = frozenset({LinkKind.ANCHOR, LinkKind.AREA, LinkKind.FRAME, LinkKind.IFRAME, LinkKind.REFRESH, LinkKind.IMAGE})
_ORDER, _UNSEEN, _WHOLE = (crc32(name.encode()) & ~1 for name in ("\0order", "\0unseen", "\0whole"))


def outline(extract: Extract) -> Outline:
    """Return the pieces of a document in their order."""
    texts = [extract.title, *_ENDS.split(extract.text)][:MOST_PIECES]
    pieces = [_piece(text, _NUMBER.sub("#", text)) for text in texts if text]
    links = [link.url for link in extract.links if link.kind in _SEEN][:MOST_PIECES]
    return (*pieces, *[_piece(url, _shape(url)) for url in links])


def differing(before: Outline, after: Outline) -> dict[int, str]:
    """Return by its mark everything in which a page differs, and how it reads; never nothing, since its bytes do."""
    was, now = ({exact for exact, _, _ in pieces} for pieces in (before, after))
    gone = {mark: text for exact, mark, text in before if exact not in now}
    new = {mark: text for exact, mark, text in after if exact not in was}
    found = {mark | 1 if mark in gone and mark in new else mark & ~1: text for mark, text in (gone | new).items()}
    if [exact for exact, _, _ in before if exact in now] != [exact for exact, _, _ in after if exact in was]:
        found[_ORDER] = "the order of its parts"
    if len(found) > MOST_MARKS:
        found = {_WHOLE: "nearly all of it"}
    return found or {_UNSEEN: "what no reader sees"}


def usual(habit: Habit, round_: float) -> frozenset[int]:
    """Return the marks that say nothing about a page which is visited in some round."""
    if habit.ruling is Ruling.ALLOW:
        return frozenset()
    lately = _most(habit.compared)
    now = _most([one for one in habit.compared if one.round == round_])
    return now.union([mark for mark in lately if mark & 1], habit.known) - {_WHOLE}


def is_early(habit: Habit, round_: float, own: Set[int]) -> bool:
    """Tell that too few pages were compared in a round to know whether these marks are a page's own.

    Five are enough for what no other page has, and sixteen for what some have.
    """
    if habit.ruling is Ruling.ALLOW:
        return False
    compared = [one.marks for one in habit.compared if one.round == round_]
    if len(compared) < NEEDED:
        return True
    return len(compared) < REMEMBERED and own <= {mark for marks in compared for mark in marks}


def noted(habit: Habit, difference: Difference) -> Habit:
    """Return what is known after one more page was compared; of a page only the last time counts."""
    others = [one for one in habit.compared if one.page != difference.page]
    compared = (*others, difference)[-REMEMBERED:]
    known = dict.fromkeys(habit.known)
    for mark in _most([one for one in compared if one.round == difference.round]):
        if not mark & 1:
            known.pop(mark, None)
            known[mark] = None
    spared = habit.spared + difference.is_spared
    return replace(habit, compared=compared, known=tuple(known)[-KNOWN:], spared=spared)


def reason_for(texts: Iterable[str]) -> Reason:
    """Say that a page differs by habits only."""
    return because(Rule.RECRAWL_KEEP, texts=list(texts))


def is_in_force(habit: Habit) -> bool:
    """Tell whether anything that differs on pages of a host is known to be no change."""
    return habit.ruling is not Ruling.ALLOW and bool(habit.known or _most(habit.compared))


def reason_of_host(habit: Habit) -> Reason:
    """Say what is no change on a host."""
    return because(Rule.RECRAWL_KEEP, spared=habit.spared, texts=list(examples(habit)) or None)


def examples(habit: Habit) -> tuple[str, ...]:
    """Return how habits read on the page that last had nothing else."""
    return next((one.texts for one in reversed(habit.compared) if one.is_spared and one.texts), ())


def _most(compared: Sequence[Difference]) -> frozenset[int]:
    """Return the marks of most pages."""
    count: dict[int, int] = {}
    for difference in compared:
        for mark in difference.marks:
            count[mark] = count.get(mark, 0) + 1
    needed = max(NEEDED, len(compared) // 2 + 1)
    return frozenset([mark for mark, times in count.items() if times >= needed])


def _piece(text: str, masked: str) -> Piece:
    return crc32(text.encode("utf-8", "replace")), crc32(masked.encode("utf-8", "replace")) & ~1, text[:TEXT]


def _shape(url: str) -> str:
    """Return a link without its numbers and the values of its query."""
    path, _, query = url.partition("?")
    names = "&".join([piece.partition("=")[0] if "=" in piece else "" for piece in query.split("&")])
    return f"\0{_NUMBER.sub('#', path)}?{names}"
