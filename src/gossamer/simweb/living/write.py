"""Writes what a living host sends: its pages as HTML, and the lists that say when they changed, as real sites write them.

Standards: https://www.sitemaps.org/protocol.html, https://www.rssboard.org/rss-specification, RFC 4287 (Atom).
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import formatdate
from typing import NamedTuple

from gossamer.simweb.living.site import ATOM, HOME, PAGES, ROBOTS, RSS, SITEMAP, LivingSite

_TYPES = {
    ROBOTS: "text/plain",
    SITEMAP: "application/xml",
    RSS: "application/rss+xml",
    ATOM: "application/atom+xml",
}
_HTML = "text/html; charset=utf-8"
_FEEDS = "".join([f'<link rel="alternate" type="{_TYPES[feed]}" href="{feed}" />\n' for feed in (RSS, ATOM)])


class ListedPage(NamedTuple):
    """What a list says of a page."""

    url: str
    title: str
    changed_at: float  # Unix seconds
    by_day: bool


def content_type(path: str) -> str:
    """Return the type of what a path is answered with."""
    return _TYPES.get(path, _HTML)


def page(site: LivingSite, path: str, version: int, footer: str) -> bytes:
    """Write a page in one of its versions; the home page links all others and the feeds."""
    title, text = site.words(path, version)
    paths = tuple(PAGES) if path == HOME else (HOME,)
    items = "".join([f'<li><a href="{other}">{site.words(other, 1)[0]}</a></li>\n' for other in paths])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><title>{title}</title>\n{_FEEDS if path == HOME else ""}</head>\n<body>\n'
        f"<h1>{title}</h1>\n<p>{text}</p>\n<ul>\n{items}</ul>\n<footer>{footer}</footer>\n</body>\n</html>\n"
    ).encode()


def robots(origin: str) -> bytes:
    """Write a robots.txt that allows everything and names the sitemap."""
    return f"User-agent: *\nAllow: /\nSitemap: {origin}{SITEMAP}\n".encode()


def changes(path: str, origin: str, claims: Sequence[ListedPage]) -> bytes:
    """Write a list of pages and when they changed."""
    body = {SITEMAP: _sitemap, RSS: _rss, ATOM: _atom}[path](origin, claims)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _sitemap(origin: str, claims: Sequence[ListedPage]) -> str:
    entries = "".join([f"<url><loc>{one.url}</loc><lastmod>{_stamp(one)}</lastmod></url>\n" for one in claims])
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>'


def _rss(origin: str, claims: Sequence[ListedPage]) -> str:
    entries = "".join(
        [
            f"<item><title>{one.title}</title><link>{one.url}</link><pubDate>{formatdate(one.changed_at)}</pubDate></item>\n"
            for one in claims
        ]
    )
    return f'<rss version="2.0"><channel><title>what is new</title><link>{origin}{HOME}</link>\n{entries}</channel></rss>'


def _atom(origin: str, claims: Sequence[ListedPage]) -> str:
    entries = "".join(
        [
            f'<entry><title>{one.title}</title><link href="{one.url}"/><updated>{_stamp(one)}</updated></entry>\n'
            for one in claims
        ]
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>what is new</title><id>{origin}{ATOM}</id>\n{entries}</feed>'


def _stamp(claim: ListedPage) -> str:
    """Write a date as W3C's profile of ISO 8601, or the day alone."""
    moment = datetime.fromtimestamp(claim.changed_at, UTC)
    return f"{moment:%Y-%m-%d}" if claim.by_day else f"{moment:%Y-%m-%dT%H:%M:%SZ}"
