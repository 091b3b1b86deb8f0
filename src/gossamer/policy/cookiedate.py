"""The dates of cookies, as sites write them: RFC 6265 section 5.1.1, which takes words in any order and form."""

import re
from datetime import UTC, datetime

_DELIMITERS = re.compile(r"[\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?![0-9])")
_DAY = re.compile(r"([0-9]{1,2})(?![0-9])")
_YEAR = re.compile(r"([0-9]{2,4})(?![0-9])")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST = 200  # characters that are read


def seconds_of(text: str) -> float | None:
    """Return the time that a text says; None: it says none."""
    time = day = month = year = None
    for word in _DELIMITERS.split(text[:_LONGEST]):
        if time is None and (found := _TIME.match(word)):
            time = [int(part) for part in found.groups()]
        elif day is None and (found := _DAY.match(word)):
            day = int(found[1])
        elif month is None and word[:3].lower() in _MONTHS:
            month = _MONTHS.index(word[:3].lower()) + 1
        elif year is None and (found := _YEAR.match(word)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    year += 1900 if 70 <= year <= 99 else 2000 if year <= 69 else 0
    try:
        hour, minute, second = time
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() if year >= 1601 else None
    except ValueError:
        return None
