"""Heads, metas and texts that cost quadratic time in whoever reads them with careless patterns or tables that can be foreseen.

Each head is within what crawlers allow, 60 KB of one thing over and over; each page is small enough to be read at once, and has
a link behind the attack that must be found.
"""

from collections.abc import Iterator
from random import Random

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, page, routing, whole

_HEAD = 60_000  # bytes
_PAGE = 200_000
_WORDS = 60_000
_BITS = (1 << 64) - 1
_HEADS = {
    "folds": "X-Fold: a" + " " * _HEAD + "b",
    "fold-lines": "X-Fold: a" + ("\r\n" + " \t" * 7) * (_HEAD // 16) + "b",
    "fold-blanks": "X-Fold: a\r\n" + " " * _HEAD + "\r\n b",
    "robots-tag": "X-Robots-Tag: " + "a" * _HEAD,
    "robots-tags": "X-Robots-Tag: " + "a ," * (_HEAD // 3),
    "type": "Content-Type: text/html;" + " " * _HEAD + "charset",
    "modified": "Last-Modified: " + "Mon, " * (_HEAD // 5),
    "cookie": "Set-Cookie: a=b" + "; a" * (_HEAD // 3),
}
_METAS = {
    "refresh-digits": '<meta http-equiv="refresh" content="' + "0" * _PAGE + '">',
    "refresh-blanks": '<meta http-equiv="refresh" content="0' + " " * _PAGE + '">',
    "refresh-url": '<meta http-equiv="refresh" content="0;url' + " " * _PAGE + '=/behind">',
    "meta-robots": '<meta name="robots" content="' + "a" * _PAGE + '">',
    "meta-words": '<meta name="robots" content="' + "a " * (_PAGE // 2) + '">',
    "charsets": "<meta x" * (_PAGE // 7) + ">",
    "srcset": '<img srcset="' + "(" * _PAGE + '">',
}


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    heads = [_page(name, "", line) for name, line in _HEADS.items()]
    metas = [_page(name, content) for name, content in _METAS.items()]
    return [*heads, *metas, _page("flood", f"<p>{''.join(map(chr, flood(_WORDS)))}")]


def _page(name: str, content: str, *lines: str) -> Attack:
    root = f'<!DOCTYPE html><title>{name}</title><p>{name}</p>{content}<a href="/behind">behind</a>'
    routes = {"/": whole(root.encode(), *lines), "/behind": whole(page(title=f"behind {name}"))}
    return Attack(f"quadratic-{name}", routing(dict(routes)), (ExpectedEnd("/"), ExpectedEnd("/behind")))


def flood(words: int) -> Iterator[int]:
    """Give characters that are words of their own, every three of which have a hash that falls into an eighth of a table.

    The hash is that of gossamer's SimHash, which says in its source how it is made.
    """
    chance, mask = Random(7), (1 << (2 * words - 1).bit_length()) - 1
    first, second = 0x4E00, 0x4E01
    yield from (first, second)
    for _ in range(words - 2):
        begun = (first * 0xD6E8FEB86659FD93 + second * 0xA0761D6478BD642F) * 0xBF58476D1CE4E5B9
        third, hashed = 0, mask
        while (hashed ^ hashed >> 32) & mask > mask >> 3:
            third = chance.randrange(0x4E00, 0x9FFF)
            hashed = begun + third * 0xBF58476D1CE4E5B9 & _BITS
            hashed = (hashed ^ hashed >> 32) * 0xFF51AFD7ED558CCD & _BITS
            hashed = (hashed ^ hashed >> 29) * 0xC4CEB9FE1A85EC53 & _BITS
        yield third
        first, second = second, third
