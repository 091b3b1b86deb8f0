"""Pages that a tree builder would need quadratic time for: telling them before parsing, and reading them without a tree.

Every start tag makes the tree builder walk up the open elements, and every attribute is compared with those before it in its
tag. A page of a few hundred kilobytes can so take many seconds, during which nothing else happens. What a page would cost is
estimated in linear time; one that is too dear is scanned tag by tag, which misses only what needs a tree (what is commented
out or inside a script counts as links too). Linear whatever the page holds.
"""

import html
import re
from collections.abc import Iterator

STEPS = 20_000_000  # of the walk up the open elements: about a tenth of a second
FEW_TAGS = 6_000  # these cannot take more steps than that
BLOCK = 32 * 1024  # a tag that fills a block has too many attributes, unless it is one long value
WORDS = 1_000  # in such a block

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")
_VOID = frozenset(b"area base br col embed hr img input link meta option param source track wbr".split())
_ELEMENT = re.compile(r"<(a|area|link|frame|iframe|img|source|base|meta|html)\b([^<>]{0,8192})>|<title\b[^<>]*>([^<]*)", re.I)
_ATTRIBUTE = re.compile(r"([^\s\"'=<>/]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")

Element = tuple[str, dict[str, str | None]]


def is_costly(content: bytes) -> bool:
    """Tell whether building a tree of a page would take too long."""
    if len(content) < BLOCK:
        return False
    return (content.count(b"<") > FEW_TAGS and _steps(content) > STEPS) or _has_endless_tag(content)


def _steps(content: bytes) -> int:
    """Estimate how many open elements would be walked over, as far as the limit."""
    open_by_name: dict[bytes, int] = {}
    depth = steps = 0
    for tag in _TAG.finditer(content):
        closing, name = tag.groups()
        if name in _VOID:
            continue
        if not closing:
            open_by_name[name] = open_by_name.get(name, 0) + 1
            depth += 1
        elif open_by_name.get(name, 0) > 0:
            open_by_name[name] -= 1
            depth -= 1
        steps += depth
        if steps > STEPS:
            break
    return steps


def _has_endless_tag(content: bytes) -> bool:
    for start in range(0, len(content) - BLOCK, BLOCK):
        if content.find(b">", start, start + BLOCK) < 0 and len(content[start : start + BLOCK].split()) > WORDS:
            return True
    return False


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
