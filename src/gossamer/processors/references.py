"""Character references: `&amp;`, `&#38;`, `&eacute;` and what is left of them when a page forgets the semicolon.

In the value of an attribute a name without a semicolon that goes on with a letter, a digit or `=` is no reference, so that
`?a=1&copy=2` stays what it is. Standard: https://html.spec.whatwg.org/ sections 13.2.5.72 to 13.2.5.80.
"""

import re
from html.entities import html5

REPLACEMENT = "\ufffd"

_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9A-Fa-f]+)|([0-9]+));?|([A-Za-z0-9]{2,32};?))")
_LONGEST_BARE = max(len(name) for name in html5 if not name.endswith(";"))
_SHORTEST = 2
_LAST = 0x10FFFF
_DIGITS = 8  # more than any character's number has


def decode(text: str, is_value: bool) -> str:
    """Replace the character references in the value of an attribute, or in text; NUL is the replacement character."""
    if "&" in text:
        text = _REFERENCE.sub(_in_value if is_value else _in_text, text)
    return text.replace("\0", REPLACEMENT)


def _in_value(found: re.Match[str]) -> str:
    return _meaning(found, True)


def _in_text(found: re.Match[str]) -> str:
    return _meaning(found, False)


def _meaning(found: re.Match[str], is_value: bool) -> str:
    hexadecimal, decimal, name = found.groups()
    if name is None:
        return _numbered(decimal, 10) if hexadecimal is None else _numbered(hexadecimal, 16)
    if name.endswith(";") and name in html5:
        return html5[name]
    for length in range(min(len(name), _LONGEST_BARE), _SHORTEST - 1, -1):
        if name[:length] in html5:
            follows = name[length:] or found.string[found.end() : found.end() + 1]
            if is_value and follows and (follows[0] == "=" or follows[0].isalnum()):
                break
            return html5[name[:length]] + name[length:]
    return found[0]


def _numbered(digits: str, base: int) -> str:
    digits = digits.lstrip("0")
    if not digits or len(digits) > _DIGITS:
        return REPLACEMENT
    number = int(digits, base)
    if number > _LAST or 0xD800 <= number <= 0xDFFF:
        return REPLACEMENT
    if 0x80 <= number <= 0x9F:  # the pages that write so mean windows-1252
        return bytes((number,)).decode("windows-1252", "ignore") or chr(number)
    return chr(number)
