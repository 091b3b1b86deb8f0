"""The unit as systemd reads it, and the word that a service of `Type=notify` owes it."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from crawling import CLEAN, GOSSAMER
from prometheus import DEPLOY
from witnesses import SYSTEMD, missing, not_judged

UNIT = (DEPLOY / "gossamer.service").read_text()
INSTALLED = "/opt/gossamer/bin/gossamer"
EXPOSED = 4.0  # what systemd-analyze may at most say, of 10

judged = pytest.mark.skipif(bool(missing((SYSTEMD,))), reason=not_judged([SYSTEMD.package]))


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, with a program that is there."""
    path = tmp_path / "gossamer.service"
    path.write_text(UNIT.replace(INSTALLED, str(Path(sys.executable).with_name("gossamer"))))
    return path


@judged
def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")


@judged
def test_the_unit_exposes_little(unit: Path) -> None:
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", unit]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    [exposure] = re.findall(r"Overall exposure level for gossamer.service: ([0-9.]+)", told.stdout)
    assert float(exposure) <= EXPOSED


def test_systemd_is_told_when_the_server_answers_and_when_it_ends(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        words = [*GOSSAMER, "serve", str(tmp_path / "home"), "--port", "0"]
        server = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**CLEAN, "NOTIFY_SOCKET": str(tmp_path / "notify")})
        try:
            assert manager.recv(64) == b"READY=1"
        finally:
            server.terminate()
        assert manager.recv(64) == b"STOPPING=1"
        assert server.wait(20) in (0, -15)
