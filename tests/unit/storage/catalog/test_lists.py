"""Lists of the SQLite catalog: by which indexes they are found, that a slice is bounded, and kinds beyond the most."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery
from gossamer.storage.catalog import kinds, marks, slices, words
from gossamer.storage.catalog.kinds import ANY_TYPE
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog_lists import QUERIES, listed, page
from gossamer.url.fingerprint import fingerprint


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.db"


def statements(path: Path, query: PageQuery) -> list[str]:
    """Return what SQLite is asked for two slices of a query."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        asked: list[str] = []
        connection.set_trace_callback(asked.append)
        cursor = slices.page_slice(connection, query, 2, "").next
        if cursor:
            slices.page_slice(connection, query, 2, cursor)
    return [sql for sql in asked if sql.startswith("SELECT")]


def plan(path: Path, sql: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]


@pytest.mark.parametrize("small", [True, False], ids=["small host", "large host"])
@pytest.mark.parametrize("query", QUERIES, ids=str)
async def test_no_list_reads_the_whole_table_or_sorts(
    path: Path, query: PageQuery, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page(number, place=Place("f", number, 1)) for number in range(60)])
    await catalog.add_text([(found, "apples in a text") for found in await catalog.unindexed(100)])
    if not small:
        monkeypatch.setattr(slices, "LOOKED_AT", 5)
    steps = [step for sql in statements(path, query) for step in plan(path, sql)]
    assert steps
    assert [step for step in steps if step.startswith("SCAN pages") and "USING" not in step] == []
    assert [step for step in steps if "TEMP B-TREE" in step] == []
    await catalog.aclose()


@pytest.mark.parametrize(
    ("query", "step"),
    [
        (EVERY_PAGE, "SEARCH pages USING COVERING INDEX pages_time ((fetched_at,kind)<(?,?))"),
        (PageQuery(outcome="ok"), "SEARCH pages USING COVERING INDEX pages_time ((fetched_at,kind)<(?,?))"),
        (PageQuery(outcome="gone"), "SEARCH pages USING COVERING INDEX pages_kind (kind=? AND fetched_at<?)"),
        (PageQuery(cut=True, until=50.0), "SEARCH pages USING COVERING INDEX pages_kind (kind=? AND fetched_at<?)"),
        (PageQuery(order=Order.KEY), "SEARCH pages USING COVERING INDEX sqlite_autoindex_pages_1 (key>?)"),
        (PageQuery(host="a.test"), "SEARCH pages USING INDEX sqlite_autoindex_pages_1 (key>? AND key<?)"),
    ],
    ids=str,
)
async def test_a_list_is_taken_up_within_its_index(path: Path, query: PageQuery, step: str) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page(number) for number in range(60)])
    assert step in [step for sql in statements(path, query) for step in plan(path, sql)]
    await catalog.aclose()


@pytest.mark.parametrize("query", QUERIES, ids=str)
async def test_a_slice_that_may_look_at_few_pages_goes_on_and_none_is_lost(
    path: Path, query: PageQuery, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page(number) for number in range(60)])
    whole = [found.key async for found in catalog.pages(query)]
    for module, name, value in (
        (slices, "LOOKED_AT", 3),
        (slices, "PASSED_OVER", 3),
        (words, "_AT_ONCE", 3),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(words, "HITS", 200)
    assert [found.key for found in await listed(catalog, query, 5)] == whole
    monkeypatch.setattr(words, "HITS", 3)
    assert sorted(found.key for found in await listed(catalog, query, 5)) == sorted(whole)
    monkeypatch.setattr(words, "LONGEST", -1.0)
    monkeypatch.setattr(slices, "LONGEST", -1.0)
    monkeypatch.setattr(slices, "_EVERY", 1)
    assert sorted(found.key for found in await listed(catalog, query, 5)) == sorted(whole)
    await catalog.aclose()


async def test_a_slice_looks_at_a_bounded_number_of_pages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page(number) for number in range(60)])
    monkeypatch.setattr(slices, "LOOKED_AT", 10)
    rare = PageQuery(outcome="ok", mime="image/x-rare", host="a.test")
    first = await catalog.page_list(rare, 5)
    assert first.items == () and first.next != ""
    second = await catalog.page_list(rare, 5, first.next)
    assert second.items == () and second.next == ""  # twenty pages of that host
    await catalog.aclose()


async def test_beyond_the_most_kinds_a_type_is_still_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "MOST", 5)
    catalog = SqliteCatalog.open_at(path)
    pages = [page(number, mime=f"x/{number % 20}", outcome=Outcome.OK, status=200, reason=None) for number in range(60)]
    await catalog.add(pages)
    (count, most) = catalog._connection.execute("SELECT count(*), sum(mime = ?) FROM kinds", (ANY_TYPE,)).fetchone()
    assert (count, most) == (7, 2)  # and two for the rest, cut or not
    for mime in ("x/0", "x/1", "x/19"):
        wanted = sorted(one.key for one in pages if one.mime == mime)
        for query in (PageQuery(mime=mime), PageQuery(mime=mime, status=200), PageQuery(mime=mime, order=Order.KEY)):
            assert sorted(one.key for one in await listed(catalog, query, 4)) == wanted
            assert sorted([one.key async for one in catalog.pages(query)]) == wanted
    await catalog.aclose()


async def test_kinds_of_a_transaction_that_failed_are_not_remembered(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page(2)])
    catalog._connection.execute("CREATE TRIGGER fail BEFORE INSERT ON totals BEGIN SELECT raise(ABORT, 'no'); END")
    with pytest.raises(Exception, match="no"):
        await catalog.add([page(number) for number in range(10)])
    catalog._connection.execute("DROP TRIGGER fail")
    await catalog.add([page(number) for number in range(10)])
    assert len(await listed(catalog, PageQuery(outcome="timed_out"), 50)) == 2
    assert catalog._connection.execute("SELECT count(*) FROM pages WHERE kind NOT IN (SELECT id FROM kinds)").fetchone() == (0,)
    await catalog.aclose()


async def test_pages_are_found_by_fingerprint_in_full_blocks_and_in_the_last_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "BLOCK", 16)
    catalog = SqliteCatalog.open_at(path)
    for start in range(0, 70, 7):
        await catalog.add([page(number) for number in range(start, start + 7)])
        await catalog.add([page(start, title="again")])
    (blocks,) = catalog._connection.execute("SELECT count(*) FROM marks WHERE bucket = 0").fetchone()
    assert blocks >= 4
    await catalog.aclose()
    catalog = SqliteCatalog.open_at(path)  # another process goes on
    await catalog.add([page(number) for number in range(70, 100)])
    for number in range(100):
        found = await catalog.get_by_id(fingerprint(page(number).key))
        assert found is not None and found.key == page(number).key
    assert await catalog.get_by_id(fingerprint("http://a.test/100")) is None
    await catalog.aclose()


async def test_totals_are_what_the_pages_add_up_to(path: Path) -> None:
    catalog = SqliteCatalog.open_at(path)
    rows: dict[str, Page] = {}
    for start in (0, 20, 10, 30):
        some = [page(number + start % 20, length=number + start, links_cut=number % 3) for number in range(40)]
        await catalog.add(some)
        rows.update({one.key: one for one in some})
    totals = await catalog.totals()
    assert totals.bytes == sum(one.length for one in rows.values())
    assert totals.bodies_cut == sum(one.truncated != "" for one in rows.values())
    assert totals.links_cut == (sum(one.links_cut for one in rows.values()), sum(one.links_cut > 0 for one in rows.values()))
    assert totals.pages == sum(one.outcome is Outcome.OK for one in rows.values())
    await catalog.aclose()
