"""An archive by date: a distinct page every day for years, which looks like a calendar and is none."""

from collections.abc import Sequence
from datetime import date, timedelta

from gossamer.simweb.mazes.giant import Giant
from gossamer.simweb.mazes.maze import MISSING, MazePage, write

_DAYS = 3_000
_FIRST = date(2012, 1, 1)


class DayArchive(Giant):
    """Three thousand days, in months and years."""

    def __init__(self, exhibit: str, seed: int, scale: float) -> None:
        super().__init__(exhibit, seed)
        days = [_FIRST + timedelta(number) for number in range(max(20, round(_DAYS * scale)))]
        self._days = {_day(day): day for day in days}
        self._months: dict[str, list[str]] = {}
        self._years: dict[str, list[str]] = {}
        for path in self._days:
            self._months.setdefault(path[:9], []).append(path)
        for path in self._months:
            self._years.setdefault(path[:6], []).append(path)

    def answer(self, path: str) -> MazePage:
        below = list(self._years) if path == "/" else self._years.get(path) or self._months.get(path)
        if below is not None:
            title = "The archive" if path == "/" else f"Archive of {path.strip('/')}"
            return write(title, self.tell(path, 60, 120), [("/", "archive"), *((lower, lower.strip("/")) for lower in below)])
        day = self._days.get(path)
        if day is None:
            return MISSING
        near = [_day(day + timedelta(step)) for step in (-1, 1)]
        links = [(other, other.strip("/")) for other in near if other in self._days]
        return write(path.strip("/"), self.tell(path, 100, 300), [("/", "archive"), (path[:9], "month"), *links])

    def owns(self, path: str) -> str | None:
        known = path == "/" or path in self._days or path in self._months or path in self._years
        return path if known else None

    def paths(self) -> Sequence[str]:
        return ["/", *self._years, *self._months, *self._days]


def _day(day: date) -> str:
    return f"/{day:%Y/%m/%d}/"
