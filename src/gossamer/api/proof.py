"""The proof that nobody has changed what the chronicle tells: every hash is computed again, on a thread of its own."""

import asyncio

from litestar import get

from gossamer.api.reach import CrawlReach
from gossamer.api.types import AuditProblem, AuditProof
from gossamer.errors import TookTooLong
from gossamer.jobs.chronicle import audited
from gossamer.jobs.directory import CrawlDirectory

LONGEST = 60.0  # seconds
MOST = 100  # problems that are told


@get("/audit/proof", summary="Whether the chronicle was changed", opt={"scope": "read"})
async def audit_proof(reach: CrawlReach) -> AuditProof:
    """Read the whole chronicle and compute its chain again; each block that is not as it was written is named."""
    try:
        async with asyncio.timeout(LONGEST):
            return await asyncio.to_thread(_proof, reach.directory)
    except TimeoutError:
        raise TookTooLong(f"the chronicle takes longer than {LONGEST:g} s; use `gossamer audit verify`") from None


def _proof(directory: CrawlDirectory) -> AuditProof:
    blocks = lines = 0
    problems: list[AuditProblem] = []
    for block in audited(directory):
        blocks += 1
        lines += block.lines
        if block.problem and len(problems) < MOST:
            problems.append(AuditProblem(place=block.place, problem=block.problem))
    return AuditProof(blocks=blocks, lines=lines, problems=problems)
