"""Sitemaps (https://www.sitemaps.org/protocol.html): for each host a folder with a `sitemap.xml`, ready to be put at its root.

A sitemap has 50,000 URLs and 50 MB at most and names URLs of its own host only. Where there are more, `sitemap.xml` is an index
of the parts. What a search engine should not be told of is left out: whatever is no page for people, is not there, is a copy of
another, calls another one canonical, or asks not to be indexed.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePosixPath
from tempfile import gettempdir
from xml.sax.saxutils import escape

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.joints.walks import batches
from gossamer.records.export import ExportOptions
from gossamer.records.page import Page
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.export.rows import is_there, moment
from gossamer.url.filename import folder_of
from gossamer.url.parse import split

AT_ONCE = 1_000
MOST_URLS = 50_000  # of a sitemap
MOST_BYTES = 50 * 1024 * 1024
SPARE = 1024  # of them, for what stands around the URLs
PAGES = frozenset({"text/html", "application/xhtml+xml", "application/pdf"})

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_BEGIN = f'<?xml version="1.0" encoding="UTF-8"?>\n<{{0}} xmlns="{_NAMESPACE}">\n'
_END = "</{0}>\n"


class SitemapExport:
    """Writes sitemaps."""

    is_folder = True
    tables = ("pages",)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None: ...

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Sort the pages by host, then write the sitemaps of each."""
        lines = SortedLines(Path(gettempdir()))
        async for pages in batches(holdings.pages(), AT_ONCE):
            listed = [page for page in pages if _is_listed(page)]
            for page in listed:
                lines.append(_line(page))
            yield len(listed)
        for origin, entries in groupby(map(_entry, lines.in_order()), key=itemgetter(0)):
            _write_host(target, origin, (entry for _, entry in entries))


def _is_listed(page: Page) -> bool:
    return is_there(page) and page.mime in PAGES and not page.noindex and page.canonical in ("", page.url)


def _line(page: Page) -> bytes:
    known = page.freshness
    changed = moment(int(known.changed_at * 1000)) if known is not None and known.changed_at != known.first_seen else ""
    return f"{split(page.url).origin} {page.url} {changed}\n".encode()


def _entry(line: bytes) -> tuple[str, bytes]:
    origin, url, changed = line.decode().rstrip("\n").split(" ")
    modified = f"<lastmod>{changed}</lastmod>" if changed else ""
    return origin, f"<url><loc>{escape(url)}</loc>{modified}</url>\n".encode()


def _write_host(target: ExportTarget, origin: str, entries: Iterable[bytes]) -> None:
    """Write the one sitemap of a host, or its parts and their index."""
    folder, parts = PurePosixPath(folder_of(f"{origin}/")), list[bytes]()
    last: list[bytes] = []
    for part in _parts(entries):
        if last:
            parts.append(_write_part(target, folder, origin, len(parts) + 1, last))
        last = part
    if not parts:
        _write(target, folder / "sitemap.xml", "urlset", last)
        return
    parts.append(_write_part(target, folder, origin, len(parts) + 1, last))
    _write(target, folder / "sitemap.xml", "sitemapindex", parts)


def _parts(entries: Iterable[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for entry in entries:
        if len(part) == MOST_URLS or size + len(entry) > MOST_BYTES - SPARE:
            yield part
            part, size = [], 0
        part.append(entry)
        size += len(entry)
    yield part


def _write_part(target: ExportTarget, folder: PurePosixPath, origin: str, number: int, entries: list[bytes]) -> bytes:
    """Write a part; return its entry in the index."""
    name = f"sitemap-{number}.xml"
    _write(target, folder / name, "urlset", entries)
    return f"<sitemap><loc>{escape(origin)}/{name}</loc></sitemap>\n".encode()


def _write(target: ExportTarget, path: PurePosixPath, element: str, entries: list[bytes]) -> None:
    with target.file(path) as file:
        file.write(_BEGIN.format(element).encode())
        file.writelines(entries)
        file.write(_END.format(element).encode())
