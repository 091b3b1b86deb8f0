"""What the sitemaps of a crawl list, read from the archive once more, and which of it no page links to.

Nothing else remembers it: a URL that was found on a page first is known by that page, and the link graph knows no sitemaps.
"""

from collections.abc import AsyncIterator, Iterator

import numpy as np
from numpy.typing import NDArray

from gossamer.assemble import make_processors, open_archive
from gossamer.clock import SystemClock
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.findings import edge_tables, is_among
from gossamer.readers.document import document_of
from gossamer.records.entry import LinkKind
from gossamer.records.outcome import Outcome
from gossamer.records.page import Place


def listed_urls(directory: CrawlDirectory, documents: list[Place]) -> Iterator[tuple[str, str]]:
    """Walk over the URLs that some documents list, if they are sitemaps: the URL, and the sitemap's."""
    return driven(_listed_urls(directory, documents))


async def _listed_urls(directory: CrawlDirectory, documents: list[Place]) -> AsyncIterator[tuple[str, str]]:
    settings = directory.settings()
    processors = make_processors(settings)
    async with open_archive(directory.path, settings, SystemClock()) as archive:
        for place in documents:
            fetched = await archive.read(place)
            try:
                document = document_of(fetched, settings.fetch.max_decoded)
            finally:
                fetched.body.close()
            processor = processors.get(document.mime)
            if processor is None or fetched.outcome is not Outcome.OK:
                continue
            for link in processor.process(document).links:
                if link.kind is LinkKind.SITEMAP:
                    yield link.url, document.url


def unlinked(directory: CrawlDirectory, names: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return those of some fingerprints, which are in order, that no page but their own links to."""
    linked = np.zeros(len(names), bool)
    for edges in driven(edge_tables(directory)) if len(names) else ():
        others = edges.targets[edges.sources != edges.targets]
        linked[np.searchsorted(names, others[is_among(others, names)])] = True
    return names[~linked]
