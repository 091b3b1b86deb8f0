"""The sanitized build: it is awake, some inputs of the fuzz pass it, and where there is none `make sanitize` says so."""

import subprocess
import sys
from pathlib import Path

import pytest
import sanitized

BEYOND = "import ctypes; ctypes.string_at(bytes(bytearray(100)), 4000)"
SCRIPT = Path(sanitized.__file__)


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python on the sanitized build."""
    try:
        build = sanitized.built()
    except sanitized.Unavailable as problem:
        pytest.skip(str(problem))
    environment = sanitized.environment(build)
    return subprocess.run(
        [sys.executable, *words], env=environment, cwd=sanitized.ROOT, capture_output=True, text=True, check=False
    )


def test_the_tests_that_it_runs_are_there() -> None:
    assert [name for name in sanitized.TESTS if not (sanitized.ROOT / name).exists()] == []


def test_a_byte_read_behind_a_string_ends_the_process() -> None:
    done = run("-c", BEYOND)
    assert done.returncode and "AddressSanitizer" in done.stderr


def test_what_is_imported_is_the_sanitized_build_and_some_inputs_pass_it() -> None:
    where = run("-c", "from gossamer.processors import _scan; print(_scan.__file__)")
    assert where.stdout.startswith(str(sanitized.BUILD)), where.stderr
    done = run("tests/support/fuzz.py", "--seed", "0", "--count", "3", "--seconds", "60")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("compiler", "reason"), [("/no/compiler", "there is no /no/compiler"), ("echo", "echo has no libasan.so")]
)
def test_without_the_sanitizers_it_is_said_what_is_missing(compiler: str, reason: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={"CC": compiler, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and reason in done.stderr and "apt install" in done.stderr and "Traceback" not in done.stderr
