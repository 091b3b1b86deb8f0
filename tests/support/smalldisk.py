"""A disk that is soon full: a small tmpfs; where mounting is not allowed, a limit on the size of files does as well."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crawling import CLEAN, GOSSAMER

SIZE = 700 * 1024
UNLIMITED = resource.RLIM_INFINITY


@dataclass(frozen=True)
class SmallDisk:
    """A place for files that is soon full."""

    path: Path
    size: int
    mounted: bool

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start a command that meets this disk; the caller stops it."""
        words = [*GOSSAMER, *map(str, arguments)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN)
        if not self.mounted:  # every file is limited alike: let the archive's be the first to meet it
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (max(self.size, SIZE), UNLIMITED))
        return process

    def fill(self, process: "subprocess.Popen[str]") -> None:
        """Leave no room for a process that runs already."""
        if self.mounted:
            with suppress(OSError), (self.path / "filler").open("wb", buffering=0) as filler:
                while filler.write(bytes(4096)):
                    pass
        else:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, UNLIMITED))

    def make_room(self, process: "subprocess.Popen[str]") -> None:
        """Make it as large as anyone could want."""
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,size=64m", self.path], check=True)
        elif process.poll() is None:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (UNLIMITED, UNLIMITED))


@contextmanager
def small_disk(path: Path, size: int) -> Iterator[SmallDisk]:
    """Make a small disk for a while."""
    path.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    mounted = False
    with suppress(FileNotFoundError):
        mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    try:
        yield SmallDisk(path, size, mounted)
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", path], check=True)
