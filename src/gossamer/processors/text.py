"""The text of a page that a reader sees: a line for each block, white space folded, scripts and the like left out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

HIDDEN = "head script style template noscript noembed noframes iframe object svg datalist audio video canvas"
INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span "
    "strike strong sub sup time tt u var wbr"
)

_HIDDEN = frozenset(HIDDEN.split())
_INLINE = frozenset(INLINE.split())
_BREAK = "\0"  # no text of a tree holds it


def visible_text(root: "LexborNode") -> str:
    """Return what a reader sees of a page."""
    blocks = "".join(_pieces(root)).split(_BREAK)
    lines = (" ".join(block.split()) for block in blocks)
    return "\n".join(line for line in lines if line)


def _pieces(root: "LexborNode") -> Iterator[str]:
    """Walk the tree without recursion: it may be deeper than Python's stack."""
    node: LexborNode | None = root
    end = root.mem_id  # nodes compare by their markup, which costs a serialization each time
    while node is not None:
        child = None
        if node.is_text_node:
            yield node.text_content or ""
        elif node.is_element_node and node.tag not in _HIDDEN:
            child = node.first_child
            if node.tag not in _INLINE:
                yield _BREAK
        if child is not None:
            node = child
            continue
        while node is not None and node.next is None:
            node = node.parent
            if node is None or node.mem_id == end:
                return
            if node.tag not in _INLINE:
                yield _BREAK
        node = node.next if node is not None else None
