"""Changes that happen as a whole, in a frontier that keeps in memory what it writes: after one that failed, memory may be half
changed and is not trusted.

If the store failed, a full disk included, that change was the last: nothing half-done is ever written. If a bug of ours
struck, its caller is told, and memory is read from the store again at once: whoever comes next finds a whole frontier
(docs/decisions/0013).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from gossamer.durability import Syncing
from gossamer.errors import DiskFull, StoreError

_Self = TypeVar("_Self", bound="Trusted")
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_Method = Callable[Concatenate[_Self, _Given], Coroutine[Any, Any, _Result]]


class Trusted(ABC):
    """The part of a frontier that knows whether its memory can be trusted."""

    def __init__(self, path: Path, syncing: Syncing) -> None:
        self._path = path
        self._syncing = syncing
        self._failed = False
        self._reason = ""

    @abstractmethod
    def _begin_again(self) -> None:
        """Read memory from the store again."""


def whole(method: _Method[_Self, _Given, _Result]) -> _Method[_Self, _Given, _Result]:
    """Make a change happen as a whole or not at all."""

    @wraps(method)
    async def change(self: _Self, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        if self._failed:
            raise StoreError(self._reason or f"the frontier in {self._path} stopped after a failure; resume the crawl to go on")
        self._failed = True
        try:
            result = await method(self, *args, **kwargs)
        except DiskFull as problem:  # nobody may try again: memory is ahead of the disk
            advice = "nothing that was done is lost; make room, then resume the crawl"
            self._reason = f"no space is left for the frontier in {self._path}; {advice}"  # whoever comes next is told the same
            raise StoreError(self._reason) from problem
        except StoreError:
            raise
        except Exception:  # a bug of ours
            self._begin_again()
            self._failed = False
            raise
        self._failed = False
        return result

    return change


def acknowledged(method: _Method[_Self, _Given, _Result]) -> _Method[_Self, _Given, _Result]:
    """Make a change happen as a whole, and return when it is as durable as was asked for."""
    changed = whole(method)

    @wraps(method)
    async def change(self: _Self, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        result = await changed(self, *args, **kwargs)
        await self._syncing.acknowledge()  # meanwhile others may read and change what this call has changed
        return result

    return change
