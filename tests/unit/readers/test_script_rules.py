"""Who wants a page, by type and pattern; what is kept of what readers yield."""

import json

import pytest

from gossamer.errors import ConfigError
from gossamer.readers.scripts.marks import MARKS, reads
from gossamer.readers.scripts.rules import Wants
from gossamer.readers.scripts.travel import ReaderMark, ReaderRule
from gossamer.testing.reader import gathered_from, page_of

WANTS = Wants(
    [
        ReaderRule("item", "shop.py", 3, (ReaderMark("text/html", r"/item/\d+"), ReaderMark("text/html", "item"))),
        ReaderRule("query", "shop.py", 9, (ReaderMark("text/html", r"\?page=2$"),)),
        ReaderRule("all", "shop.py", 12, (ReaderMark("text/html"), ReaderMark("application/json"))),
    ]
)


@pytest.mark.parametrize(
    ("mime", "url", "wanting"),
    [
        ("text/html", "http://shop.test/item/7", (0, 2)),
        ("text/html", "http://shop.test/list?page=2", (1, 2)),
        ("text/html", "http://item.test/", (2,)),
        ("application/json", "http://shop.test/item/7", (2,)),
        ("text/plain", "http://shop.test/item/7", ()),
    ],
)
def test_readers_are_found_by_type_and_by_path_and_query(mime: str, url: str, wanting: tuple[int, ...]) -> None:
    assert WANTS.of(mime, url) == wanting


def test_a_pattern_that_takes_long_elsewhere_takes_no_time() -> None:
    wants = Wants([ReaderRule("slow", "shop.py", 1, (ReaderMark("text/html", "(a+)+$"),))])
    assert wants.of("text/html", f"http://a.test/{'a' * 5_000}!") == ()


def test_marks_add_up_and_what_is_none_is_refused() -> None:
    @reads("Text/HTML", "/a")
    @reads("application/json")
    def reader(page):
        yield {}

    assert getattr(reader, MARKS) == (ReaderMark("application/json"), ReaderMark("text/html", "/a"))
    with pytest.raises(ConfigError, match="no MIME type"):
        reads("html")
    with pytest.raises(ConfigError, match=r"look-around|regular expression"):
        reads("text/html", "(?=a)")


def test_what_a_reader_returns_may_be_nothing_one_thing_or_several() -> None:
    page = page_of("<title>t</title>")
    for returned, items in [(None, []), ({"a": 1}, [{"a": 1}]), ([{"a": 1}, {"b": 2}], [{"a": 1}, {"b": 2}])]:
        gathered = gathered_from(reads("text/html")(lambda page, returned=returned: returned), page)
        assert [json.loads(item.content) for item in gathered.harvest.items] == items and not gathered.harvest.problems
    gathered = gathered_from(reads("text/html")(lambda page: 7), page)
    assert "yielded a int" in gathered.harvest.problems[0].error


def test_a_hundred_items_and_ten_problems_are_kept_of_a_page_and_nobody_waits_for_more() -> None:
    def items(page):
        while True:
            yield {"n": 1}

    def problems(page):
        while True:
            yield 1

    gathered = gathered_from(items, page_of(""))
    assert len(gathered.harvest.items) == 100 and len(gathered.harvest.problems) == 1
    assert len(gathered_from(problems, page_of("")).harvest.problems) == 10


def test_what_cannot_be_written_down_is_a_problem_and_what_can_is_kept_as_it_is() -> None:
    circle: dict[str, object] = {}
    circle["self"] = circle

    def odd(page):
        yield circle
        yield {"half a pair": "\ud800"}
        yield {"ü": [1, 2.5, None, True, {"x": "\x00"}]}
        raise ValueError("\ud800 is told, too")

    harvest = gathered_from(odd, page_of("")).harvest
    assert [json.loads(item.content) for item in harvest.items] == [{"ü": [1, 2.5, None, True, {"x": "\x00"}]}]
    assert ["no JSON" in problem.error for problem in harvest.problems] == [True, True, False]
    assert all(problem.error.encode() and problem.where for problem in harvest.problems)
