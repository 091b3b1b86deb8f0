"""Markup that costs a tree builder time or room out of all proportion: a megabyte each, quadratic for whoever is naive.

Each page has a link before and a link behind the attack; both lead to plain pages that must be found.
"""

import gzip

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, page, routing, saying, whole

SIZE = 1_000_000
LINKS = 1_000_000
_MANY = 100_000


def _filled(*pieces: str) -> str:
    """Repeat a pattern until it has the size of a page."""
    pattern = "".join(pieces)
    return pattern * (SIZE // len(pattern))


def _pages() -> dict[str, str]:
    return {
        "nested-div": "<div>" * _MANY,
        "nested-list": "<ul><li>" * _MANY,
        "nested-font": "<font color=red>" * (SIZE // 16),
        "nested-formatting": _filled("<b><i><u><s>"),
        "nested-anchors": _filled("<a><div>"),
        "nested-blocks": _filled("<p><b><div>"),
        "nested-tables": _filled("<table><tr><td>"),
        "nested-forms": _filled("<svg><math><desc>"),
        "nested-templates": _filled("<template>"),
        "nested-inputs": _filled("<button><select>"),
        "foster-parents": "<table>" + _filled("<b>x"),
        "foster-cells": _filled("<table><b>", "<tr><i>x"),
        "attributes": "<p " + " ".join(f"a{number}=1" for number in range(_MANY)) + ">",
        "attribute-endless": '<p title="' + "y" * SIZE + '">',
        "options": "<select>" + "<option selected>x" * _MANY,
        "closing-tags": "<div>" * 5000 + "</p>" * (SIZE // 4),
        "comments": "<!--" * (SIZE // 4) + "-->",
        "angles": "<" * SIZE + ">",
        "entities": "&amp" * (SIZE // 4),
        "zeros": "\0" * SIZE,
    }


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    made = []
    for name, middle in _pages().items():
        root = f'<!DOCTYPE html><title>{name}</title><a href="/before">before</a>{middle}<p><a href="/behind">behind</a>'
        leaves = {path: whole(page(title=f"{path} {name}")) for path in ("/before", "/behind")}
        ends = (ExpectedEnd("/"), ExpectedEnd("/before"), ExpectedEnd("/behind"))
        made.append(Attack(f"markup-{name}", routing({"/": whole(root.encode()), **leaves}), ends))
    return [*made, _million_links()]


def _million_links() -> Attack:
    """Link to a million pages that robots.txt forbids: a crawler takes the first few hundred and says how many it left."""
    links = "".join(f"<a href=/no/{number}>" for number in range(LINKS))
    root = whole(gzip.compress(links.encode(), 1), "Content-Encoding: gzip")
    robots = whole(b"User-agent: *\nDisallow: /no/\n", mime="text/plain")
    ends = (
        ExpectedEnd("/"),
        ExpectedEnd("/no/0", "robots_denied", status=0),
        ExpectedEnd("/no/499", "robots_denied", status=0),
    )
    return Attack("markup-million-links", routing({"/": root}), ends, robots=saying(robots))
