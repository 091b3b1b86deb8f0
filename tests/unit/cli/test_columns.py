"""A table of URLs on a terminal: a row is a line, a title gives way to a URL, and a URL only when nothing else can."""

from gossamer.cli.columns import cut, laid_out, shorten

HEADINGS = ["fetched", "outcome", "url", "title"]
SHORT, LONG = "http://a.example/1", "http://a.example/" + "x" * 40
ROWS = [("2026-01-01", "ok", SHORT, "a title of some length"), ("2026-01-01", "gone", LONG, "another")]


def lines(room: int) -> list[str]:
    return laid_out(HEADINGS, ROWS, room, "url", ["fetched"])


def test_where_there_is_room_everything_is_shown_in_columns() -> None:
    heads, first, second = lines(110)
    assert heads.split() == HEADINGS
    assert first.index("a title of some length") == second.index("another") == heads.index("title")


def test_a_title_gives_way_then_a_column_then_the_title_of_a_long_url() -> None:
    _, first, _ = lines(92)
    assert "2026-01-01" in first and first.endswith("a title of…")
    heads, first, second = lines(68)
    assert heads.split()[0] == "outcome" and "a title" in first and second.endswith(LONG)
    assert all(len(line) <= 68 for line in (heads, first, second))


def test_a_url_that_cannot_fit_loses_its_middle_and_others_do_not() -> None:
    _, first, second = lines(50)
    assert SHORT in first and "a title" in first
    assert second.startswith("gone     http://a.ex") and "…" in second and second.endswith("xxxx") and len(second) <= 50


def test_wide_characters_take_two_cells() -> None:
    assert shorten("日本語日本語", 5) == "日…語"
    assert cut("日本語日本語", 6) == "日本…"
    assert shorten("abc", 3) == cut("abc", 3) == "abc"


def test_a_table_without_titles_or_rows_is_fine() -> None:
    assert laid_out(["kind", "page"], [("anchor", SHORT)], 80, "page", []) == ["kind    page", f"anchor  {SHORT}"]
    assert laid_out(HEADINGS, [], 80, "url", ["fetched"]) == ["fetched  outcome  url  title"]
