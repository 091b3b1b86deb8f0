"""Run the command line where a directory can only be read: on read-only media, or as somebody who may not write it.

Root may write whatever its permissions say. So the directory is mounted read-only, in a mount namespace that ends with the
command; or it is given to somebody else, and the command runs without the power to pass over that.
"""

import os
import subprocess
from pathlib import Path

from crawling import CLEAN, GOSSAMER

NOBODY = 65534
MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def on_read_only_media(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command while a directory is on a file system that is mounted read-only."""
    return _run(_mounted(directory, arguments))


def start_on_read_only_media(directory: Path, *arguments: object) -> "subprocess.Popen[str]":
    """Start a command for which a directory is on a file system that is mounted read-only; the caller stops it."""
    words = _mounted(directory, arguments)
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN)


def _mounted(directory: Path, arguments: tuple[object, ...]) -> list[str]:
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *as_root, "sh", "-c", MOUNTED, str(directory), *GOSSAMER, *map(str, arguments)]


def as_somebody_else(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command as somebody who may read a directory and not write it."""
    words = [*GOSSAMER, *map(str, arguments)]
    if os.geteuid() != 0:
        subprocess.run(["chmod", "-R", "a-w", str(directory)], check=True)
        return _run(words)
    subprocess.run(["chown", "-R", str(NOBODY), str(directory)], check=True)
    powerless = ["--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]
    return _run(["setpriv", *powerless, *words])


def _run(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=110, env=CLEAN, check=False)
