"""The canonical one: of two pages that are alike, which one counts, and why.

What `rel=canonical` says comes first, where the page that it names is the other one: so it has answered, and has the same to
say. Then, on one site, the shorter URL: fewer parameters, then fewer folders, then a shorter query of the same path, or the
beginning of the other. That one word is shorter than another says nothing (`/print/7`, `/article/7`): there the page counts
that is clearly better linked. Of two sites nobody can tell by URLs: the first stays. A page that is cut, or asks not to be
indexed, stands behind one that is neither, so that what counts can be searched.

Every exchange but one for links is for the better by one order of all pages: whole before cut; named canonical, by itself or by
the page whose place it takes (`crowned`), before others; then the shorter URL. So a place cannot go round in a circle, and is
handed on a few times at most, however long a maze is. Ranks move while a crawl runs: one for links takes twice the rank.
"""

from collections.abc import Callable

from msgspec.structs import replace

from gossamer.records.page import Original

ITSELF = "="  # what a page names that names itself: most that name any do
CLEARLY = 2.0  # times as much rank: ranks move while a crawl runs

Linked = Callable[[str], float]  # how well linked a page is, by its key; 0: nobody knows
Why = Callable[[Original, Original], str]  # why the first of two alike is the canonical one; an empty text: it is not


def nobody_knows(key: str) -> float:
    """Return how well linked a page is, where nobody has counted."""
    return 0.0


def first_stays(page: Original, other: Original) -> str:
    """Let no page take another's place, where the rule is switched off."""
    return ""


def named(canonical: str, url: str, key: str) -> str:
    """Return what a page says of its canonical URL, as it is remembered of an original: a URL, itself, or nothing."""
    return ITSELF if canonical and _bare(canonical) in (_bare(url), _bare(key)) else canonical


def why(page: Original, other: Original, linked: Linked = nobody_knows) -> str:
    """Say why, of two alike, a page is the canonical one rather than the other; an empty text: it is not."""
    if page.is_lesser is not other.is_lesser:
        return "" if page.is_lesser else "it is whole and may be indexed"
    if (is_named := _names(other, page)) is not _names(page, other):
        return "this page says so (rel=canonical)" if is_named else ""
    site, rest = _parts(page.url)
    other_site, other_rest = _parts(other.url)
    if site != other_site:
        return ""
    says_so = page.canonical == ITSELF
    if says_so is not (other.canonical == ITSELF):
        return "it says so itself (rel=canonical)" if says_so else ""
    if (is_shorter := _shorter(rest, other_rest)) or _shorter(other_rest, rest):
        return is_shorter
    rank = linked(other.key)
    return "more pages link to it" if rank and linked(page.key) >= CLEARLY * rank else ""


def crowned(page: Original, other: Original) -> Original:
    """Return a page that takes the place of another as it is remembered: one that the other names need not name itself."""
    return replace(page, canonical=ITSELF) if not page.canonical and _names(other, page) else page


def _names(page: Original, other: Original) -> bool:
    """Tell whether a page names another as the canonical one, and that one does not send us on."""
    if page.canonical in ("", ITSELF) or other.canonical not in ("", ITSELF):
        return False
    return _bare(page.canonical) in (_bare(other.url), _bare(other.key))


def _bare(url: str) -> str:
    """Return a URL without its scheme: many a site that is served by both names one of them."""
    return url.partition("://")[2]


def _parts(url: str) -> tuple[str, str]:
    """Return host and port, and what comes behind them."""
    site, _, rest = _bare(url).partition("/")
    return site, rest


def _shorter(rest: str, other: str) -> str:
    """Say how one URL of a site is shorter than another; that a word in it is shorter than another word means nothing."""
    path, _, query = rest.partition("?")
    other_path, _, other_query = other.partition("?")
    parameters, others = (query.count("&") + 1 if query else 0), (other_query.count("&") + 1 if other_query else 0)
    if parameters != others:
        return f"its URL has fewer parameters ({parameters}, not {others})" if parameters < others else ""
    folders, others = path.strip("/").count("/"), other_path.strip("/").count("/")
    if folders != others:
        return f"its URL is shorter ({folders} folders, not {others})" if folders < others else ""
    is_comparable = path == other_path or other.startswith(rest)
    return f"its URL is shorter (by {len(other) - len(rest)})" if is_comparable and len(rest) < len(other) else ""
