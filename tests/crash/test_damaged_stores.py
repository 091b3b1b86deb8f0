"""A file of a crawl that was damaged: the crawl opens unchanged, makes the file again, or is refused in one sentence (P21).

`SOAK_DAMAGES` sets how many damages are tried, `SOAK_SEED` with which seed; a failure names both.
"""

import asyncio
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from crawling import run_gossamer, simweb_running
from damaging import REMEDIES, content_of, copied, damages, files_of, judge

from gossamer.errors import GossamerError
from gossamer.frontier.layout import slots

COUNT = int(os.environ.get("SOAK_DAMAGES", "60"))
SEED = int(os.environ.get("SOAK_SEED", "0")) or Random().randrange(1, 1 << 32)
COMMANDS = (("status",), ("resume", "--quiet", "--max-time", "1"), ("verify",), ("explain",))
KNOWN_CODES = (0, 1, 3, 4, 7)
KINDS = {".run", ".bloom", ".sst", "MANIFEST", ".db", ".edges", "ranks", ".cdxj", ".gz", ".json", ".toml", ".seal", "seal"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with every kind of file: ended by its budget, and ranked."""
    place = tmp_path_factory.mktemp("whole")
    with simweb_running(place, hosts=3, pages=8, seed=5) as web:
        words = ["--dir", place / "crawl", "--delay", "0", "--max-pages", "15", "--quiet"]
        ended = run_gossamer("crawl", *web.crawl_options, *words)
        assert ended.returncode == 0, ended.stderr
    assert run_gossamer("graph", place / "crawl").returncode == 0
    return place / "crawl"


@pytest.fixture(scope="module")
def expected(whole: Path) -> dict[str, object]:
    """What the crawl knows; after this its slots are in files, as those of a larger one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "WORTH_IT", 1)
        asyncio.run(content_of(whole))
    return asyncio.run(content_of(whole))


def test_a_damaged_file_changes_nothing_silently(whole: Path, expected: dict[str, object], tmp_path: Path) -> None:
    assert {Path(file).suffix or Path(file).name.split("-")[0] for file in files_of(whole)} >= KINDS
    ways: Counter[str] = Counter()
    wrong: list[str] = []
    for damage in damages(whole, COUNT, Random(SEED)):
        crawl = copied(whole, tmp_path / "crawl")
        damage.strike(crawl)
        try:
            ways[asyncio.run(judge(crawl, damage, expected))] += 1
        except Exception as problem:  # noqa: BLE001 - whatever is not in our words is what is looked for
            wrong.append(f"{damage}: {type(problem).__name__}: {problem}")
        shutil.rmtree(crawl)
    sys.stdout.write(f"SOAK_DAMAGES={COUNT} SOAK_SEED={SEED}: {dict(ways)}\n")
    assert not wrong, f"{len(wrong)} of SOAK_DAMAGES={COUNT} with SOAK_SEED={SEED}:\n" + "\n".join(wrong)
    assert ways["refused"] and ways["made again"]


@pytest.mark.parametrize(
    "lost", ["frontier", "state", "catalog.db*", "frontier/store", "frontier/store/*", "graph/*.edges", "crawl.json"]
)
def test_a_store_that_is_gone_is_no_fresh_start(lost: str, whole: Path, expected: dict[str, object], tmp_path: Path) -> None:
    crawl = copied(whole, tmp_path / "crawl")
    for path in crawl.glob(lost):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for _ in range(2):  # the first refusal makes nothing that the second one takes for a store
        with pytest.raises(GossamerError, match="restore it from a checkpoint"):
            asyncio.run(content_of(crawl))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_command_on_a_damaged_crawl_ends_right_or_in_a_sentence(
    command: tuple[str, ...], whole: Path, expected: dict[str, object], tmp_path: Path
) -> None:
    url = expected["known"][0].entry.url  # type: ignore[index]
    random = Random(f"{SEED} {command[0]}")
    for damage in random.sample(damages(whole, max(COUNT, 60), random), max(2, COUNT // 20)):
        crawl = copied(whole, tmp_path / "crawl")
        damage.strike(crawl)
        result = run_gossamer(command[0], crawl, *command[1:], *([url] if command[0] == "explain" else []))
        said = f"SOAK_SEED={SEED}, {damage}: {result.returncode} {result.stdout} {result.stderr}"
        assert result.returncode in KNOWN_CODES, said
        assert "Traceback" not in result.stderr and "bug in gossamer" not in result.stderr, said
        if result.returncode in (3, 4):
            assert any(word in result.stderr for word in REMEDIES), said
        shutil.rmtree(crawl)
