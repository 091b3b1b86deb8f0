"""Tables: what is laid out, and what is compared with what."""

from bench.table import Column, Table, change, text

COLUMNS = (Column("site", "site"), Column("rate", "rate", ",.0f", headline=True), Column("ratio", "ours", ".1f", "x"))


def table(*rates: float) -> Table:
    sites = ("small", "large")
    return Table("t", COLUMNS, [{"site": site, "rate": rate, "ratio": None} for site, rate in zip(sites, rates, strict=False)])


def test_texts_stand_left_and_numbers_right() -> None:
    assert text(table(5.0, 1234.0)).splitlines()[1:] == ["site    rate  ours", "small      5     -", "large  1,234     -"]


def test_a_value_is_written_with_its_unit() -> None:
    assert COLUMNS[2].show(12.34) == "12.3x"


def test_the_headline_is_compared_with_the_row_of_the_same_names() -> None:
    compared = table(150.0, 90.0).compared(table(100.0, 100.0).plain())
    assert [row["change"] for row in compared.rows] == ["+50 %", "-10 %"]


def test_a_new_row_compares_with_nothing() -> None:
    compared = table(150.0, 90.0).compared(table(100.0).plain())
    assert [row["change"] for row in compared.rows] == ["+50 %", None]


def test_a_first_run_has_no_column_of_differences() -> None:
    assert table(1.0).compared(None).columns == COLUMNS


def test_nothing_is_said_about_a_figure_that_is_missing() -> None:
    assert change(None, 1.0) is None
    assert change(1.0, None) is None
    assert change(1.0, 0.0) is None
