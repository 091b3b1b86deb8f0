"""Measuring: the whole tree counts, orphans included, and what is set aside does not."""

import sys
from pathlib import Path

import pytest
from bench import measure

BUSY = "import time\nwhile time.process_time() < 0.3: pass"
PATIENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}]); sys.exit(3)"
FORGETFUL = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)"


def test_the_cpu_of_grandchildren_counts(tmp_path: Path) -> None:
    usage = measure.run([sys.executable, "-c", PATIENT], place=tmp_path, timeout=60)
    assert usage.cpu_seconds > 0.3
    assert usage.code == 3
    assert usage.peak > measure.MEGABYTE


def test_nothing_is_left_running(tmp_path: Path) -> None:
    measure.run([sys.executable, "-c", FORGETFUL], place=tmp_path, timeout=60)
    orphan = (tmp_path / "output.txt").read_text().strip()
    assert orphan.isdigit()
    assert not Path(f"/proc/{orphan}").exists()


def test_what_is_set_aside_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"process": 0.0, "thread": 0.0}
    monkeypatch.setattr(measure, "process_time", lambda: clock["process"])
    monkeypatch.setattr(measure, "thread_time", lambda: clock["thread"])

    def spend(here: float, on_other_threads: float) -> None:
        clock["process"] += here + on_other_threads
        clock["thread"] += here

    account = measure.Account()
    with account.on("work"):
        spend(1.0, 0.5)
        with account.aside():
            spend(10.0, 0.25)
    assert account.spent == {"work": 1.75}
