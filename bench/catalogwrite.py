"""What a page costs to write into the catalog, beside the code of another checkout: OTHER names its sources, as ../main/src.

New pages, some a commit as a crawl has them, in CPU of the writing thread. Each code writes in a process of its own, in turns,
so that what neighbours do strikes both alike; a pair's ratio is what counts.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import thread_time

from bench import catalogpages, measure
from bench.table import Column, Table
from gossamer.storage.catalog.sqlite import SqliteCatalog

OTHER = os.environ.get("OTHER", "")
PAGES, COMMIT, TURNS = 40_000, 16, {"quick": 3, "usual": 7, "full": 11}
COLUMNS = (Column("code", "code"), Column("each", "us a page", ".2f", headline=True), Column("remark", "remark"))


def table(scale: str) -> Table:
    """Write pages."""
    turns = TURNS[scale]
    found = Table("catalog: writing a page", COLUMNS, notes=[f"{PAGES:,} new pages, {COMMIT} a commit, not synced"])
    ours, theirs = [], []
    for _ in range(turns):
        ours.append(_written(measure.ROOT / "src"))
        if OTHER:
            theirs.append(_written(Path(OTHER).resolve()))
    found.rows.append({"code": "this", "each": min(ours), "remark": f"least of {turns}, {min(ours):.1f} to {max(ours):.1f}"})
    if OTHER:
        ratios = sorted(one / other for one, other in zip(ours, theirs, strict=True))
        spread = f"pairs {100 * (ratios[0] - 1):+.1f} to {100 * (ratios[-1] - 1):+.1f} %"
        found.rows.append({"code": "other", "each": min(theirs), "remark": f"least of {turns}"})
        found.notes.append(
            f"this one is {100 * (statistics.median(ratios) - 1):+.1f} % dearer, the median of {turns} pairs; {spread}"
        )
    return found


def _written(sources: Path) -> float:
    """Write pages in a process of its own, with the code of a checkout; return microseconds a page."""
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    command = [sys.executable, "-m", "bench.catalogwrite"]
    said = subprocess.run(command, env=environment, cwd=measure.ROOT, capture_output=True, text=True, check=True).stdout
    return float(json.loads(said)["each"])


async def _write() -> float:
    commits = list(catalogpages.batches(PAGES, COMMIT))
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        catalog = SqliteCatalog.open_at(Path(place) / "catalog.db", durable=False)
        began = thread_time()
        for some in commits:
            await catalog.add(some)
        spent = thread_time() - began
        await catalog.aclose()
    return spent / PAGES * 1e6


if __name__ == "__main__":
    print(json.dumps({"each": asyncio.run(_write())}))
