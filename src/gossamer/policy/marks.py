"""Marks: what a URL has beside the identity of another one, if it shows that in another way. Part of `views.py`.

?do=edit      the URL of the page it stands on, with one more word in the query
?version=*    the same with a number, beside such a word or on another view; or with a long one, once on a page
/log/*        the URL of the page, or of a link before it, with one folder exchanged or put in: /tree/f and /log/f
*/edit        the URL of the page with a word behind it
=/get/{n}     a template of URLs that are answered with files to download (`Content-Disposition`), whatever stands beside them
/diff*?id     another path with a value of the page's query, or with its name as a value: /commit?id=7 and /diff?id=7
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from gossamer.policy.templates import shapes_of

FIRST = 3  # of the parts of a URL between its slashes: the first folder
LONG = 4  # characters of a value that is no place in a listing

_WORD = re.compile(r"[A-Za-z][A-Za-z_.:~-]{0,31}[0-9]?")
_SPLIT = re.compile("[&;]")


class Mark(NamedTuple):
    """A mark of a URL beside a page."""

    name: str
    is_single: bool = False  # of several links of a page with it none counts: they are a listing


class Address(NamedTuple):
    """A URL taken apart."""

    segments: list[str]  # between its slashes, scheme and host included
    pieces: list[str]  # of its query


@lru_cache(maxsize=8)  # a page is looked at with each of its links
def _page_apart(url: str) -> Address:
    return apart(url)


def apart(url: str) -> Address:
    """Take a URL apart."""
    head, _, query = url.partition("?")
    return Address(head.split("/"), [piece for piece in _SPLIT.split(query) if piece] if query else [])


def is_word(text: str) -> bool:
    """Tell whether a text is one that somebody chose once, no number or name of something."""
    return _WORD.fullmatch(text) is not None


def beside(url: str, page: str, active: Collection[str] = ()) -> list[Mark]:
    """Return the marks by which a URL may be a view of a page, which may be one itself by the marks in force."""
    one, two = _page_apart(page), apart(url)
    own = [piece for piece in one.pieces if not _active_piece(piece, active)]
    if not two.pieces:
        return [] if own else [Mark(name) for name in by_path(one.segments, two.segments)]
    if one.segments != two.segments:
        return _by_value(Address(one.segments, own), two)
    more = [piece for piece in two.pieces if piece not in own]
    if not more or len(two.pieces) - len(more) != len(own):
        return []
    is_led = len(own) < len(one.pieces) or any([is_word(piece.partition("=")[2]) for piece in more])
    return [mark for piece in more if (mark := _of_piece(piece, is_led)) is not None]


def _of_piece(piece: str, is_led: bool) -> Mark | None:
    """Return the mark of a part of a query; `is_led`: it stands on a view, or beside a word."""
    name, _, value = piece.partition("=")
    if not value or is_word(value):
        return Mark(f"?{piece}")
    if is_led or len(value) >= LONG:
        return Mark(f"?{name}=*", is_single=not is_led)
    return Mark(f"?{piece}") if value.isdecimal() else None


def _active_piece(piece: str, active: Collection[str]) -> str:
    """Return the mark in force that a part of a query is; an empty text: none."""
    if f"?{piece}" in active:
        return f"?{piece}"
    name = f"?{piece.partition('=')[0]}=*"
    return name if name in active else ""


def by_path(one: list[str], two: list[str]) -> list[str]:
    """Return the mark of a path that is another one but for a word."""
    same = _in_common(one, two)
    if same >= len(two) or not is_word(two[same]):
        return []
    word, behind = two[same], two[same + 1 :]
    if behind and any(behind) and behind in (one[same + 1 :], one[same:]):
        return [f"/{word}/*"]
    return [f"*/{word}"] if not behind and same == len(one) and one[-1] else []


def _in_common(one: list[str], two: list[str]) -> int:
    same = FIRST
    while same < len(one) and same < len(two) and one[same] == two[same]:
        same += 1
    return same


def _by_value(one: Address, two: Address) -> list[Mark]:
    """Return the mark of a URL of another path that has a value of a page's query, or the page's name as a value."""
    name = next((segment for segment in reversed(one.segments[FIRST:]) if segment), "")
    own = {*one.pieces, *[piece for piece in two.pieces if name and piece.partition("=")[2] == name]}
    more = [piece for piece in two.pieces if piece not in own]
    if len(more) == len(two.pieces):
        return []
    is_single = any([not is_word(piece.partition("=")[2]) for piece in more])
    return [Mark(name, is_single) for name in _names_by_value(one, two)]


def _names_by_value(one: Address, two: Address) -> list[str]:
    same = _in_common(one.segments, two.segments)
    if same >= len(one.segments) or same >= len(two.segments) or not one.segments[same] or not two.segments[same]:
        return []  # one of them is in the other's folder
    return [f"/{two.segments[same]}{_ending(one, two)}"]


def _ending(one: Address, two: Address) -> str:
    """Return the query of a mark: words that are not the page's own, and the names of all else."""
    parts = []
    for piece in two.pieces:
        name, _, value = piece.partition("=")
        is_own = piece in one.pieces or value in one.segments
        parts.append(piece if is_word(value) and not is_own else name)
    return f"*?{'&'.join(sorted(parts))}"


def within(address: Address) -> Iterator[str]:
    """Give the marks that a URL may have wherever it was found."""
    for piece in address.pieces:
        yield f"?{piece}"
        yield f"?{piece.partition('=')[0]}=*"
    for segment in address.segments[FIRST : -1 if address.segments[-1] else -2]:
        yield f"/{segment}/*"
    if not address.pieces:
        yield f"*/{address.segments[-1]}"


def every(url: str, via: str) -> list[str]:
    """Return every mark that a URL found on the page `via` may have."""
    address, found_on = apart(url), _page_apart(via)
    is_elsewhere = address.pieces and found_on.segments != address.segments
    return [*within(address), *(_names_by_value(found_on, address) if is_elsewhere else ())]


def in_force(url: str, via: str, active: Collection[str]) -> str:
    """Return the mark in force that makes a URL found on the page `via` a view; an empty text: none does."""
    address = apart(url)
    for mark in within(address):
        if mark in active:
            return mark
    if not address.pieces:
        return ""
    found_on = _page_apart(via)
    if found_on.segments != address.segments:
        ending = _ending(found_on, address)
        names = [name for name in (f"/{segment}{ending}" for segment in address.segments[FIRST:]) if name in active]
        return names[0] if names and _share_a_name(found_on, address) else ""
    above = [mark for piece in found_on.pieces if (mark := _active_piece(piece, active))]
    own = [piece for piece in found_on.pieces if not _active_piece(piece, active)]
    return above[0] if above and all(piece in address.pieces for piece in own) and own != address.pieces else ""


def _share_a_name(one: Address, two: Address) -> bool:
    names = {piece.partition("=")[0] for piece in one.pieces}
    return any(piece.partition("=")[0] in names or piece.partition("=")[2] in one.segments for piece in two.pieces)


def is_about(url: str, page: str) -> bool:
    """Tell whether a URL is about the same thing as a page: /commit/f?id=7 as /log/f, /tree/f?id=7 as /tree?id=7."""
    if "?" not in url:
        return False
    one, two = _page_apart(page), apart(url)
    if one.pieces:
        return all(piece in two.pieces for piece in one.pieces)
    return one.segments == two.segments or bool(by_path(one.segments, two.segments))


def of_files(path: str, query: str | None) -> str:
    """Return the mark of URLs of this make, should they be files to download."""
    return f"={shapes_of(path, query)[0]}"


def is_of_files(mark: str) -> bool:
    """Tell whether a mark is one of files to download."""
    return mark[0] == "="


def is_sibling(url: str, page: str, known: Collection[str]) -> bool:
    """Tell whether a URL shows the same as a page that has marks which stood beside others: two orders of one listing.

    Where it stands there tells nothing of its own marks.
    """
    own = _page_apart(page).pieces
    return bool(own) and url.startswith(f"{page.partition('?')[0]}?") and all(f"?{piece}" in known for piece in own)
