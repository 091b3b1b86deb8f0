"""The records of some pages as one WARC file, byte for byte as they are kept, requests included; a warcinfo record begins it.

A page that is only a revisit brings along the record that it refers to.
"""

import time
from collections.abc import AsyncIterator, Callable
from importlib.metadata import version

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.records.export import ExportOptions, KeptRecord
from gossamer.records.page import Place
from gossamer.storage.archive import warc
from gossamer.storage.archive.member import FAST
from gossamer.storage.archive.pair import Ids

AT_ONCE = 50
FIELDS = {
    "software": f"gossamer/{version('gossamer')}",
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
    "description": "records taken out of the archive of a crawl",
}


class WarcExport:
    """Writes a WARC file."""

    is_folder = False
    tables = ("pages",)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None: ...

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write the records of every page."""
        count = 0
        async for _ in write_records(holdings, target.stream.write, "export.warc.gz"):
            count += 1
            if count == AT_ONCE:
                yield count
                count = 0
        yield count


async def write_records(
    holdings: Holdings, write: Callable[[bytes], object], name: str
) -> AsyncIterator[tuple[KeptRecord, Place | None]]:
    """Write a WARC file record by record; gives each with its place in the file, or None if it was written before."""
    ids = Ids()
    beginning = b"".join(warc.pack(warc.warcinfo(ids.of(ids.draw()), time.time(), name, FIELDS), FAST))
    write(beginning)
    offset = len(beginning)
    async for record in holdings.records():
        if record.packed is None:
            yield record, None
            continue
        place = Place(name, offset, record.packed.length)
        offset += record.packed.content.size
        for piece in record.packed.content.pieces():
            write(piece)
        record.packed.content.close()
        yield record, place
