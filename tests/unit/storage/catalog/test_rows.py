"""Pages as rows: whatever a page has and whichever were there before, it is what was put in that comes out."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gossamer.records.freshness import Freshness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.pagequery import PageQuery
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.storage.catalog.sqlite import SqliteCatalog

USUAL: dict[str, Any] = {"outcome": Outcome.OK, "status": 200, "mime": "text/html", "charset": "utf-8"}
UNUSUAL: dict[str, Any] = {
    "outcome": Outcome.GONE,
    "reason": because(Rule.DEDUPE_NEAR, bits=3, same_as="http://a.test/ü"),
    "status": 404,
    "mime": "text/plain",
    "charset": "koi8-r",
    "duplicate_of": "http://a.test/other",
    "truncated": "length",
    "links_cut": 3,
    "noindex": True,
    "noarchive": True,
    "freshness": Freshness(visits=3, etag='"x"'),
    "simhash": (1 << 64) - 1,
    "outlinks": 1 << 63,
    "place": Place("f.warc.gz", 7, 9),
    "captured_at": 12.5,
}


def usual(key: str, **facts: Any) -> Page:
    return Page(**{"url": f"http://a.test/{key}", "key": key, "host": "a.test", **USUAL, **facts})


@pytest.mark.parametrize("name", UNUSUAL)
async def test_a_page_that_is_like_most_but_for_one_thing_comes_back_with_it(name: str, tmp_path: Path) -> None:
    catalog = SqliteCatalog.open_at(tmp_path / "catalog.db")
    pages = [usual("a"), usual("b", **{name: UNUSUAL[name]}), usual("c", title="C")]
    await catalog.add(pages)
    assert [await catalog.get(each.key) for each in pages] == pages
    await catalog.add([usual("a", **{name: UNUSUAL[name]}), usual("b")])
    assert [await catalog.get(key) for key in "ab"] == [usual("a", **{name: UNUSUAL[name]}), usual("b")]
    await catalog.aclose()


@pytest.mark.parametrize("seed", range(4))
async def test_known_and_new_pages_in_one_step_are_told_apart(seed: int, tmp_path: Path) -> None:
    random, latest, captures = Random(seed), dict[str, Page](), Counter[str]()
    catalog = SqliteCatalog.open_at(tmp_path / "catalog.db")
    for step in range(40):
        most = random.choice([10, 60, 1_000, 100_000])  # the fewer there are to choose from, the more are known
        numbers = random.sample(range(most), k=random.choice([1, 5, 9]))
        pages = [_visited(f"page{number}", step, random) for number in numbers]
        await catalog.add(pages)
        latest.update({each.key: each for each in pages})
        captures.update(each.key for each in pages if each.place is not None)
    assert {each.key: each async for each in catalog.pages()} == latest
    assert await catalog.counts() == Counter(each.outcome.value for each in latest.values())
    assert (await catalog.totals()).bytes == sum(each.length for each in latest.values())
    for key, each in latest.items():
        assert len(await catalog.versions(key)) == captures[key]
        assert [found.key async for found in catalog.pages(PageQuery(words=key))] == ([] if each.noindex else [key])
        assert all(version.captured_at == version.place.offset for version in await catalog.versions(key))
    for step in range(40):
        titled = sorted(key for key, each in latest.items() if each.title == f"title{step}" and not each.noindex)
        assert sorted([found.key async for found in catalog.pages(PageQuery(words=f"title{step}"))]) == titled
    await catalog.aclose()


def _visited(key: str, step: int, random: Random) -> Page:
    place = Place("f.warc.gz", step, random.randrange(1, 50)) if random.random() < 0.9 else None
    facts = {name: UNUSUAL[name] for name in ("outcome", "noindex", "simhash") if random.random() < 0.1}
    captured_at = float(step) if random.random() < 0.5 else 0.0
    times = {"fetched_at": float(step), "captured_at": captured_at}
    return usual(key, title=f"title{step}", length=random.randrange(99), place=place, **times, **facts)
