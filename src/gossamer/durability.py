"""When what was written is forced to the disk: before it is acknowledged (`durable`), or soon after (`fast`).

What a store has handed to the operating system outlives a kill -9. It outlives a power loss when a sync has followed. Here
stands when that sync happens, once for all stores; a store brings the call that does it. Syncs of one store run one after the
other on a thread of its own, so the event loop never waits for a disk, and everyone who comes while one is under way shares
the next: a sync is paid for by a batch, not by a page.

Invariants: `acknowledge` returns after a sync that began after it was called (durable), or sees to it that one begins within
half a second, so that with its own time it is over within the promised second (fast). After a sync that failed nothing is
acknowledged any more: the kernel may have dropped what it could not write, so a second attempt that succeeds proves nothing.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

SOON = 0.5  # seconds, in fast mode, from a write to the beginning of its sync
LINGER = 0.03  # seconds a step waits for the next of those it expects at most
LINGER_EACH = 0.001  # seconds for each of them
PAUSE = 0.002  # seconds it waits for more when all are there
LOOKS = 3  # times it waits at most, as long as some come
ENOUGH = 64  # it waits for no more than these


class _Round:
    """One sync, planned or under way."""

    __slots__ = ("begun", "over")

    def __init__(self, over: "asyncio.Future[None]") -> None:
        self.begun = False
        self.over = over


class Syncing:
    """The syncs of one store; `sync` raises what the store wants its callers to see."""

    def __init__(self, sync: Callable[[], None], durable: bool) -> None:
        self._sync = sync
        self._durable = durable
        self._round: _Round | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._failure: BaseException | None = None
        self._thread = ThreadPoolExecutor(1, "sync")

    async def acknowledge(self) -> None:
        """Return when what was written so far may be acknowledged."""
        if self._failure is not None:
            raise self._failure
        if self._durable:
            await asyncio.shield(self._next().over)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SOON, self._begin)

    async def aclose(self) -> None:
        """Sync what is still due and let the thread go."""
        late = self._timer is not None
        if self._timer is not None:
            self._timer.cancel()
            self._begin()
        if self._round is not None and not self._round.over.done():
            await asyncio.wait([self._round.over])
        self._thread.shutdown(wait=False)
        if late and self._failure is not None:  # otherwise it was told already
            raise self._failure

    def _begin(self) -> None:
        self._timer = None
        self._next()

    def _next(self) -> _Round:
        """Return the next sync to begin; one that has begun may miss what was written since."""
        if self._round is None or self._round.begun:
            loop = asyncio.get_running_loop()
            planned = self._round = _Round(loop.create_future())
            loop.call_soon(self._start, planned)  # whoever writes in this turn of the loop shares it: one sync a commit
        return self._round

    def _start(self, planned: _Round) -> None:
        planned.begun = True
        running = asyncio.get_running_loop().run_in_executor(self._thread, self._run)
        running.add_done_callback(partial(_end, planned.over))

    def _run(self) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            self._sync()
        except BaseException as problem:
            self._failure = problem
            raise


class Gathering(Generic[_Item, _Result]):
    """Group commit: while one step is under way, everything that comes is gathered for the next one.

    With `linger` a step waits for as many items as the larger of the last two steps had, as long as they come:
    visits that were settled together end together again, and the first of them would have a step, with all its syncs, for
    itself. A crawl of 1,700 pages has 300 syncs instead of 460. A step may `free` the way for the next one before it is over.
    Where an item is a batch itself, `size` says how many it counts for.
    """

    def __init__(
        self,
        step: Callable[[list[_Item]], Coroutine[None, None, _Result]],
        *,
        linger: bool = False,
        size: Callable[[_Item], int] = lambda item: 1,
    ) -> None:
        self._step = step
        self._linger = linger
        self._size = size
        self._gathered: list[_Item] = []
        self._seen = 0  # of them, by their size
        self._over: asyncio.Future[_Result] | None = None  # of the step that will take them
        self._under_way: asyncio.Task[_Result] | None = None  # the one that others wait for
        self._steps: set[asyncio.Task[_Result]] = set()  # all that are not over: the loop alone would not keep them
        self._planned: asyncio.TimerHandle | None = None
        self._sizes = (1, 1)  # of the last two steps: where one is cut short, every other is

    async def share(self, item: _Item) -> _Result:
        """Return what the step came to that took this item, with others or alone; raise what it raised."""
        return await asyncio.shield(self.join(item))

    def join(self, item: _Item) -> "asyncio.Future[_Result]":
        """Add an item to the next batch; return the batch's future, which all its items share, so nobody cancels it."""
        if self._over is None:
            self._over = asyncio.get_running_loop().create_future()
        over = self._over
        before, self._seen = self._seen, self._seen + self._size(item)
        self._gathered.append(item)
        if self._planned is not None:
            if any(before < awaited <= self._seen for awaited in (max(self._sizes), ENOUGH)):
                self._wait(LOOKS)
        elif self._under_way is None:
            self._wait(LOOKS)
        return over

    def _wait(self, looks: int) -> None:
        """Begin a step, or wait for those it expects."""
        if self._planned is not None:
            self._planned.cancel()
            self._planned = None
        seen, expected = self._seen, max(self._sizes) if self._linger else 1
        if expected == 1 or seen >= ENOUGH or not looks:
            self._begin()
            return
        patience = min(LINGER, LINGER_EACH * (expected - 1)) if seen < expected else PAUSE
        self._planned = asyncio.get_running_loop().call_later(patience, self._look, looks - 1, seen)

    def _look(self, looks: int, seen: int) -> None:
        self._planned = None
        self._wait(looks if self._seen > seen else 0)

    def _begin(self) -> None:
        assert self._over is not None
        batch, over, self._gathered, self._over = self._gathered, self._over, [], None
        self._sizes, self._seen = (self._sizes[1], self._seen), 0
        self._under_way = task = asyncio.get_running_loop().create_task(self._step(batch))
        self._steps.add(task)
        task.add_done_callback(partial(self._end, over))

    def free(self) -> None:
        """Let the next step begin; for the present one, which goes on beside it."""
        self._under_way = None
        if self._gathered:
            self._wait(LOOKS)

    def _end(self, over: "asyncio.Future[_Result]", task: "asyncio.Task[_Result]") -> None:
        self._steps.discard(task)
        if self._under_way is task:
            self.free()
        _end(over, task)


def _end(over: "asyncio.Future[_Result]", running: "asyncio.Future[_Result]") -> None:
    """Tell everyone who waits how something ended."""
    if over.done():
        return  # cancelled with the loop
    if running.cancelled():
        over.cancel()
    elif (error := running.exception()) is not None:
        over.set_exception(error)
        over.exception()  # looked at, so that asyncio does not complain that nobody did: who asks next is told
    else:
        over.set_result(running.result())


def make_directory(path: Path) -> None:
    """Create a directory, and those above it, so that their names outlive a power loss."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync_directory(each.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory outlive a power loss."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
