"""What only the memory frontier promises: a dump that is whole or refused."""

from pathlib import Path

import pytest

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.errors import StoreError
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier_bench import LEASE, NOW, entry

GIVEN = (FrontierSettings(), Politeness(), Breaker(), LEASE, NOW)


async def test_a_checkpoint_needs_a_new_place(tmp_path: Path) -> None:
    frontier = MemoryFrontier(*GIVEN)
    await frontier.checkpoint(DirectoryShelving(tmp_path))
    with pytest.raises(StoreError, match="cannot be written"):
        await frontier.checkpoint(DirectoryShelving(tmp_path))


async def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    frontier = MemoryFrontier(*GIVEN)
    await frontier.discover([entry()], NOW)
    await frontier.checkpoint(DirectoryShelving(tmp_path / "copy"))
    dump = tmp_path / "copy" / "frontier.msgpack"
    dump.write_bytes(dump.read_bytes()[:-1])
    for source in (tmp_path / "copy", tmp_path / "nowhere"):
        with pytest.raises(StoreError, match="no checkpoint can be read"):
            MemoryFrontier.restore(source, *GIVEN)
