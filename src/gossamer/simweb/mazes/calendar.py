"""A calendar that goes on for ever in both directions: a view of every month and every day, and few events in all of it."""

import re
from collections.abc import Sequence
from functools import cached_property

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.maze import MISSING, Links, Maze, MazePage, write

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EVENTS = 24
_NOW = 2026 * 12 + 2  # months since the year 0
_VIEW = re.compile(r"/cal/(-?\d+)/(\d\d)/(?:(\d\d)/)?")
_EVENT = re.compile(r"/event/(\d+)")


class Calendar(Maze):
    """Home and events are real, and so are the months and days of events; everything else is empty."""

    deep = True
    traps = ("traps.template", "dedupe.*", "scope.max_depth")

    @cached_property
    def _events(self) -> dict[tuple[int, int], int]:
        """Return the event of every day that has one; they are within nine months of now."""
        rng = self.chance("events")
        days: dict[tuple[int, int], int] = {}
        while len(days) < _EVENTS:
            days.setdefault((_NOW + rng.randint(-3, 9), rng.randint(1, 28)), len(days))
        return days

    def answer(self, path: str) -> MazePage:
        if path == "/":
            links = [(f"/event/{number}", self._title(number)) for number in range(_EVENTS)]
            return _page("Town hall", self._text("home"), [(_month(_NOW), "Calendar"), *links])
        if (found := _EVENT.fullmatch(path)) and int(found[1]) < _EVENTS:
            number = int(found[1])
            month, day = next(date for date, event in self._events.items() if event == number)
            return _page(self._title(number), self._text(path), [(_day(month, day), "Day"), ("/", "Home")])
        return MISSING if (view := _view(path)) is None else self._view(*view)

    def owns(self, path: str) -> str | None:
        if path == "/":
            return "home"
        if found := _EVENT.fullmatch(path):
            return f"event {int(found[1])}" if int(found[1]) < _EVENTS else None
        view = _view(path)
        if view is None:
            return None
        month, day = view
        if day:
            return f"day {self._events[month, day]}" if (month, day) in self._events else None
        return f"month {month}" if self._in_month(month) else None

    def contents(self) -> Sequence[str]:
        months = sorted({month for month, _ in self._events})
        numbers = range(_EVENTS)
        return ["home", *(f"event {n}" for n in numbers), *(f"day {n}" for n in numbers), *(f"month {m}" for m in months)]

    def _view(self, month: int, day: int) -> MazePage:
        name = f"{_MONTHS[month % 12]} {month // 12}"
        if day:
            event = self._events.get((month, day))
            text = "There are no events on this day." if event is None else self._text(f"day {event}")
            links = [(_day(*_shift(month, day, -1)), "Previous day"), (_day(*_shift(month, day, 1)), "Next day")]
            if event is not None:
                links.append((f"/event/{event}", self._title(event)))
            return _page(f"{day} {name}", text, [*links, (_month(month), name), ("/", "Home")])
        events = self._in_month(month)
        text = self._text(f"month {month}") if events else "There are no events in this month."
        days = [(_day(month, number), str(number)) for number in range(1, _length(month) + 1)]
        links = [(_month(month - 1), "Previous month"), (_month(month + 1), "Next month"), ("/", "Home")]
        return _page(name, text, links + days + [(f"/event/{event}", self._title(event)) for event in events])

    def _in_month(self, month: int) -> list[int]:
        return [event for (when, _), event in self._events.items() if when == month]

    def _title(self, event: int) -> str:
        return prose.title(self.chance(f"event {event}"))

    def _text(self, name: str) -> str:
        rng = self.chance(f"text {name}")
        return prose.tell(rng, rng.randint(60, 160))


def _page(title: str, text: str, links: Links) -> MazePage:
    """Make a page that ends as all pages of the town hall do, so that an empty one is not a short one."""
    return write(title, text, links, footer=prose.BOILERPLATE)


def _length(month: int) -> int:
    year = month // 12
    leap = month % 12 == 1 and (year % 400 == 0 if year % 100 == 0 else year % 4 == 0)
    return _LENGTHS[month % 12] + leap


def _shift(month: int, day: int, by: int) -> tuple[int, int]:
    if 1 <= day + by <= _length(month):
        return month, day + by
    return (month + 1, 1) if by > 0 else (month - 1, _length(month - 1))


def _month(month: int) -> str:
    return f"/cal/{month // 12}/{month % 12 + 1:02d}/"


def _day(month: int, day: int) -> str:
    return f"{_month(month)}{day:02d}/"


def _view(path: str) -> tuple[int, int] | None:
    """Return the month, counted from the year 0, and the day or 0, of a view that exists."""
    found = _VIEW.fullmatch(path)
    if found is None or not 1 <= int(found[2]) <= 12:
        return None
    month, day = int(found[1]) * 12 + int(found[2]) - 1, int(found[3] or 0)
    return (month, day) if found[3] is None or 1 <= day <= _length(month) else None
