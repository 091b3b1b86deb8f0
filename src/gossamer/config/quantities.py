"""Durations and sizes as people write them: `100ms`, `0.1s`, `1h30m`, `2 days`; `512k`, `20MB`, `20 MB`, `1.5GiB`.

A plain number is what the setting counts: seconds, bytes, pages. Units are read in any case, short or spelled out. `k`, `M`,
`G` and `T` are decimal, with or without a `B`; `Ki`, `KiB` and so on are binary.

Nothing is guessed: `1h30` (thirty of what?), `30m1h` (which is it?), `1:30` (minutes or hours?), `1,5s` (what is that comma?)
are no quantities; whoever asked says what is.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

_NUMBER = r"([0-9]{1,30}(?:_[0-9]{1,30})*(?:\.[0-9]{1,30})?|\.[0-9]{1,30})"
_QUANTITY = re.compile(rf"(-?)\s*{_NUMBER}\s*([a-z]*)", re.IGNORECASE)
_PART = re.compile(rf"{_NUMBER}\s*([a-z]+)\s*", re.IGNORECASE)
_SECONDS = (  # of each unit, the longest first, so that the parts of a duration must fall
    ("604800", "w wk wks week weeks"),
    ("86400", "d day days"),
    ("3600", "h hr hrs hour hours"),
    ("60", "m min mins minute minutes"),
    ("1", "s sec secs second seconds"),
    ("0.001", "ms msec msecs millisecond milliseconds"),
)
DURATIONS = {name: Decimal(factor) for factor, names in _SECONDS for name in names.split()}
_POWERS = {"k": ("kilo", "kibi"), "m": ("mega", "mebi"), "g": ("giga", "gibi"), "t": ("tera", "tebi")}
SIZES = {"b": Decimal(1), "byte": Decimal(1), "bytes": Decimal(1)} | {
    name: Decimal(factor) ** power
    for power, (letter, (decimal, binary)) in enumerate(_POWERS.items(), start=1)
    for factor, names in (
        (1000, (letter, f"{letter}b", f"{decimal}byte", f"{decimal}bytes")),
        (1024, (f"{letter}i", f"{letter}ib", f"{binary}byte", f"{binary}bytes")),
    )
    for name in names
}


def seconds(text: str, plain: float = 1) -> float | None:
    """Return the seconds that a text says, a number alone in units of `plain` seconds; None: it is no duration."""
    written = text.strip()
    single = _one(written, DURATIONS, Decimal(plain))
    return float(single) if single is not None else _compound(written)


def size(text: str, plain: int = 1) -> int | None:
    """Return the bytes, or other things, that a text counts, a number alone in units of `plain`; None: nothing whole."""
    counted = _one(text.strip(), SIZES, Decimal(plain))
    if counted is None or (counted != int(counted) and text.strip()[-1:].isdigit()):
        return None
    return int(counted)  # of a unit, what is less than a byte does not count


def _one(text: str, units: Mapping[str, Decimal], plain: Decimal) -> Decimal | None:
    """Read a number, perhaps with one unit."""
    found = _QUANTITY.fullmatch(text)
    factor = None if found is None else units.get(found[3].lower()) if found[3] else plain
    if found is None or factor is None:
        return None
    number = Decimal(found[2].replace("_", "")) * factor
    return -number if found[1] else number


def _compound(text: str) -> float | None:
    """Read several numbers with units that fall, such as `1h30m`."""
    total, last, at = Decimal(0), None, 0
    while at < len(text):
        part = _PART.match(text, at)
        factor = None if part is None else DURATIONS.get(part[2].lower())
        if part is None or factor is None or (last is not None and factor >= last):
            return None
        total, last, at = total + Decimal(part[1].replace("_", "")) * factor, factor, part.end()
    return float(total) if last is not None else None
