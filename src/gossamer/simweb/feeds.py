"""Writes feeds: Atom, RSS in RDF, and RSS with the faults that many have.

Every ampersand of a link is written in one of the ways XML has for it, in turn.
"""

from html import escape

from gossamer.simweb.sites import Resource

_AMPERSANDS = ("&amp;", "&#38;", "&#x26;")
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def write_feed(feed: Resource) -> bytes:
    """Write a feed of the kind a resource is."""
    hrefs = [_spell(link.href, number) for number, link in enumerate(feed.links)]
    write = {"atom": _atom, "rdf": _rdf, "rss": _rss}[feed.kind]
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + write(f"News of {feed.host.name}", hrefs).encode()


def _spell(href: str, number: int) -> str:
    return escape(href).replace("&amp;", _AMPERSANDS[number % len(_AMPERSANDS)])


def _atom(title: str, hrefs: list[str]) -> str:
    entries = "".join(f'<entry><title>News</title><link rel="alternate" href="{href}"/></entry>\n' for href in hrefs)
    return f'<feed xmlns="http://www.w3.org/2005/Atom">\n<title>{title}</title>\n{entries}</feed>\n'


def _rdf(title: str, hrefs: list[str]) -> str:
    """Name the last item only by what it is about."""
    listed = "".join(f'<rdf:li rdf:resource="{href}"/>' for href in hrefs)
    items = "".join(f'<item rdf:about="{href}"><link>{href}</link></item>\n' for href in hrefs[:-1])
    items += "".join(f'<item rdf:about="{href}"/>\n' for href in hrefs[-1:])
    channel = f"<channel><title>{title}</title><items><rdf:Seq>{listed}</rdf:Seq></items></channel>"
    return f'<rdf:RDF xmlns:rdf="{_RDF}" xmlns="http://purl.org/rss/1.0/">\n{channel}\n{items}</rdf:RDF>\n'


def _rss(title: str, hrefs: list[str]) -> str:
    """Begin with a bare ampersand and an entity of HTML; put the last link into a section of plain text."""
    items = "".join(f"<item><link>{href}</link></item>\n" for href in hrefs[:-1])
    items += "".join(f"<item><link><![CDATA[{_plain(href)}]]></link></item>\n" for href in hrefs[-1:])
    return f'<rss version="2.0"><channel><title>{title} & more&nbsp;</title>\n{items}</channel></rss>\n'


def _plain(href: str) -> str:
    for spelling in _AMPERSANDS:
        href = href.replace(spelling, "&")
    return href
