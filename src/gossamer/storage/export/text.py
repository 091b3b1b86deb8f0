"""A folder of texts: what a reader sees of each page, in a file named after its URL (`url/filename.py`).

`files.jsonl` in it tells which file is which page's. Pages without a text, copies, and what is not there have none.
"""

from collections.abc import AsyncIterator
from pathlib import PurePosixPath

import msgspec

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.joints.walks import batches
from gossamer.records.export import ExportOptions
from gossamer.storage.export.rows import is_there
from gossamer.url.filename import file_of

AT_ONCE = 100
LIST = PurePosixPath("files.jsonl")


class TextExport:
    """Writes a file of text a page."""

    is_folder = True
    tables = ("pages",)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None: ...

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write every text."""
        encode = msgspec.json.Encoder().encode
        with target.file(LIST) as listing:
            async for pages in batches(holdings.pages(), AT_ONCE):
                count = 0
                for page in pages:
                    document = await holdings.document(page) if is_there(page) else None
                    text = holdings.text(document) if document is not None else ""
                    if not text:
                        continue
                    path = file_of(page.url, ".txt")
                    with target.file(path) as file:
                        file.write(f"{text}\n".encode("utf-8", "replace"))
                    listing.write(encode({"file": str(path), "url": page.url, "title": page.title}) + b"\n")
                    count += 1
                yield count
