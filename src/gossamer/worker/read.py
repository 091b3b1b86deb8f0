"""From an answer to a document: transfer and content coding removed, type and charset told. The same for live and kept ones."""

from gossamer.document.reading import read_document
from gossamer.records import Document, Fetched


def document_of(fetched: Fetched, limit: int) -> Document:
    """Decode an answer, up to `limit` bytes of it."""
    reading = read_document(
        fetched.body.read(),
        chunked=fetched.chunked,
        encoding=fetched.header("content-encoding"),
        content_type=fetched.header("content-type"),
        url=fetched.url,
        limit=limit,
    )
    return Document(url=fetched.url, mime=reading.mime, content=reading.content, charset=reading.charset, cut=reading.cut)
