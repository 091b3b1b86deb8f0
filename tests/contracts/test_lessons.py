"""Every book of lessons keeps the promises of its joint, over every store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.lessons import Lessons
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.testing.lessons import MARKED, NOW, RULES, SETTINGS, TRAP, Rule, ask, copy, learn, marked

STORES: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open_at(path / "kv", durable=False),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("store", STORES)
async def test_a_book_keeps_its_promise(store: str, rule: Rule, tmp_path: Path) -> None:
    kv = STORES[store](tmp_path)
    assert isinstance(LessonBook(kv, SETTINGS, 50), Lessons)
    await rule(lambda settings: LessonBook(kv, settings, 50))
    await kv.aclose()


async def test_verdicts_are_the_same_after_a_store_was_closed(tmp_path: Path) -> None:
    urls = [*TRAP[:200], *MARKED]
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    book = LessonBook(kv, SETTINGS, 50)
    await learn(book, [*map(copy, TRAP[:30]), *marked()])
    before = [await ask(book, url, NOW) for url in urls]
    await kv.aclose()
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    again = LessonBook(kv, SETTINGS, 50)
    assert [await ask(again, url, NOW) for url in urls] == before
    assert any(lesson.refused for lesson in before)
    await kv.aclose()
