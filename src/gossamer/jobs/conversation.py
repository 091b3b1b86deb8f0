"""Several questions to one crawl, running or not: one that is stopped is opened once for all of them."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from gossamer.assemble import open_stores
from gossamer.clock import SystemClock
from gossamer.errors import CrawlInUse
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.look import held_to_look
from gossamer.jobs.operate import carry_out
from gossamer.jobs.operations.cursors import MOST
from gossamer.jobs.operations.urls import AT_ONCE
from gossamer.jobs.words import user

Ask = Callable[..., Any]


@contextmanager
def conversation(directory: CrawlDirectory) -> Iterator[Ask]:
    """Give what asks a crawl; only for questions that change nothing."""
    with ExitStack() as stack:
        try:
            copies = stack.enter_context(held_to_look(directory))
        except CrawlInUse:
            yield partial(ask, directory)
            return
        runner = stack.enter_context(asyncio.Runner())
        opened = open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies)
        stores = runner.run(opened.__aenter__())
        stack.callback(lambda: runner.run(opened.__aexit__(None, None, None)))

        def asked(operation: str, **arguments: Any) -> Any:
            return runner.run(carry_out(stores, operation, arguments, user()))

        yield asked


def explanations(directory: CrawlDirectory, urls: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Explain any number of URLs."""
    with conversation(directory) as asked:
        for start in range(0, len(urls), AT_ONCE):
            yield from asked("explain_all", urls=list(urls[start : start + AT_ONCE]))


def listed(directory: CrawlDirectory, operation: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Give all items of a list that comes in pages."""
    with conversation(directory) as asked:
        cursor: str | None = ""
        while cursor is not None:
            page = asked(operation, cursor=cursor, limit=MOST, **arguments)
            yield from page["items"]
            cursor = page["next"]
