"""Writes the content of resources: HTML of an exact size around the links it must carry, and the few other types.

The HTML is spelled in several ways that browsers read alike (upper case, single quotes, none, spaces around a URL). An ordinary
page is as long as its `size` says to the byte, unless its links alone need more room.
"""

import gzip
import struct
import zlib
from collections.abc import Sequence
from html import escape
from random import Random

from gossamer.simweb.sites import PageLink, Resource
from gossamer.simweb.text import PARAGRAPH, Prose

_LINKS_PER_SECTION = 8
_ANCHORS = (
    '<li><a href="%s">%s</a></li>\n',
    '<li><a class="more" href="%s" title="more">%s</a></li>\n',
    "<LI><A HREF='%s'>%s</A></LI>\n",
    '<li><a href=" %s ">%s</a></li>\n',
    "<li><a href=%s>%s</a></li>\n",
)
_NOFOLLOW_ANCHORS = ('<li><a rel="nofollow" href="%s">%s</a></li>\n', '<li><a href="%s" rel="external NoFollow">%s</a></li>\n')
_HEAD = {
    "canonical": '<link rel="canonical" href="%s" />\n',
    "alternate": '<link rel="alternate" hreflang="fr" href="%s" />\n',
    "refresh": '<meta http-equiv="refresh" content="30; url=%s" />\n',
}
_EMBEDDED = {
    "area": '<li><map name="plan"><area shape="rect" coords="0,0,40,40" href="%s" alt="part of the plan" /></map></li>\n',
    "iframe": '<li><iframe src="%s" title="inner page"></iframe></li>\n',
}
_IMAGES = ('<li><img srcset="%s 1x, %s 2x" alt="a picture" /></li>\n', '<li><img src="%s" alt="a picture" /></li>\n')
_FRAME = '<frame src="%s" />\n'
_BLOCK = 16 * 1024  # bytes
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def write_page(page: Resource, links: Sequence[PageLink], prose: Prose, rng: Random) -> bytes:
    """Write a page of HTML or XHTML in its charset."""
    title = prose.title(page.language, page.number)
    start = _opening(page, title, links)
    sections = _sections(page, links, prose)
    end = "</main>\n<footer><p>Made from a seed number.</p></footer>\n</body>\n</html>\n"
    room = page.size - len(start.encode()) - len(end) - sum(len(before) + len(after) for before, after in sections)
    parts = [start.encode()]
    for number, (before, after) in enumerate(sections):
        share = max(0, room) // (len(sections) - number)
        room -= share
        parts += (before, prose.fill(page.language, rng, share), after)
    parts.append(end.encode())
    content = b"".join(parts)
    return content if page.charset == "utf-8" else content.decode().encode(page.charset)


def write_frames(page: Resource, links: Sequence[PageLink], prose: Prose) -> bytes:
    """Write a set of frames."""
    title = prose.title(page.language, page.number)
    frames = "".join(_FRAME % escape(link.href) for link in links)
    return (
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>{title}</title>\n</head>\n"
        f'<frameset cols="30%,70%">\n{frames}</frameset>\n</html>\n'
    ).encode()


def listing_title(page: Resource) -> str:
    """Return the title of a listing: all that tells it from another one with the same names."""
    return f"Index of {page.host.name}{page.path}"


def write_listing(page: Resource) -> bytes:
    """Write what a server shows of a folder."""
    told = "<td>2026-01-01 12:00</td><td>1.2K</td><td>kept as it was measured, for whoever looks for it</td>"
    rows = "".join(f'<tr><td><a href="{link.href}">{link.href}</a></td>{told}</tr>\n' for link in page.links)
    head = f"<!DOCTYPE html>\n<html>\n<head>\n<title>{listing_title(page)}</title>\n</head>\n"
    return f"{head}<body>\n<h1>Index</h1>\n<table>\n{rows}</table>\n</body>\n</html>\n".encode()


def write_text(page: Resource, prose: Prose, rng: Random) -> bytes:
    """Write plain text without anything that looks like a link."""
    title = prose.title(page.language, page.number)
    return title.encode() + b"\n\n" + prose.fill(page.language, rng, page.size).replace(PARAGRAPH, b"\n\n") + b"\n"


def write_sitemap(sitemap: Resource) -> bytes:
    """Write a sitemap or an index of sitemaps; a path that ends in .gz is compressed."""
    whole, part = ("sitemapindex", "sitemap") if sitemap.kind == "sitemap_index" else ("urlset", "url")
    entries = "".join(
        f"<{part}><loc>{escape(link.href)}</loc><lastmod>2026-01-0{number % 9 + 1}</lastmod></{part}>\n"
        for number, link in enumerate(sitemap.links)
    )
    content = f'<?xml version="1.0" encoding="UTF-8"?>\n<{whole} xmlns="{_NAMESPACE}">\n{entries}</{whole}>\n'.encode()
    return gzip.compress(content, mtime=0) if sitemap.path.endswith(".gz") else content


def fill_file(file: Resource, rng: Random) -> bytes:
    """Fill a file with bytes that are no text; they repeat, so that to make and to archive them costs little."""
    block = bytes(16) + rng.randbytes(_BLOCK)
    return (block * (file.size // len(block) + 1))[: file.size]


def draw_image(image: Resource) -> bytes:
    """Draw a small PNG whose colour and size are the resource's own."""
    side = 8 + image.number % 24
    colour = struct.pack(">I", image.number * 2654435761 % 2**32)[1:]
    row = b"\0" + colour * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * side)), (b"tEXt", b"Comment\0%d" % image.number), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def _opening(page: Resource, title: str, links: Sequence[PageLink]) -> str:
    if page.kind == "xhtml":
        prologue = (
            '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en">'
        )
    else:
        prologue = f'<!DOCTYPE html>\n<html lang="{page.language}">'
    head = ""
    if page.declared == "meta":
        head += f'<meta charset="{page.charset}" />\n'
    head += f"<title>{title}</title>\n"
    if page.meta:
        head += f'<meta name="{page.meta[0]}" content="{page.meta[1]}" />\n'
    if page.base:
        head += f'<base href="{page.base}" />\n'
    for link in links:
        if link.kind in _HEAD:
            head += _HEAD[link.kind] % escape(link.href)
    return f"{prologue}\n<head>\n{head}</head>\n<body>\n<header><h1>{title}</h1></header>\n<main>\n"


def _sections(page: Resource, links: Sequence[PageLink], prose: Prose) -> list[tuple[bytes, bytes]]:
    """Lay out the body as sections; the text goes between the two halves of each."""
    written = [_body_link(page, link, number, prose) for number, link in enumerate(links) if link.kind not in _HEAD]
    sections = []
    for first in range(0, max(1, len(written)), _LINKS_PER_SECTION):
        heading = prose.title(page.language, page.number + first)
        some = "".join(written[first : first + _LINKS_PER_SECTION])
        before = f"<section>\n<h2>{heading}</h2>\n<p>".encode()
        after = f"</p>\n<ul>\n{some}</ul>\n</section>\n".encode() if some else b"</p>\n</section>\n"
        sections.append((before, after))
    return sections


def _body_link(page: Resource, link: PageLink, number: int, prose: Prose) -> str:
    href = escape(link.href) if "&" in link.href else link.href
    if link.kind == "anchor":
        text = prose.title("en", link.target.number) if link.target else "somewhere else"
        if link.nofollow:
            return _NOFOLLOW_ANCHORS[number % len(_NOFOLLOW_ANCHORS)] % (href, text)
        return _ANCHORS[0 if page.kind == "xhtml" else number % len(_ANCHORS)] % (href, text)
    if link.kind == "image":
        return _IMAGES[number % len(_IMAGES)].replace("%s", href)
    return _EMBEDDED[link.kind] % href
