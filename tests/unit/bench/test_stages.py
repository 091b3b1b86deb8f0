"""The meter: time is charged once, to the innermost stage, and a coroutine pays only for its own steps."""

import asyncio
import subprocess
import sys
from collections.abc import Callable

import pytest
from bench import stages
from bench.measure import ROOT
from bench.stages import Meter, profile

Spend = Callable[[float], None]


@pytest.fixture
def spend(monkeypatch: pytest.MonkeyPatch) -> Spend:
    """Return what makes CPU time pass."""
    clock = [0.0]
    monkeypatch.setattr(stages, "thread_time", lambda: clock[0])

    def spend(seconds: float) -> None:
        clock[0] += seconds

    return spend


def test_a_stage_inside_another_is_charged_once(spend: Spend) -> None:
    meter = Meter()

    def outer() -> None:
        spend(1.0)
        meter.timed("inner", spend)(2.0)
        spend(4.0)

    meter.timed("outer", outer)()
    assert meter.spent == {"outer": 5.0, "inner": 2.0}
    assert meter.on_loop == 7.0


async def test_what_others_do_while_a_coroutine_waits_is_not_charged_to_it(spend: Spend) -> None:
    meter, event = Meter(), asyncio.Event()

    async def wait() -> str:
        spend(1.0)
        await event.wait()
        spend(2.0)
        return "done"

    task = asyncio.create_task(meter.stepped("stage", wait)())
    await asyncio.sleep(0)
    spend(50.0)
    event.set()
    assert await task == "done"
    assert meter.spent == {"stage": 3.0}


async def test_a_coroutine_on_the_meter_can_be_cancelled(spend: Spend) -> None:
    meter = Meter()
    task = asyncio.create_task(meter.stepped("stage", asyncio.Event().wait)())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert meter.now_in() is None


def test_the_whole_is_the_sum_of_the_stages() -> None:
    told = {"pages": 10, "process": 3.0, "loop": 2.0, "on_loop": 1.0, "measuring": 0.1, "aside": 0.5, "missing": []}
    table = profile(told, {**told, "stages": {"fetch": 1.2}})
    rows = {str(row["stage"]): float(row["milliseconds"] or 0) for row in table.rows}
    assert sum(spent for stage, spent in rows.items() if stage != "whole") == pytest.approx(rows["whole"])
    assert (rows["fetch"], rows["tasks"], rows["other threads"]) == pytest.approx((120.0, 90.0, 80.0))


def test_every_joint_is_still_where_the_meter_looks() -> None:
    code = "from bench.stages import Meter, install; print(install(Meter()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
