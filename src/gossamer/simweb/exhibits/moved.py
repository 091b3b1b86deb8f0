"""Exhibits about what ordinary servers do with several spellings of one URL, and with a site that moved.

Where one spelling redirects to another, nothing else leads to the second, so that no order of visits makes a difference; where
one is not there, both stand on one page, the missing one first.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import Resource, SimHost

_PAGES = 6  # of the site that moved


def _lead(builder: Builder, parent: Resource, path: str, target: str, status: int = 301) -> Resource:
    """Link a path that redirects to another; return what is there."""
    return builder.add(builder.add(parent, path, kind="note", status=status), target, link="redirect")


def directories(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Lead from a directory without its slash to the one with it, and below it again, as every web server does."""
    manual = _lead(builder, builder.perch(host), "/manual", "/manual/")
    builder.add(manual, "/manual/first.html", href="first.html")
    part = _lead(builder, manual, "/manual/part", "/manual/part/")
    builder.add(part, "/manual/part/second.html", href="second.html")


def untracked(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Lead from a URL with tracking, or with its parameters in another order, to the plain one."""
    offer = _lead(builder, builder.perch(host), "/offer?utm_source=mail", "/offer", status=302)
    _lead(builder, offer, "/offer?size=9&colour=red", "/offer?colour=red&size=9")


def half_there(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link a page with a slash, which is not there, and without, which is."""
    perch = builder.perch(host)
    builder.add(perch, "/about-us/", kind="note", status=404)
    page = builder.add(perch, "/about-us")
    builder.add(page, "/about-us/people.html")


def cookie_gate(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Show a page only to who brings back the cookie that it sets."""
    page = builder.add(builder.perch(host), "/welcome.html", cookie="seen=1")
    builder.add(page, "/welcome/inside.html")


def moved_site(builder: Builder) -> None:
    """Add a host whose root, a seed, leads to another host by way of a third; who follows has another small site."""
    old, passage, new = (builder.found(name) for name in ("moved.sim", "passage.sim", "www.moved.sim"))
    new.is_seed = passage.is_seed = False
    front = builder.add(None, "/", host=new)
    new.pages.append(front)
    for number in range(1, _PAGES):
        new.pages.append(builder.add(new.pages[number // 2], f"/moved-{number}.html"))
    for host, target in ((passage, front), (old, None)):
        root = builder.add(None, "/", host=host, kind="note", status=302)
        host.pages.append(root)
        builder.link(root, target or passage.root, kind="redirect")
    builder.hosts += (old, passage, new)
