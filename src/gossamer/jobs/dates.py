"""Dates as people write them, as far as they reach: a day is over with its last second, and all of it counts."""

from datetime import UTC, datetime, timedelta

EXAMPLES = "2026-01-31 or 2026-01-31 23:59:59"


def end_of(text: str) -> float | None:
    """Return when a day, or a second of one, is over; UTC, unless it says otherwise. None: the text is no date."""
    try:
        date = datetime.fromisoformat(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return (date + (timedelta(days=1) if len(text) <= len("2026-01-31") else timedelta(seconds=1))).timestamp()
    except (ValueError, OverflowError):
        return None
