"""Exhibits about status codes: redirects that lead somewhere, that lead nowhere, and answers that fail.

A URL that fails is alone on its host, so that no crawler's breaker has a reason to open.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import PageLink, Resource, SimHost

_MOST_REDIRECTS = 10  # followed in a row by a crawler with default settings


def _redirect(builder: Builder, parent: Resource, path: str, status: int = 302) -> Resource:
    return builder.add(parent, path, kind="note", status=status)


def redirects(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Lead by each status to pages: known ones on this host and another, one found no other way, one out of scope."""
    perch = builder.perch(host)
    for status in (301, 302, 307, 308):
        source = _redirect(builder, perch, f"/moved/{status}.html", status)
        builder.add(source, f"/now/{status}.html", link="redirect", href=f"../now/{status}.html")
    for name, pool in (("here", host.pool), ("there", other.pool), ("anywhere", builder.pool)):
        target = pool.pick(builder.rng, above=perch.rank + 1)
        if target is not None:
            builder.link(_redirect(builder, perch, f"/moved/{name}"), target, kind="redirect")
    leaving = _redirect(builder, perch, "/moved/away")
    leaving.links.append(PageLink("http://outside.example/landing", None, "redirect"))


def redirect_loops(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Lead in a circle of two, and from a URL to itself."""
    perch = builder.perch(host)
    there = _redirect(builder, perch, "/loop/there", 301)
    back = builder.add(there, "/loop/back", kind="note", status=302, link="redirect")
    builder.link(back, there, kind="redirect")
    itself = _redirect(builder, perch, "/loop/itself")
    builder.link(itself, itself, kind="redirect")


def redirect_chain(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Lead through one redirect more than a crawler follows; what is beyond is never asked for."""
    step = _redirect(builder, host.root, "/chain/0")
    for number in range(1, _MOST_REDIRECTS + 1):
        step = builder.add(step, f"/chain/{number}", kind="note", status=302, link="redirect")
    builder.add(step, "/chain/end.html", link="redirect")


def missing(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to pages that are not there."""
    builder.add(builder.perch(host), "/lost/page.html", kind="note", status=404)
    builder.add(builder.perch(host), "/lost/removed.html", kind="note", status=410)


def forbidden(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to a page that is not given to anybody."""
    builder.add(builder.perch(host), "/members/list.html", kind="note", status=403)


def always_failing(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Answer 500 for ever."""
    builder.add(builder.perch(host), "/broken/report.html", kind="note", status=500)


def throttled(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Ask for patience for ever."""
    builder.add(builder.perch(host), "/busy/always.html", kind="note", status=429, headers=(("Retry-After", "1"),))


def recovering(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Be unavailable once, then answer."""
    builder.add(builder.perch(host), "/busy/once.html", failures=1)
