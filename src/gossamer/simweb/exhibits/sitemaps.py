"""Exhibits about sitemaps: named in robots.txt, single or as an index, compressed as a file or on the way.

Some of the pages they list are found nowhere else.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import Resource, SimHost

_LISTED = 6


def _list_pages(builder: Builder, sitemap: Resource) -> None:
    """List pages of the host that links lead to as well, and pages that nothing else leads to."""
    for page in [page for page in sitemap.host.pages if page.rank > sitemap.rank][:_LISTED]:
        builder.link(sitemap, page, kind="sitemap", href=page.url)
    name = sitemap.path.rpartition("/")[2].partition(".")[0]
    for number in range(2):
        path = f"/unlinked/{name}-{number}.html?from=map&n={number}"
        builder.add(sitemap, path, link="sitemap", href=sitemap.host.origin + path)


def single_sitemap(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Name one sitemap in robots.txt."""
    sitemap = builder.add(None, "/sitemap.xml", host=host, kind="sitemap", rank=1)
    host.robots.sitemaps.append(sitemap.url)
    _list_pages(builder, sitemap)


def sitemap_index(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Name an index in robots.txt that lists a compressed sitemap and one that is compressed on the way."""
    index = builder.add(None, "/sitemap-index.xml", host=host, kind="sitemap_index", rank=1)
    host.robots.sitemaps.append(index.url)
    for path, coding in (("/maps/articles.xml.gz", "identity"), ("/maps/news.xml", "gzip")):
        sitemap = builder.add(index, path, kind="sitemap", coding=coding, link="sitemap", href=host.origin + path)
        _list_pages(builder, sitemap)
