"""The SQLite catalog: full text, other processes, a full disk, files that are none."""

import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.errors import DiskFull, StoreError
from gossamer.records.outcome import Outcome
from gossamer.records.page import Place, Totals
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import keys, page

PLACE = Place("f.warc.gz", 0, 100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a catalog?.db"


def kept(key: str, digest: str = "sha1:A", **facts: object) -> object:
    return page(key, digest=digest, place=PLACE, **facts)


async def test_totals_count_kept_pages_and_all_bytes(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    assert await catalog.totals() == Totals(0, 0)
    await catalog.add(
        [page("a", length=10), page("b", outcome=Outcome.DUPLICATE, length=5), page("c", outcome=Outcome.GONE, length=3)]
    )
    assert await catalog.totals() == Totals(2, 18)
    await catalog.add([page("a", outcome=Outcome.SERVER_ERROR, length=1)])
    assert await catalog.totals() == Totals(1, 9)


async def test_totals_count_links_that_were_cut(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page("a", links_cut=7), page("b", links_cut=5), page("c")])
    await catalog.add([page("b", links_cut=0)])
    assert (await catalog.totals()).links_cut == (7, 1)


async def test_kept_pages_wait_for_their_text_to_be_indexed(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    unkept = [page("failed", outcome=Outcome.TIMED_OUT), page("copy", outcome=Outcome.DUPLICATE, place=PLACE), page("nowhere")]
    await catalog.add([*unkept, kept("a"), kept("b"), kept("c"), kept("hidden", noindex=True)])
    assert [found.key for found in await catalog.unindexed(2)] == ["a", "b"]
    await catalog.add_text([(found, f"text of {found.key} café") for found in await catalog.unindexed(2)])
    assert [found.key for found in await catalog.unindexed(10)] == ["c"]
    assert sorted(await keys(catalog, words="cafe")) == ["a", "b"]
    await catalog.add_text([(found, "") for found in await catalog.unindexed(10)])
    assert await catalog.unindexed(10) == []


async def test_a_page_that_was_visited_again_before_it_was_indexed_still_waits_and_a_copy_never_does(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    again = {"outcome": Outcome.NOT_MODIFIED, "place": PLACE}
    await catalog.add([kept("a"), page("a", **again), page("copy", duplicate_of="http://x/a", **again)])
    assert [found.key for found in await catalog.unindexed(10)] == ["a"]


async def test_words_may_be_spread_over_url_title_and_text(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([kept("garden", title="Roses"), kept("other", title="Roses")])
    await catalog.add_text(
        [(found, "they need water" if found.key == "garden" else "red") for found in await catalog.unindexed(10)]
    )
    assert await keys(catalog, words="garden roses water") == ["garden"]
    assert await keys(catalog, words='"need water"') == ["garden"]
    assert await keys(catalog, words="roses tulips") == []
    assert sorted(await keys(catalog, words="roses")) == ["garden", "other"]


async def test_a_word_in_the_title_counts_more_than_one_in_the_url(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add(
        [page("bees", title="nothing of it"), page("x", title="bees are here"), *(page(str(number)) for number in range(20))]
    )
    assert await keys(catalog, words="bees") == ["x", "bees"]


async def test_a_page_with_new_content_is_indexed_again_and_its_old_text_forgotten(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([kept("a", "sha1:OLD")])
    (seen,) = await catalog.unindexed(10)
    await catalog.add_text([(seen, "oldtext")])
    await catalog.add([kept("a", "sha1:OLD", length=7)])
    assert await catalog.unindexed(10) == [] and await keys(catalog, words="oldtext a") == ["a"]
    await catalog.add([kept("a", "sha1:OLD", title="again")])  # its title is searched with its text
    await catalog.add_text([(found, "oldtext") for found in await catalog.unindexed(10)])
    assert await keys(catalog, words="oldtext again") == ["a"]
    await catalog.add([kept("a", "sha1:NEW")])
    assert await keys(catalog, words="oldtext") == []
    await catalog.add_text([(seen, "late"), *((found, "newtext") for found in await catalog.unindexed(10))])
    assert await keys(catalog, words="newtext") == ["a"]
    assert await keys(catalog, words="oldtext") == await keys(catalog, words="late") == []


async def test_the_text_of_a_page_that_asks_not_to_be_indexed_is_forgotten(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([kept("a")])
    await catalog.add_text([(found, "secret") for found in await catalog.unindexed(10)])
    await catalog.add([kept("a", title="hidden", noindex=True)])
    assert await keys(catalog, words="secret") == [] and await catalog.unindexed(10) == []
    assert catalog._connection.execute("SELECT rowid FROM names WHERE names MATCH 'hidden OR a'").fetchall() == []
    await catalog.add([kept("a")])
    assert await keys(catalog, words="secret") == [] and len(await catalog.unindexed(10)) == 1


READER = """
import asyncio, sys
from pathlib import Path
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import keys

async def told(catalog):
    return len(await keys(catalog)), len(await keys(catalog, words="title")), (await catalog.counts()).get("ok", 0)

catalog = SqliteCatalog.open_at(Path(sys.argv[1]))
for _ in sys.stdin:
    print(*asyncio.run(told(catalog)), flush=True)
"""


async def test_another_process_reads_while_a_crawl_writes(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page("first", title="title")])
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        for number in range(1, 6):
            catalog._connection.execute("BEGIN IMMEDIATE")  # a transaction under way is neither seen nor waited for
            reader.stdin.write("\n")
            reader.stdin.flush()
            assert reader.stdout.readline().split() == [str(number)] * 3
            catalog._connection.execute("COMMIT")
            await catalog.add([page(str(number), title="title")])
        reader.stdin.close()


KILLED = """
import asyncio, sys
from pathlib import Path
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import page

async def main():
    catalog = SqliteCatalog.open_at(Path(sys.argv[1]))
    number = 0
    while True:
        await catalog.add([page(f"{number}-{each}", title="title") for each in range(3)])
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


async def test_added_pages_outlive_a_kill_in_whole_transactions(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(100)]
        writer.kill()
        last = int([*said, *writer.stdout.readlines()][-1])
    catalog = SqliteCatalog.open_at(path)
    found = set(await keys(catalog))
    assert {f"{number}-{each}" for number in range(last + 1) for each in range(3)} <= found
    assert len(found) % 3 == 0
    assert len(found) == len(await keys(catalog, words="title")) == (await catalog.counts())["ok"]


async def test_a_full_disk_costs_only_the_pages_that_did_not_fit(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page("before", title="title")])
    (pages,) = catalog._connection.execute("PRAGMA page_count").fetchone()
    catalog._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DiskFull, match=r"no space is left for .*catalog.*; free some and resume"):
        await catalog.add([page(str(number), title="title " * 100) for number in range(500)])
    catalog._connection.execute("PRAGMA max_page_count = 1000000")
    await catalog.add([page("after", title="title")])
    assert sorted(await keys(catalog)) == sorted(await keys(catalog, words="title")) == ["after", "before"]
    assert await catalog.counts() == {"ok": 2}


async def test_a_file_that_is_no_catalog_is_refused(path: Path) -> None:
    path.write_bytes(b"this is no database, however long it is\n" * 100)
    with pytest.raises(StoreError, match="damaged or no catalog at all"):
        SqliteCatalog.open_at(path)


def test_a_directory_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open"):
        SqliteCatalog.open_at(tmp_path / "nowhere" / "catalog.db")


async def test_closing_twice_is_closing_once(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.aclose()
    await catalog.aclose()
    assert not path.with_name(path.name + "-wal").exists()


async def test_a_group_larger_than_one_look_up_knows_every_page_that_was_there(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    pages = [page(f"http://a.test/{number}", title=f"number {number}") for number in range(200)]
    for _ in range(2):
        await catalog.add(pages)
        assert await catalog.counts() == {"ok": 200}
    assert len(await keys(catalog, words="199")) == 1
    await catalog.aclose()
