"""The fields of an answer's head, the same for one that was just fetched and one that was kept.

The bytes of a head are kept as they came; only reading joins the continuation lines of a folded field (RFC 9112 section 5.2).
Bytes beyond ASCII are UTF-8 where they can be, as in browsers.
"""

import re

_FOLD = re.compile(rb"(?<![ \t])(?:[ \t]*+\r?\n[ \t]++)+")


def unfolded(raw: bytes) -> bytes:
    """Join the continuation lines of fields with one space; a head's first line has none."""
    first, end, rest = raw.partition(b"\n")
    return first + end + _FOLD.sub(b" ", rest) if b"\n " in rest or b"\n\t" in rest else raw


def fields_of(raw: bytes) -> tuple[tuple[str, str], ...]:
    """Return the fields of a head with its blank line, names in lower case; a line that is no field is passed over."""
    raw = unfolded(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    lines = [line.partition(":") for line in text.split("\n")[1:-2]]
    return tuple([(name.rstrip().lower(), value.strip()) for name, colon, value in lines if colon and name[:1] > " "])
