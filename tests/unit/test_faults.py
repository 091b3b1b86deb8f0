"""Faults happen when they are armed and where they are planned, and are nothing at all otherwise."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer import faults
from gossamer.clock import SystemClock
from gossamer.config.load import load
from gossamer.config.sections import Settings


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    faults.arm(None)
    yield
    faults.arm(None)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path / "file", os.O_CREAT | os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def plan(how: str, at: int = 2, call: str = "archive.write") -> None:
    faults.arm(json.dumps({"calls": {call: {"at": at, "how": how}}}))


def test_unarmed_a_point_is_passed_and_a_call_is_the_call_itself() -> None:
    for point in faults.POINTS:
        faults.reach(point)
    assert faults.writing("archive.write", os.pwrite) is os.pwrite
    assert faults.syncing("archive.sync", os.fdatasync) is os.fdatasync
    assert faults.counted("after-append") == 0


@pytest.mark.parametrize("times", [1, 3])
def test_a_process_dies_when_its_point_is_reached_that_often(times: int) -> None:
    program = "from gossamer import faults\nfor _ in range(5):\n print('here', flush=True)\n faults.reach('after-commit')\n"
    environment = os.environ | {faults.VARIABLE: json.dumps({"crash": {"after-commit": times}})}
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == -signal.SIGKILL
    assert result.stdout.count("here") == times


@pytest.mark.parametrize("how", ["EIO", "ENOSPC"])
def test_only_the_planned_write_fails_and_with_the_planned_error(how: str, file: int) -> None:
    plan(how)
    write = faults.writing("archive.write", os.pwrite)
    assert write(file, b"first", 0) == 5
    with pytest.raises(OSError) as caught:
        write(file, b"second", 5)
    assert caught.value.errno == getattr(errno, how)
    assert write(file, b"third", 5) == 5
    assert os.pread(file, 100, 0) == b"firstthird"
    assert faults.counted("archive.write") == 3


def test_a_short_write_says_so_and_a_torn_one_fails_after_half(file: int) -> None:
    plan("short", at=1)
    assert faults.writing("archive.write", os.pwrite)(file, b"12345678", 0) == 4
    plan("torn", at=1)
    with pytest.raises(OSError):
        faults.writing("archive.write", os.pwrite)(file, b"abcdefgh", 4)
    assert os.pread(file, 100, 0) == b"1234abcd"


def test_a_slow_call_takes_its_time_and_a_sync_may_fail(file: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(faults.time, "sleep", slept.append)
    plan("slow", at=1)
    assert faults.writing("archive.write", os.pwrite)(file, b"12", 0) == 2
    assert slept == [faults.SLOW]
    plan("EIO", at=1, call="archive.sync")
    with pytest.raises(OSError):
        faults.syncing("archive.sync", os.fdatasync)(file)


@pytest.mark.parametrize(
    "words",
    [
        {"crash": {"nowhere": 1}},
        {"calls": {"nothing": {"at": 1, "how": "EIO"}}},
        {"calls": {"archive.write": {"at": 1, "how": "badly"}}},
        {"other": 1},
    ],
)
def test_a_plan_that_nothing_here_knows_is_refused(words: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=faults.VARIABLE):
        faults.arm(json.dumps(words))


def test_the_wall_clock_can_be_ahead() -> None:
    before = SystemClock().now()
    faults.arm(json.dumps({"clock": 86400}))
    assert 86000 < SystemClock().now() - before < 87000
    assert SystemClock(0.0).now() < before, "a clock that is another process's is what that process says"


def test_the_variable_is_no_unknown_setting() -> None:
    assert load(environ={faults.VARIABLE: "{}"}) == Settings()
