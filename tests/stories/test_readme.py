"""The README's first block, typed by a person with a fresh clone: installs, crawls, and says how to go on."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from crawling import CLEAN

ROOT = Path(__file__).parents[2]
WITHIN = 90  # seconds


def test_the_first_block_shows_pages_within_ninety_seconds_of_the_clone_and_says_what_to_do_next(tmp_path: Path) -> None:
    """Nothing is downloaded: what the program needs is seen in the environment of the tests, and everything else is done."""
    block = re.search(r"(?ms)^```sh\n(.*?)^```", (ROOT / "README.md").read_text())
    assert block
    clone = tmp_path / "gossamer"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".venv", ".git", "*.so", "*.crawl", ".*_cache", "__pycache__"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(Path(sys._base_executable).resolve())  # type: ignore[attr-defined]
    environment = {
        **CLEAN,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(np.__file__).parents[1]),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # its value is that of build isolation
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment.pop("VIRTUAL_ENV", None)
    done = subprocess.run(
        ["bash", "-e"], input=block[1], cwd=clone, env=environment, capture_output=True, text=True, timeout=WITHIN, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"(?m)^  pages +[\d,]{3,}, ", done.stdout), done.stdout
    assert " 0 failed" in done.stdout
    assert (clone / "demo.crawl" / "catalog.db").exists()
    listed = done.stdout.partition("next: ")
    assert "gossamer crawl https://" in listed[2].partition("\n")[0] and "--allow-private" in listed[2]
    assert listed[2].count("http://h00") > 10  # what `gossamer pages` lists
