"""The seal of an archive: what its closed files and indexes were when they were last merged.

Files of records check themselves, and are sealed by their size. An index that is not as its seal says is thrown away and made
again from the records; one that was written since is not in the seal yet.
"""

from contextlib import suppress
from pathlib import Path

from gossamer.errors import StoreError
from gossamer.seal import Seal, tell_rebuilt

NAME = "seal"


def drop_damaged(directory: Path) -> None:
    """Remove indexes that are not as they were written."""
    for name, problem in _seal_of(directory).problems():
        if name.endswith(".cdxj"):
            with suppress(FileNotFoundError):  # it is made again in any case
                (directory / name).unlink()
                tell_rebuilt(directory / name, problem, "the archive")


def seal(directory: Path) -> None:
    """Seal the files of records that are closed, and the indexes."""
    files = (*directory.glob("*.warc.gz"), *directory.glob("*.cdxj"))
    _seal_of(directory).close(files, lambda path: path.suffix == ".gz")


def unseal(directory: Path) -> None:
    """Take the seal away before files are replaced."""
    _seal_of(directory).remove()


def _seal_of(directory: Path) -> Seal:
    """Return the seal, as it is or, since it can be made again, none instead of a damaged one."""
    try:
        return Seal(directory / NAME)
    except StoreError:
        (directory / NAME).unlink(missing_ok=True)
        tell_rebuilt(directory / NAME, "is damaged", "the archive")
        return Seal(directory / NAME)
