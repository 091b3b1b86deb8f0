"""Pauses: a step that cannot be taken now is tried again until it can, and whoever watches is told once.

A full disk and a store that cannot be reached pass by themselves, or with somebody's help; meanwhile nothing is lost, and the
steps behind wait. A step may be taken twice: what is asked of a store must not mind being asked again.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar, TypeVarTuple

from gossamer.errors import StoreAway, StoreError
from gossamer.watch.events import Events, Paused, Resumed

AWAY_WAIT = 1.0  # seconds between two tries to reach a store

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class Pause:
    """Waits for what passes: one error, for any number of steps at once."""

    def __init__(self, events: Events, passing: type[StoreError], seconds: float) -> None:
        self._events = events
        self._passing = passing
        self._seconds = seconds
        self._waiting = 0  # steps

    async def until_over(self, step: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T:
        """Take a step; while it fails with the error that passes, say so (once for all steps) and try again."""
        try:
            return await step(*arguments)
        except self._passing as error:
            if not self._waiting:
                self._events.publish(Paused(str(error), self._passing.__name__))
        self._waiting += 1
        try:
            while True:
                await asyncio.sleep(self._seconds)
                with suppress(self._passing):
                    result = await step(*arguments)
                    break
        finally:
            self._waiting -= 1
        if not self._waiting:
            self._events.publish(Resumed(self._passing.__name__))
        return result


class Patient:
    """A store elsewhere, for a crawl that runs: what is asked of it while it is away is asked again until it is back.

    Its walks are not: whoever walks begins again. Closing does not wait either.
    """

    def __init__(self, store: object, pause: Pause) -> None:
        self._store = store
        self._pause = pause

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name == "aclose" or not inspect.iscoroutinefunction(method):
            return method

        async def patiently(*arguments: Any, **named: Any) -> Any:
            async def ask() -> Any:
                return await method(*arguments, **named)

            return await self._pause.until_over(ask)

        self.__dict__[name] = patiently
        return patiently


def away(events: Events) -> Pause:
    """Return the pause of a crawl whose stores are away."""
    return Pause(events, StoreAway, AWAY_WAIT)
