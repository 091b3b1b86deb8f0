"""Have a crawl planned by a process of its own (`plan.py`): what it reads is a stranger's, and may take its time."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from gossamer.config.sections import Settings
from gossamer.errors import TookTooLong, UsageError

PROGRAM = (sys.executable, "-P", "-c", "from gossamer.jobs.plan import main; main()")
SECONDS = 30.0
AT_ONCE = asyncio.Semaphore(2)


async def planned(seeds: Sequence[str], settings: Settings, asked_for: int) -> dict[str, Any]:
    """Return how the first seeds end and what would become of their links; raises `TookTooLong`."""
    order = {"seeds": list(seeds), "settings": settings.model_dump_json(), "asked_for": asked_for}
    async with AT_ONCE:
        child = await asyncio.create_subprocess_exec(
            *PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(SECONDS):
                output, errors = await child.communicate(msgspec.json.encode(order))
        except TimeoutError:
            raise TookTooLong(f"the seeds have not answered within {SECONDS:g} s; try fewer, or begin the crawl") from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    if child.returncode:
        *_, said = errors.decode("utf-8", "replace").strip().splitlines() or ["no reason was given"]
        raise UsageError(f"no plan could be made: {said}")
    return dict(msgspec.json.decode(output))
