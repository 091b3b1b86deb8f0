"""Walks that a command leaves early."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gossamer.jobs.driven import driven


def test_who_leaves_early_closes_what_was_opened_in_order_and_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    closed = []

    @asynccontextmanager
    async def store() -> AsyncIterator[str]:
        try:
            yield "store"
        finally:
            await asyncio.sleep(0)
            closed.append("store")

    async def rows() -> AsyncIterator[int]:
        async with store():
            for number in range(9):
                yield number

    assert any(number == 3 for number in driven(rows()))
    assert closed == ["store"] and not caplog.records
