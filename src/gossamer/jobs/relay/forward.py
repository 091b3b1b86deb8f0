"""The way of events from the chronicle to one sink: a batch, its acknowledgement, the cursor, the next batch.

A sink that fails is told again, later and later, for ever; meanwhile its batch is kept and nothing else is read for it. Nobody
waits for a sink: it lags, and is told the rest when it is back.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gossamer import faults
from gossamer.clock import Clock
from gossamer.config.sections import EventSettings
from gossamer.errors import ConsumerGone, SinkError
from gossamer.jobs.relay.cursor import SinkCursor
from gossamer.joints.chronicle import Telling
from gossamer.joints.sink import Sink
from gossamer.records.event import Event

FIRST_WAIT = 0.5  # seconds, doubled with each failure
LONGEST_WAIT = 60.0

Complete = Callable[[list[Event]], Awaitable[list[Event]]]


class Forwarder:
    """Tells one sink."""

    def __init__(
        self,
        telling: Telling,
        sink: Sink,
        cursor: SinkCursor,
        complete: Complete,
        settings: EventSettings,
        clock: Clock,
    ) -> None:
        self._telling = telling
        self._sink = sink
        self._cursor = cursor
        self._complete = complete
        self._settings = settings
        self._clock = clock
        self._batch: list[Event] = []  # that is not acknowledged
        self._is_idle = False  # there is nothing to tell
        self._is_gone = False
        self._is_known = False  # to the chronicle, which keeps what it has not been told

    async def run(self, ending: asyncio.Event, *, is_patient: bool) -> None:
        """Tell what there is until nothing is left and the end has come; a patient one does not leave while its sink fails."""
        while not self._is_gone:
            is_last = ending.is_set()
            wait = await self._step()
            is_failing = bool(self._cursor.state.failures)
            if is_last and (self._is_idle or (is_failing and not is_patient)):
                return
            if is_failing or not is_last:
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await (asyncio.Event() if is_last else ending).wait()

    async def _step(self) -> float:
        """Tell a batch; return how long to wait for the next one."""
        self._is_idle = False
        try:
            self._batch = self._batch or await self._next()
            if self._batch:
                await self._sink.send(self._batch)
                return await self._advance()
        except SinkError as error:
            self._is_gone = isinstance(error, ConsumerGone)
            return await self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - what a bug may cost: a sink lags; the crawl goes on
            return await self._fail(f"{type(error).__name__}: {error}")
        self._is_idle = True
        return self._settings.linger

    async def _next(self) -> list[Event]:
        events = await self._telling.after(self._cursor.state.position, self._settings.batch)
        if events and not self._is_known:
            await self._telling.keep_from(self._cursor.reader, self._cursor.state.position)  # it may be down for a long time
            self._is_known = True
        return await self._complete(events)

    async def _advance(self) -> float:
        batch, self._batch = self._batch, []
        faults.reach("before-cursor")
        await self._cursor.advance(batch[-1].id, len(batch), self._clock.now())
        faults.reach("after-cursor")
        await self._telling.keep_from(self._cursor.reader, batch[-1].id)
        return 0.0 if len(batch) == self._settings.batch else self._settings.linger

    async def _fail(self, error: str) -> float:
        await self._cursor.fail(error, self._clock.now())
        return next_wait(self._cursor.state.failures)


def next_wait(failures: int) -> float:
    """Return how long a sink is left alone that has failed so many times in a row."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(failures - 1, 10))
