"""Views: URLs that show a page once more in another way (editor, history, diff, export, sort order) and wait behind content.

Nothing here knows an application. A link that carries the identity of the page it stands on, and something besides, may be one;
what it has besides is its *mark* (`marks.py`). A host's menu has one target wherever it stands, a listing many links of one
make; a view stands beside page after page, each time with another target. So a mark that stood beside enough of them, and was
hardly found in any other place, is taken for that of views, unless what was fetched with it led to new pages: then it is a way
to content. A small number (`?page=2`) leads through a listing more often than not, so it has to have brought little as well.

A view is never refused: it waits in the last class, and so does what is found on it and carries the same identity.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from gossamer.policy import marks
from gossamer.records.evidence import Ruling, View, Yield
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

EXAMPLES = 3
MOST_LINKS = 500  # of a page that are looked at
MOST_NOTED = 24  # marks of a page that are counted
ENOUGH = 4  # times the evidence: then no more is counted
FEWEST_KIN = 3  # links that can show that a word stands beside two others
KIN = 8  # links of a page with one name in different folders; more are a listing of folders
TRIED = 3  # fetches that show that a number brings little

_FRESH = Yield.FRESH


class Beside(NamedTuple):
    """A mark that stood beside something: how often, and one example of both."""

    times: int
    page: str
    url: str


class Sights(NamedTuple):
    """The marks found in the new links of a page."""

    beside: dict[str, Beside]
    otherwise: set[str]  # marks in links that are beside nothing
    leads: bool  # to something that is no view


def sights(page: str, urls: Iterable[str], known: Collection[str], active: Collection[str], has_paths: bool = True) -> Sights:
    """Look at the new links of a page; `known` are the marks of which something is known, `active` those in force.

    `has_paths` tells whether marks of paths are known: without, most links need not be taken apart.
    """
    beside: dict[str, Beside] = {}
    singles: dict[str, int] = {}
    otherwise: set[str] = set()
    plain: list[str] = []
    start, end = _fences(page)
    for url in urls:
        is_near = "?" in url or url.endswith(end) or url.startswith(start)  # nearly none is, and a look takes its time
        found = marks.beside(url, page, active) if is_near else []
        for mark in found:
            beside.setdefault(mark.name, Beside(1, page, url))
            if mark.is_single:
                singles[mark.name] = singles.get(mark.name, 0) + 1
            elif _is_numbered(mark.name):
                otherwise.add(f"{mark.name.partition('=')[0]}=*")
        is_view = bool(found) or (bool(active) and bool(marks.in_force(url, page, active)))
        if not is_view and not (is_near and known and marks.is_sibling(url, page, known)):
            if known and (has_paths or "?" in url):
                otherwise.update([mark for mark in marks.within(marks.apart(url)) if mark[-2:] != "=*"])
            if not (is_near and marks.is_about(url, page)):
                plain.append(url)
    listed = [name for name, count in singles.items() if count > 1]
    for name in listed:
        del beside[name]
        otherwise.add(name)
    for name, seen in _kin(plain).items() if len(plain) >= FEWEST_KIN else ():
        beside.setdefault(name, seen)
    otherwise = {name for name in otherwise if name in known and name not in beside}
    return Sights(dict(list(beside.items())[:MOST_NOTED]), otherwise, bool(plain or listed))


def _fences(page: str) -> tuple[str, tuple[str, str]]:
    """Return how a URL begins, or ends, whose path may be that of a page but for a word."""
    path = page.partition("?")[0]
    name = path.rstrip("/").rpartition("/")[2]
    return f"{path}/", (f"/{name}", f"/{name}/")


def _kin(urls: list[str]) -> dict[str, Beside]:
    """Find links of a page that differ in one folder: the first is what it is about, the others show it in other ways.

    A word is one that shows something only if it stands beside two at least.
    """
    groups: dict[str, list[str]] = {}
    for url in urls:
        if "?" not in url:
            groups.setdefault(url.rstrip("/").rpartition("/")[2], []).append(url)
    found: dict[str, Beside] = {}
    for group in groups.values():
        if 1 < len(group) <= KIN:
            first = marks.apart(group[0]).segments
            for url in group[1:]:
                for name in marks.by_path(first, marks.apart(url).segments):
                    found[name] = Beside(found[name].times + 1 if name in found else 1, group[0], url)
    return {name: seen for name, seen in found.items() if seen.times > 1}


# --- what is made of it ----------------------------------------------------------------------------------------------


def seen(view: View, beside: Beside) -> View:
    """Return the evidence after a mark stood beside something."""
    shown = (*view.shown[1 - EXAMPLES :], (beside.page, beside.url))
    return replace(view, beside=view.beside + beside.times, shown=shown)


def found_elsewhere(view: View) -> View:
    """Return the evidence after a mark stood on a page beside nothing."""
    return replace(view, otherwise=view.otherwise + 1)


def tried(view: View, brought: Yield | None, leads: bool) -> View:
    """Return the evidence after a URL with a mark was fetched."""
    return replace(view, fetched=view.fetched + 1, fresh=view.fresh + (brought is _FRESH), led=view.led + leads)


def is_view(mark: str, view: View, evidence: int) -> bool:
    """Tell whether URLs with a mark wait behind content; no evidence is enough where it is 0."""
    if view.ruling is not Ruling.NONE:
        return view.ruling is Ruling.BLOCK
    if not evidence or view.beside < evidence or 2 * view.otherwise > view.beside or 2 * view.led > view.fetched:
        return False
    return not _is_numbered(mark) or (view.fetched >= TRIED and 2 * view.fresh <= view.fetched)


def _is_numbered(mark: str) -> bool:
    """Tell whether a mark is a small number, which may be a place in a listing."""
    return mark[0] == "?" and mark.partition("=")[2].isdecimal()


def reason_for(mark: str, view: View) -> Reason:
    """Say why a URL waits behind others."""
    rule = Rule.TRAPS_VIEW_EVIDENCE
    if view.ruling is Ruling.BLOCK:
        return because(rule, mark=mark)
    page, url = view.shown[-1] if view.shown else ("", "")
    beside, otherwise = view.beside, view.otherwise
    if marks.is_of_files(mark):
        return because(rule, template=mark[1:], beside=beside, url=url, otherwise=otherwise)
    return because(rule, mark=mark, beside=beside, url=url, page=page, otherwise=otherwise, fetched=view.fetched, led=view.led)
