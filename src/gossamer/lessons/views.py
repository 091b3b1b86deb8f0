"""What finished visits show of views: marks beside their pages, and what came of URLs that have one.

Only links that were new are looked at, some of a page at most, and of a mark that was seen often enough no more is counted: a
page without such links costs next to nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gossamer.lessons.shelf import VIEW, HostLessons, Name
from gossamer.policy import marks, views
from gossamer.records.evidence import View, Yield
from gossamer.records.visit import Visit
from gossamer.url.parse import split

MOST_VIEWS = 1_000  # of a host
_BLANK = View()
OK = 200


def observe(
    host: HostLessons, visit: Visit, brought: Yield | None, changes: Mapping[Name, Any], evidence: int
) -> Iterator[tuple[Name, View]]:
    """Give what is known of marks after one more visit, each as it was changed."""
    entry = visit.settlement.lease.entry
    if visit.settlement.lease.again:
        return
    known, active, name = host.views, host.lasts, entry.host
    urls = [found.url for found in visit.settlement.discovered[: views.MOST_LINKS] if found.host == name and not found.refused]
    if visit.is_file or host.has_file_marks:
        yield from _observe_file(host, visit, changes, evidence)
    if not urls and not known:
        return
    shown = views.sights(entry.url, urls, known, active, host.has_path_marks)
    enough = views.ENOUGH * evidence
    for mark, seen in shown.beside.items():
        place = (name, VIEW, mark)
        view: View = changes.get(place) or known.get(mark) or _BLANK
        if view.beside < enough and (mark in known or len(known) < MOST_VIEWS):
            yield place, views.seen(view, seen)
    for mark in shown.otherwise:
        place = (name, VIEW, mark)
        view = changes.get(place) or known[mark]
        if view.otherwise < enough:
            yield place, views.found_elsewhere(view)
    for mark in marks.every(entry.url, entry.via) if known else ():
        if mark in known:
            place = (name, VIEW, mark)
            yield place, views.tried(changes.get(place) or known[mark], brought, shown.leads)


def _observe_file(host: HostLessons, visit: Visit, changes: Mapping[Name, Any], evidence: int) -> Iterator[tuple[Name, View]]:
    """Give what is known of the make of a URL after it was a file to download, or was not."""
    entry = visit.settlement.lease.entry
    url = split(entry.url)
    place = (entry.host, VIEW, marks.of_files(url.path, url.query))
    view: View | None = changes.get(place) or host.views.get(place[2])
    if visit.is_file and (view is not None or len(host.views) < MOST_VIEWS):
        view = view or _BLANK
        if view.beside < views.ENOUGH * evidence:
            yield place, views.seen(view, views.Beside(1, entry.via, entry.url))
    elif view is not None and visit.page is not None and visit.page.status == OK:
        yield place, views.found_elsewhere(view)
