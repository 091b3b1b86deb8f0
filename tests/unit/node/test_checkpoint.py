"""A checkpoint is taken between commits: it waits for all that are under way, and none begins meanwhile."""

import asyncio

from gossamer.node.checkpoint import CommitPause, take_checkpoint


async def test_a_checkpoint_waits_for_every_commit_and_lets_none_begin() -> None:
    commit_pause, told = CommitPause(), []
    ends = [asyncio.Event() for _ in range(3)]

    async def commit(number: int) -> None:
        async with commit_pause:
            told.append(f"{number} begins")
            await ends[number].wait()
            told.append(f"{number} ends")

    async def copy() -> None:
        told.append("copied")

    async def turns() -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    commits = [asyncio.create_task(commit(number)) for number in (0, 1)]
    await turns()
    checkpoint = asyncio.create_task(take_checkpoint(commit_pause, [copy, copy]))
    await turns()
    late = asyncio.create_task(commit(2))
    ends[2].set()
    await turns()
    ends[0].set()
    await turns()
    assert told == ["0 begins", "1 begins", "0 ends"], "several are under way at once, and a copy waits for all of them"
    ends[1].set()
    await asyncio.gather(*commits, checkpoint, late)
    assert told[3:] == ["1 ends", "copied", "copied", "2 begins", "2 ends"]
