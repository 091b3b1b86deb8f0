"""What a killed process leaves behind, without killing anything: the files of a frontier as they are at this instant."""

import contextlib
import shutil
from pathlib import Path

from gossamer.errors import StoreError
from gossamer.frontier.embedded.facade import EmbeddedFrontier


async def leave_as_killed(frontier: EmbeddedFrontier, target: Path) -> None:
    """Copy the files of a running frontier to `target` and let go of it without a clean end."""
    frontier._store._rocks.cancel_all_background(True)  # files do not change while they are copied
    frontier._seen.slots.finish()
    shutil.copytree(frontier._path, target)
    frontier._failed = True
    with contextlib.suppress(StoreError):  # the store complains that its background work is gone
        await frontier.aclose()
