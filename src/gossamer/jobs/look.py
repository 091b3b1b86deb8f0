"""Look at a crawl that is not running, also at one that cannot be written: on read-only media, or somebody else's.

Frontier, key-value store and chronicle write when they are opened: leases come back, hosts rest, a log is replayed, what stands
above a mark is judged. Where they may not, copies of them are opened in a temporary directory. Their large files never change,
so these are links; what is copied is small. The catalog and the archive are read where they are. Nothing is written into the
crawl's directory, not even a lock.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gossamer.errors import CrawlReadOnly, StoreError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.registry import located

NEVER_CHANGE = (".sst", ".run", ".zst")  # such a file is replaced by others, or stays as it is
LEFT_OUT = shutil.ignore_patterns("LOCK", "LOG", "LOG.old.*", "*.part")


@contextmanager
def held_to_look(directory: CrawlDirectory, role: str = "", *, ousting: bool = False) -> Iterator[Path | None]:
    """Hold a crawl in a role; gives None, or where copies of its stores are because it can only be read.

    `ousting`: a keeper is asked to let go; whoever can ask it instead does not need that.
    """
    with ExitStack() as stack:
        copies = None
        try:
            stack.enter_context(directory.lock(role, ousting=ousting))
        except CrawlReadOnly:
            stack.enter_context(directory.lock_to_read())
            copies = stack.enter_context(_copies_of(directory))
        yield copies


@contextmanager
def _copies_of(directory: CrawlDirectory) -> Iterator[Path]:
    settings = directory.settings()
    with TemporaryDirectory(prefix="gossamer-look-") as name:
        place = Path(name)
        try:
            for uri, knob in (
                (settings.frontier.uri, "frontier.uri"),
                (settings.storage.kv, "storage.kv"),
                (settings.storage.chronicle, "storage.chronicle"),
            ):
                here, there = located(uri, directory.path, knob).path, located(uri, place, knob).path
                if here is not None and there is not None and here.is_dir():
                    shutil.copytree(here, there, copy_function=_link_or_copy, ignore=LEFT_OUT)
        except (OSError, shutil.Error) as error:
            raise StoreError(f"{directory.path} cannot be copied into {place} to look at it: {error}; set TMPDIR") from error
        yield place


def _link_or_copy(source: str, target: str) -> None:
    if source.endswith(NEVER_CHANGE):
        Path(target).symlink_to(Path(source).absolute())
    else:
        shutil.copyfile(source, target)
