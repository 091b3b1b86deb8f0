"""Templates: URLs of one make, and whether more of them bring anything new.

A calendar, a filter with five menus or a maze makes URLs without end that differ in numbers and names only. Two shapes of a URL
are counted. The fine one keeps its first folder and its parameters' names: `/shop/{n}?colour&size`. The coarse one keeps hardly
anything but the order of things, so that a maze that invents folders and parameters is seen as one: `~/{w}+/{n}?*`. Where the
words are known that an application uses (`vocabulary.py`), a third and narrower one keeps them too: `/repo/tree/{w}`.

A fetch that brings nothing adds to a template's weight, one that does takes off more. Above a threshold only a sample of its
URLs is fetched: every second, then every fourth, and so on, but never none, so that a template that has new content again is
found out. Seeds are always fetched. Honest templates never get there: every third page that is new keeps the weight at zero,
and a template that has brought much is given time.

A copy may lead to what is new (a listing that looks like others, the same frames in another folder), so what is found on a page
which is no news counts for or against the templates of that page too; all of it together is a template of its own.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.records.evidence import Ruling, TemplateTally, Yield
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.parse import Url

ROUGHLY = "~"  # begins a coarse template
EXAMPLES = 3
RELIEF = 2  # what a fetch that brings something takes off
STEP = 4  # weight by which a sample is halved
REPUTATION = 8  # what so many new pages brought, one that brings nothing does not spoil
VOUCHED = 4  # what something new takes off the weight of a page which brought nothing itself, but led to it
DENIED = 2  # what it adds if that is nothing new either
ON_COPIES = "found on copies"  # the make of all that only pages lead to which are no news themselves
COARSE = 2  # a coarse shape has to be so many times as heavy
SURE = 8  # where one in so many is fetched, all others are refused; before that they wait behind everything else
HONEST = 8  # a template of which one page in so many was new is more than copies
WORTH = 4  # what is found on copies is fetched to the last, as long as one in so many is new
PROVEN = 8  # fetches after which a fine template without weight is beyond the suspicion against its coarse one

# Looked up for every page: in an enum that takes as long as all the rest.
_FRESH, _COPY, _NONE = Yield.FRESH, Yield.COPY, Ruling.NONE
_TOKEN = re.compile(
    r"(?P<uuid>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    r"|(?P<date>(?<!\d)(?:19|20)\d\d[-_.]\d{1,2}[-_.]\d{1,2}(?!\d))"
    r"|(?P<id>(?<![A-Za-z0-9%])(?![A-Za-z]+\d+(?![A-Za-z0-9]))"  # page10 is a word and a number, like page9
    r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6,}(?![A-Za-z0-9]))"
    r"|(?P<n>(?<!%)(?<!%[0-9A-Fa-f])\d+)"  # the digits of %C3 are no number
)
_WORDS = re.compile(r"(?<![A-Za-z{])(?:%[0-9A-Fa-f]{2}|[^\W\d_{}]|[-_+~!,'])+")  # not those in the braces of a token
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")


def templates_of(url: Url) -> tuple[str, str]:
    """Return the fine and the coarse template of a URL."""
    return shapes_of(url.path, url.query)


def shapes_of(path: str, query: str | None) -> tuple[str, str]:
    """Return the fine and the coarse template of a URL with this path and query; None: it has no question mark."""
    segments = path.split("/")[1:]
    shapes = tuple(["{n}" if segment.isdecimal() else _shape(segment) for segment in segments])  # numbers do not repeat
    fine, coarse = _joined(make_of(segments[0]) if len(segments) > 1 else None, shapes)
    if query is None:
        return fine, coarse
    return f"{fine}?{_parameters(query)}", f"{coarse}?*"


def narrowed(path: str, query: str | None, folders: Collection[int], pieces: Collection[str]) -> str:
    """Return a fine template in which some folders, counted from 0, and some pieces of the query stand as they are."""
    segments = path.split("/")[1:]
    kept = [
        make_of(segment) if not depth else segment if depth in folders else _shape(segment)
        for depth, segment in enumerate(segments)
    ]
    shape = "/".join(["", *kept]) if len(segments) > 1 else f"/{_shape(segments[0])}"
    return shape if query is None else f"{shape}?{_parameters(query, pieces)}"


def is_word(text: str) -> bool:
    """Tell whether a folder or a value is a word and nothing else."""
    return _shape(text) == "{w}"


@lru_cache(
    maxsize=4096
)  # of many pages one: to join them takes as long as all the rest, and a text that is known is found sooner
def _joined(folder: str | None, shapes: tuple[str, ...]) -> tuple[str, str]:
    """Return the fine and the coarse template of these shapes behind each other; `folder`: the first one as it is kept."""
    if folder is None:
        fine = f"/{shapes[0]}" if shapes else "/"
        return fine, ROUGHLY + fine
    return "/".join(["", folder, *shapes[1:]]), "/".join([ROUGHLY, *_run_together(shapes)])


def _kind(found: re.Match[str]) -> str:
    return f"{{{found.lastgroup}}}"


@lru_cache(maxsize=1024)  # of first folders
def make_of(text: str) -> str:
    """Return a folder with its numbers, dates and tokens written as what they are."""
    return _TOKEN.sub(_kind, text)


@lru_cache(maxsize=16_384)  # folders repeat
def _shape(segment: str) -> str:
    extension = _EXTENSION.search(segment)
    stem = segment[: extension.start()] if extension else segment
    stem = _WORDS.sub("{w}", _TOKEN.sub(_kind, stem))
    return stem + (extension[0].lower() if extension else "")


def _run_together(shapes: Iterable[str]) -> list[str]:
    """Write neighbours of one shape as one, so that depth makes no difference."""
    runs: list[str] = []
    for shape in shapes:
        if runs and runs[-1].removesuffix("+") == shape and shape:
            runs[-1] = f"{shape}+"
        else:
            runs.append(shape)
    return runs


def _parameters(query: str, kept: Collection[str] = ()) -> str:
    pieces = query.split("&")
    names = {piece if piece in kept else _TOKEN.sub(_kind, piece.partition("=")[0]) for piece in pieces if piece}
    return "&".join(sorted(names))


def counted(tally: TemplateTally, brought: Yield, url: str, leads_on: bool = True) -> TemplateTally:
    """Return the tally after one more fetch; `leads_on`: it led to URLs of its host that nobody knew."""
    if brought is _FRESH:
        good = tally.good if len(tally.good) == EXAMPLES else (*tally.good, url)
        weight = max(tally.weight - RELIEF, 0) if tally.weight else 0
        # Twice a page: all of it by place takes a third of the time that `replace` does.
        return TemplateTally(
            tally.fetched + 1, tally.fresh + 1, weight, tally.barren, tally.refused, good, tally.bad, tally.ruling
        )
    barren = tally.barren | {brought.value: tally.barren.get(brought.value, 0) + 1}
    bad = (*tally.bad[1 - EXAMPLES :], url)
    weight = tally.weight + (0 if _is_harmless(tally, brought, leads_on) else 1)
    return replace(tally, fetched=tally.fetched + 1, weight=weight, barren=barren, bad=bad)


def vouched(tally: TemplateTally, brought: Yield, leads_on: bool = True) -> TemplateTally:
    """Return the tally after something was fetched that was found on one of its pages which brought nothing itself."""
    if brought is _FRESH:
        return replace(tally, weight=max(tally.weight - VOUCHED, 0))
    return tally if _is_harmless(tally, brought, leads_on) else replace(tally, weight=tally.weight + DENIED)


def _is_harmless(tally: TemplateTally, brought: Yield, leads_on: bool) -> bool:
    """Tell whether a fetch without news says nothing against a template.

    A maze has no end because its pages lead on. The same bytes once more, with links that are all known, are the end of
    something: of folders that are linked twice, of translations that fall back to one language. Where a template has new pages
    too, such copies are fetched to the last.
    """
    return brought is _COPY and not leads_on and tally.fresh * HONEST > tally.fetched


def one_in(template: str, tally: TemplateTally | None, settings: Traps) -> int:
    """Return of how many URLs of a template one is fetched; 1: all are, 0: an operator blocked them."""
    if tally is None:
        return 1
    if tally.ruling is not _NONE:
        return 0 if tally.ruling is Ruling.BLOCK else 1
    if tally.weight < settings.template_evidence and template != ON_COPIES:
        return 1  # nearly always
    evidence, step = settings.template_evidence, STEP
    if template == ON_COPIES:  # a maze has links without end: there is no time to lose
        if tally.fresh * WORTH > tally.fetched:
            return 1  # translations that fall back to one language lead to what is new as well
        evidence, step = (evidence + 1) // 2, 1
    elif template.startswith(ROUGHLY):
        evidence *= COARSE
    evidence += tally.fresh // REPUTATION
    return int(min(2 << min((tally.weight - evidence) // step, 30), settings.sample)) if tally.weight >= evidence else 1


def is_suspicion(template: str, sample: int) -> bool:
    """Tell whether a template that is throttled to one in so many may still be honest; a coarse one has been given its time."""
    return 1 < sample < SURE and not template.startswith(ROUGHLY)


def is_doubtful(tally: TemplateTally, settings: Traps) -> bool:
    """Tell whether a template has half of the weight from which it is throttled."""
    return 2 * tally.weight >= settings.template_evidence


def decisive(shapes: Sequence[str], tallies: Mapping[str, TemplateTally], settings: Traps) -> tuple[str, int]:
    """Return which template of a URL decides, and of how many of its URLs one is fetched: an operator's word comes first.

    `shapes` are all templates of the URL, the narrowest first.
    """
    for template in shapes:
        tally = tallies.get(template)
        if tally is not None and tally.ruling is not _NONE:
            return template, one_in(template, tally, settings)
    most = shapes[0], 1
    for template in shapes:
        tally = tallies.get(template)
        sample = one_in(template, tally, settings)
        if sample > most[1]:
            most = template, sample
        if tally is not None and tally.fetched >= PROVEN and not tally.weight:
            break  # it is beyond the suspicion against wider ones
    return most


def reason_for(template: str, tally: TemplateTally, sample: int, others: str = "") -> Reason:
    """Say why URLs of a template are not fetched; `others`: and what that means for the one in question."""
    if not sample:
        return because(Rule.TRAPS_TEMPLATE, template=template)
    return because(
        Rule.TRAPS_TEMPLATE,
        template=template,
        fresh=tally.fresh,
        fetched=tally.fetched,
        barren=tally.barren,
        such_as=tally.bad[-1] if tally.bad else None,
        one_in=sample,
        others=others or None,
    )
