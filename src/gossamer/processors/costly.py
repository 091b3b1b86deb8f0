"""Pages that a tree builder would need quadratic time for: telling them before parsing, and reading them without a tree.

Every start tag makes the tree builder walk up the open elements, and every attribute is compared with those before it in its
tag. A page of a few hundred kilobytes can so take many seconds, and one of millions of tags takes a gigabyte. What a page
would cost is estimated in linear time; one that is too dear is scanned tag by tag, which misses only what needs a tree (what
is commented out or inside a script counts as links too). Linear whatever the page holds.

The estimate follows the tokenizer of https://html.spec.whatwg.org/ section 13.2.5 but knows no context, so it can be misled.
A page of few tags gains nothing by it, and any other is read in a process that can be killed (`readers/processes.py`).
"""

import html
import re
from collections.abc import Iterator

SMALL = 24 * 1024  # bytes in which there is no room for much harm
FEW_TAGS = 6_000  # these cannot take more than STEPS
STEPS = 20_000_000  # of the walk up the open elements: about a tenth of a second
MOST_TAGS = 500_000  # a tree of more takes too much memory
BLOCK = 4 * 1024
WORDS = 4_000  # more than any honest tag has attributes; compared with each other they take STEPS

_ATTRIBUTES = (
    rb"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+)*+(?:>|\Z)"
)
_TAG = re.compile(  # a comment, an element whose content is no markup, or a tag: its slash, its name, its attributes
    rb"<(?:!--(?:-?>|(?s:.*?)(?:--!?>|\Z))|[!?][^>]*+"
    rb"|(?i:(script|style|textarea|title|xmp|iframe|noembed|noframes))(?=[\t\n\f\r />])"
    + _ATTRIBUTES
    + rb"(?:[^<]++|<(?!/(?i:\1)[\t\n\f\r />]))*+"
    rb"|(/?)([A-Za-z][^\t\n\f\r />]*+)(" + _ATTRIBUTES + rb"))"
)
_VOID = frozenset(b"area base br col embed hr img input link meta option param source track wbr".split())
_ONE_OF_A_PAGE = frozenset((b"html", b"body"))  # whose attributes add up however often they are opened and closed
_QUOTED = re.compile(rb"=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+')")
_HIDDEN_END = re.compile(rb"=[\t\n\f\r ]*+(?:\"[^\">]*+>|'[^'>]*+>)")
_OPENING = re.compile(rb"<[A-Za-z]")
_ELEMENT = re.compile(r"<(a|area|link|frame|iframe|img|source|base|meta|html)\b([^<>]{1,8192})>|<title\b[^<>]*>([^<]*)", re.I)
_ATTRIBUTE = re.compile(r"([^\s\"'=<>/]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")

Element = tuple[str, dict[str, str | None]]


def is_costly(content: bytes) -> bool:
    """Tell whether building a tree of a page would take too long, or too much memory."""
    if len(content) < SMALL:
        return False
    tags = content.count(b"<")
    return tags > MOST_TAGS or (tags > FEW_TAGS and _steps(content) > STEPS) or _has_endless_tag(content)


def _steps(content: bytes) -> int:
    """Estimate how many open elements and attributes would be walked over, as far as the limit."""
    open_by_name: dict[bytes, int] = {}
    depth = steps = 0
    for tag in _TAG.finditer(content):
        _, closing, name, attributes = tag.groups()
        if name is None:
            continue
        name = name.lower()
        if len(attributes) > 256:
            steps += len(attributes.split()) ** 2
        if name in _VOID:
            continue
        if not closing:
            open_by_name[name] = open_by_name.get(name, 0) + 1
            depth += 1
        elif open_by_name.get(name, 0) > 0 and name not in _ONE_OF_A_PAGE:
            open_by_name[name] -= 1
            depth -= 1
        steps += depth
        if steps > STEPS:
            break
    return steps


def _has_endless_tag(content: bytes) -> bool:
    """Tell whether one tag has too many attributes; a `>` in quotes ends no tag."""
    blocks = range(0, len(content) - BLOCK, BLOCK)
    if all(content.find(b">", start, start + BLOCK) >= 0 for start in blocks) and not _HIDDEN_END.search(content):
        return False
    return any(
        len(piece) > WORDS and (opening := _OPENING.search(piece)) and len(piece[opening.end() :].split()) > WORDS
        for piece in _QUOTED.sub(b" ", content).replace(b"/", b" ").split(b">")
    )


def scan(text: str) -> Iterator[Element]:
    """Give the elements that links and facts are read from; the text of a title is its attribute `text`."""
    for found in _ELEMENT.finditer(text):
        name, attributes, title = found.groups()
        if name is None:
            yield "title", {"text": html.unescape(title)}
        else:
            yield name.lower(), _attributes(attributes)


def _attributes(text: str) -> dict[str, str | None]:
    attributes: dict[str, str | None] = {}
    for found in _ATTRIBUTE.finditer(text):
        name, *values = found.groups()
        value = next((value for value in values if value is not None), None)
        attributes.setdefault(name.lower(), None if value is None else html.unescape(value))
    return attributes
