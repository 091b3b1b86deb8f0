"""What changes on most pages of a host, as the book has it: one row a host, written when pages are visited again."""

from collections.abc import Mapping
from typing import Any

from gossamer.lessons.shelf import HABIT, HostLessons, Name
from gossamer.policy import habit
from gossamer.records.evidence import Difference, Habit

FEWEST = 2 * habit.NEEDED - 1  # fetches of a host that can have habits: on a smaller one hardly anything is on most pages
_NONE = Habit()


def habit_of(host: HostLessons) -> Habit | None:
    """Return what is known of a host; None: it has too few pages."""
    return None if host.whole is None or host.whole.fetched < FEWEST else host.habit or _NONE


def habit_after(name: str, changes: Mapping[Name, Any], host: HostLessons, difference: Difference) -> dict[Name, Habit]:
    """Return what is known of a host after one more page of it was compared."""
    place = (name, HABIT, habit.NAME)
    return {place: habit.noted(changes.get(place) or host.habit or _NONE, difference)}
