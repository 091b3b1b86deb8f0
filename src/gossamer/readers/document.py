"""From an answer to a document: transfer and content coding removed, type and charset told. The same for live and kept ones."""

from collections.abc import Mapping

from msgspec.structs import replace

from gossamer.dedupe.simhash import likeness_of
from gossamer.document.reading import GLIMPSE, read_document
from gossamer.joints.documents import Processor
from gossamer.records.fetch import Fetched
from gossamer.records.likeness import Likeness
from gossamer.records.page import Document, Extract
from gossamer.records.reason import because
from gossamer.records.rules import Rule


def document_of(fetched: Fetched, limit: int, encoding: str | None = None) -> Document:
    """Decode an answer, up to `limit` bytes of it; its `encoding` where that is known already."""
    return _decoded(fetched, fetched.body.read(), limit, encoding)


def glimpse_of(fetched: Fetched) -> Document:
    """Decode only the beginning of an answer, which tells its type."""
    return _decoded(fetched, fetched.body.read(GLIMPSE), GLIMPSE)


def _decoded(fetched: Fetched, raw: bytes, limit: int, encoding: str | None = None) -> Document:
    if encoding is None:
        encoding = fetched.header("content-encoding")
    return document_from(raw, fetched.chunked, encoding, fetched.header("content-type"), fetched.url, limit)


def document_from(
    raw: bytes, chunked: bool, encoding: str, content_type: str, url: str, limit: int, keep: int | None = None
) -> Document:
    """Decode the bytes of an answer, up to `limit` of them, or `keep` when there are more."""
    reading = read_document(raw, chunked=chunked, encoding=encoding, content_type=content_type, url=url, limit=limit, keep=keep)
    return Document(
        url=url,
        mime=reading.mime,
        content=reading.content,
        charset=reading.charset,
        cut=reading.cut,
        too_big=reading.too_big,
        error=reading.error,
    )


def read_by(processors: Mapping[str, Processor], document: Document, skim: bool = False) -> tuple[Extract, Likeness | None]:
    """Let the processor of its type read a document; types without one are not read. To skim is to take linear time.

    The text is dropped for what it is like; None: there are no words in it.
    """
    processor = processors.get(document.mime)
    extract = Extract() if processor is None else processor.skim(document) if skim else processor.process(document)
    likeness = likeness_of(extract.text) if extract.text else None
    cut = extract.cut
    if cut is None and document.error:
        cut = because(Rule.DOCUMENTS_DECODING, error=document.error)
    extract = replace(extract, text="", cut=cut)
    return extract, likeness if likeness is not None and likeness.words else None


def be_ready() -> None:
    """Import what reading needs with the first text, while memory is not limited yet."""
    likeness_of("")
