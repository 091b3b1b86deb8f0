"""A short part of the fuzz, from the same seed each time; `make sanitize` and `make soak` go further, from others."""

import os
import signal
from pathlib import Path

import fuzz
import pytest

pytest.importorskip("gossamer.processors._scan", reason="nothing is compiled")

SECONDS = 0.8


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_what_ever_failed_and_some_new_inputs_keep_every_promise(target: str) -> None:
    fuzz.replay(target)
    assert fuzz.run(target, 0, SECONDS) > 0


def test_an_input_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert fuzz.made("scan", 7) == fuzz.made("scan", 7) != fuzz.made("scan", 8)


def end(data: bytes) -> None:
    if data == fuzz.made("scan", 5):
        os.kill(os.getpid(), signal.SIGKILL)


def fail(data: bytes) -> None:
    assert data != fuzz.made("scan", 5)


@pytest.mark.parametrize("target", [end, fail])
def test_what_a_process_dies_of_is_told_by_its_seed_kept_and_tried_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], target: object
) -> None:
    monkeypatch.setattr(fuzz, "CORPUS", tmp_path / "tests" / "corpus")
    monkeypatch.setitem(fuzz.TARGETS, "scan", target)
    assert fuzz._apart("scan", 0, 60.0, 5)
    assert not fuzz._apart("scan", 0, 60.0, 100)
    assert "--seed 5, kept as tests/corpus/scan/5" in capfd.readouterr().out
    assert (tmp_path / "tests/corpus/scan/5").read_bytes() == fuzz.made("scan", 5)
    assert not fuzz._apart("scan", 50, 60.0, 1)
    assert "something of tests/corpus/scan fails" in capfd.readouterr().out


def test_a_failing_input_says_how_to_meet_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fuzz.TARGETS, "scan", fail)
    with pytest.raises(AssertionError) as caught:
        fuzz.run("scan", 0, 60.0)
    assert "fuzz.py --target scan --seed 5 --count 1" in caught.value.__notes__[0]
