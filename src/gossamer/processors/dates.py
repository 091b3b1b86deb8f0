"""Dates as sitemaps and feeds write them, to Unix seconds: W3C's profile of ISO 8601, and RFC 822 with what people make of it.

A date without a zone is taken as UTC. What cannot be read, or lies before there was a web or in another century, is None: it
is a mistake or a placeholder, and nobody learns anything from it.
Standards: https://www.w3.org/TR/NOTE-datetime, RFC 822 section 5, RFC 2822 section 3.3.
"""

import re
from datetime import UTC, datetime, timedelta

LONGEST = 64  # characters of any date
FIRST, LAST = 631_152_000.0, 4_102_444_800.0  # 1990, 2100

_MAIL = re.compile(
    r"(?:[a-z]{3,9},?\s+)?(\d{1,2})[ -]([a-z]{3})[a-z]{0,6}[ -](\d{4}|\d{2})\s+"
    r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([a-z]{1,5}|[+-]\d{4})?"
)
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}  # noqa: SIM905
_ZONES = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}  # hours; others are UTC


def parse_date(text: str) -> float | None:
    """Return the moment a date names, None when it names none."""
    text = text.strip()
    if not 4 <= len(text) <= LONGEST:
        return None
    try:
        moment = _w3c(text) if text[:4].isdigit() else _mail(text.lower())
        seconds = moment.timestamp() if moment is not None else None
    except (ValueError, OverflowError):
        return None
    return seconds if seconds is not None and FIRST <= seconds < LAST else None


def _w3c(text: str) -> datetime:
    if len(text) in (4, 7):  # a year, or a month of it
        text += "-01-01"[: 10 - len(text)]
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _mail(text: str) -> datetime | None:
    found = _MAIL.match(text)
    if found is None or found[2] not in _MONTHS:
        return None
    year = int(found[3])
    if year < 100:
        year += 2000 if year < 70 else 1900
    moment = datetime(year, _MONTHS[found[2]], int(found[1]), int(found[4]), int(found[5]), int(found[6] or 0), tzinfo=UTC)
    return moment - _zone(found[7] or "")


def _zone(text: str) -> timedelta:
    if text[:1] in ("+", "-"):
        ahead = timedelta(hours=int(text[1:3]), minutes=int(text[3:]))
        return ahead if text[0] == "+" else -ahead
    return timedelta(hours=_ZONES.get(text, 0))
