"""Reading an answer: what is light at once, what is heavy in a child, so that the event loop never waits for a document.

Light is a body that is short, decodes quickly to little and has few tags: reading it takes less than handing it over. A page
that is read in linear time may be longer: one of a megabyte takes 5 ms and, whoever made it, 150 ms at most. A heavy one
that is not read by the deadline is scanned for links in linear time; should even that fail, it is kept and not read. Either is
said in the extract. What nobody reads is not even decoded: its first bytes tell its type.
"""

import asyncio
from collections.abc import Mapping

from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.document.decode import has_wide_window
from gossamer.document.digest import payload_digest
from gossamer.document.sniff import GZIP, is_gzip
from gossamer.joints.documents import Processor
from gossamer.policy.habit import Outline, outline
from gossamer.readers.child import ChildReading, Task
from gossamer.readers.document import document_of, glimpse_of, read_by
from gossamer.readers.processes import ReaderProcesses
from gossamer.records.fetch import Fetched
from gossamer.records.page import Extract
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

LIGHT = 256 * 1024  # bytes of a body, and of what it decodes to
LIGHT_PAGE = 1024 * 1024  # the same for a page that is read in linear time, and for what is only digested
FEW_TAGS = 6_000  # of a light document
FEW_REFERENCES = 20_000  # of a light page: an unknown one takes longest, 2.7 us
FEW_STEPS = 60_000  # of a light page that is long: each takes 2 us, for a tag, a reference or the candidate of a srcset
FEW_CHUNKS = 6_000  # of a light body
_UNOPENED = because(Rule.FETCH_MAX_DECODED, container="gzip")


class Reader:
    """Reads answers, in this process or in a child."""

    def __init__(self, settings: Settings, processors: Mapping[str, Processor], processes: ReaderProcesses) -> None:
        self._limit = max(settings.fetch.max_decoded, settings.fetch.max_body)
        self._deadline = settings.documents.deadline
        self._processors = processors
        self._linear = {mime for mime, processor in processors.items() if processor.is_linear}
        self._processes = processes

    async def digest(self, fetched: Fetched) -> str:
        """Return the digest of the payload."""
        if _is_short(fetched, LIGHT_PAGE):
            return payload_digest(fetched.body, fetched.chunked)
        if fetched.chunked:  # taking many small chunks apart would hold the loop's thread up, from any thread
            reply = await self._processes.ask(self._task(fetched, "digest"), fetched.body)
            if reply is not None:
                return reply.digest
        return await asyncio.to_thread(payload_digest, fetched.body, fetched.chunked)

    async def read(self, fetched: Fetched) -> ChildReading:
        """Decode a document and let the processor of its type read it; types without one are kept and not read."""
        reading = self._at_once(fetched)
        if reading is not None:
            return reading
        reply = await self._processes.ask(self._task(fetched, "read"), fetched.body)
        if reply is not None and reply.reading is not None:
            return reply.reading
        reply = await self._processes.ask(self._task(fetched, "skim"), fetched.body)
        if reply is not None and reply.reading is not None:
            late = replace(reply.reading.extract, cut=self._late("scanned for links"))
            return replace(reply.reading, extract=late)
        return replace(self.glimpse(fetched), extract=Extract(cut=self._late("not read")))

    async def outline(self, fetched: Fetched) -> Outline | None:
        """Return the pieces of a document, to be compared with another; None: there are none, or that would take too long."""
        encoding = fetched.header("content-encoding")
        if _is_short(fetched, LIGHT) and (not encoding or _is_quick(fetched, encoding)):
            document = document_of(fetched, min(LIGHT + 1, self._limit), encoding)
            if not document.too_big and _is_light(document.content, document.mime in self._linear):
                processor = self._processors.get(document.mime)
                return outline(processor.process(document)) if processor is not None else None
        reply = await self._processes.ask(self._task(fetched, "outline"), fetched.body)
        return reply.outline if reply is not None else None

    def glimpse(self, fetched: Fetched) -> ChildReading:
        """Tell the type of a document that nobody will read."""
        return ChildReading(glimpse_of(fetched).mime)

    def _at_once(self, fetched: Fetched) -> ChildReading | None:
        """Read a light document; None: it is heavy."""
        most = LIGHT_PAGE if _announced(fetched) in self._linear else LIGHT
        if fetched.body.size > most:
            mime = glimpse_of(fetched).mime
            if mime in GZIP and fetched.body.size > self._limit:
                return ChildReading(mime, extract=Extract(cut=_UNOPENED))
            return None if mime in self._processors else ChildReading(mime)
        encoding = fetched.header("content-encoding")
        if not (_is_short(fetched, most) and (not encoding or _is_quick(fetched, encoding))):
            return None
        document = document_of(fetched, min(most + 1, self._limit), encoding)
        if document.too_big and self._limit <= most:
            return ChildReading(document.mime, too_big=True)
        if document.mime in self._processors and not _is_light(document.content, document.mime in self._linear):
            return None
        extract, likeness = read_by(self._processors, document)
        return ChildReading(document.mime, extract=extract, likeness=likeness)

    def _late(self, done: str) -> Reason:
        """Say that a document was not read in time, and what was done with it instead."""
        return because(Rule.DOCUMENTS_DEADLINE, seconds=self._deadline, done=done)

    def _task(self, fetched: Fetched, step: str) -> Task:
        return Task(
            step,
            fetched.url,
            fetched.header("content-type"),
            fetched.header("content-encoding"),
            fetched.chunked,
            self._limit,
        )


def _announced(fetched: Fetched) -> str:
    """Return the type that an answer says it has."""
    return fetched.header("content-type").partition(";")[0].strip().lower()


def _is_short(fetched: Fetched, most: int) -> bool:
    """Tell whether a body takes little time to go through once; a chunk takes a line at least."""
    body = fetched.body
    return body.size <= most and not (fetched.chunked and body.read().count(b"\n") > FEW_CHUNKS)


def _is_quick(fetched: Fetched, encoding: str) -> bool:
    """Tell whether the beginning of a short body is decoded in little time, which only brotli can prevent."""
    encoding = encoding.strip().lower()
    if "br" not in encoding:
        return True
    head = fetched.body.read(64)
    return encoding == "br" and not has_wide_window(head.partition(b"\n")[2] if fetched.chunked else head)


def _is_light(content: bytes, read_in_linear_time: bool) -> bool:
    if is_gzip(content):
        return False
    if not read_in_linear_time:
        return len(content) <= LIGHT and content.count(b"<") <= FEW_TAGS
    if len(content) <= LIGHT:
        return len(content) <= LIGHT // 2 or content.count(b"&") <= FEW_REFERENCES  # no room for too many other steps
    return len(content) <= LIGHT_PAGE and sum(map(content.count, (b"<", b"&", b","))) <= FEW_STEPS
