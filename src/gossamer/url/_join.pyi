from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind")
Made = TypeVar("Made")

def ends_of(url: str, /) -> tuple[int, int, int] | None: ...
def join_all(base: str, origin: int, directory: int, path: int, hrefs: list[str], /) -> list[str | None]: ...
def gather(
    base: str,
    origin: int,
    directory: int,
    path: int,
    ways: dict[str, tuple[Kind, bool]],
    most: int,
    fully: Callable[[str], str | None],
    make: Callable[[str, Kind, bool], Made],
    /,
) -> dict[str, Made]: ...
