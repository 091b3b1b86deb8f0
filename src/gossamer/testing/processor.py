"""The checker of a processor: what any implementation of `joints.documents.Processor` has to promise.

    for rule in RULES:
        await rule(open_processor, sample)

`sample` is a document of a type that the processor reads, with at least one link in it if the type has links.
"""

from collections.abc import Awaitable, Callable, Iterator

from msgspec.structs import replace

from gossamer.joints.documents import Processor
from gossamer.records.page import Document
from gossamer.url.parse import parse

Opener = Callable[[], Processor]
Rule = Callable[[Opener, Document], Awaitable[None]]


def damaged(sample: Document) -> Iterator[Document]:
    """Give a document as it comes out of a bad day of the web."""
    content = sample.content
    yield replace(sample, content=b"")
    yield replace(sample, content=content * 2)
    for share in (1, 2, 3, 5, 8):
        yield replace(sample, content=content[: len(content) * share // 10], cut=True)
        yield replace(sample, content=content[len(content) * share // 10 :])
    yield replace(sample, content=bytes(byte ^ 0x55 for byte in content))
    yield replace(sample, content=content.replace(b">", b"\x00"))
    yield replace(sample, content=content.replace(b"<", b"<<"))
    yield replace(sample, content=bytes(range(256)) * 40)
    for charset in ("utf-16le", "shift_jis", "windows-1252", "utf-8", "iso-2022-jp"):
        yield replace(sample, charset=charset)


async def a_document_is_read_the_same_each_time(open_processor: Opener, sample: Document) -> None:
    processor = open_processor()
    first = processor.process(sample)
    processor.process(replace(sample, content=b"", url="https://other.test/"))
    assert processor.process(sample) == first == open_processor().process(sample), "reading depends on what was read before"


async def links_are_absolute_and_each_is_given_once(open_processor: Opener, sample: Document) -> None:
    for document in (sample, *damaged(sample)):
        urls = [link.url for link in open_processor().process(document).links]
        assert len(urls) == len(set(urls)), "a link is given twice"
        assert all(parse(url).wire == url for url in urls), "a link is not absolute, or not in the spelling of the wire"


async def no_document_is_too_broken_to_be_read(open_processor: Opener, sample: Document) -> None:
    for document in damaged(sample):
        extract = open_processor().process(document)
        assert extract.links_cut >= 0


async def facts_and_text_can_be_written_down(open_processor: Opener, sample: Document) -> None:
    for document in (sample, *damaged(sample)):
        extract = open_processor().process(document)
        text = open_processor().text(document)
        for value in (extract.title, extract.language, extract.charset, extract.canonical, extract.text, text):
            value.encode()  # a lone surrogate raises here, and would later, when the page is kept


async def an_extract_has_the_text_of_the_document_or_none(open_processor: Opener, sample: Document) -> None:
    for document in (sample, *damaged(sample)):
        extract = open_processor().process(document)
        assert extract.text in ("", open_processor().text(document)), "pages would be compared by what nobody reads"


RULES: tuple[Rule, ...] = (
    a_document_is_read_the_same_each_time,
    links_are_absolute_and_each_is_given_once,
    no_document_is_too_broken_to_be_read,
    facts_and_text_can_be_written_down,
    an_extract_has_the_text_of_the_document_or_none,
)
